# The launcher and the workers come when they are needed, come back when they are killed, leave when they are in the
# way, and never hold a shutdown up.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = new_node('workers', baton => 0, conf => "max_logical_replication_workers = 0\n");

sub state_is
{
    my ($db, $state, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok( poll_for(sub {
            $node->safe_psql('postgres', "SELECT coalesce((SELECT state FROM baton.workers WHERE database = '$db'), 'none')")
              =~ /^(?:$state)$/ }, 30),
        $what)
      or diag $node->safe_psql('postgres', 'SELECT * FROM baton.workers');
    return;
}

sub processes
{
    my ($db) = @_;
    return $node->safe_psql('postgres',
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'baton worker' AND datname = '$db'");
}

# An event published now is relayed.
sub relay_ok
{
    my ($db, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $id = $node->safe_psql($db, q{SELECT baton.publish('a.b', '{}')});
    my $is_there = sub {
        return $node->safe_psql($db,
            q{SELECT id FROM (SELECT id, baton.ack(receipt) FROM baton.receive('events', 1000, wait => '1 s')) AS x}) =~ /$id/;
    };
    ok(poll_for($is_there, 30), "$what: an event is relayed");
    return;
}

sub set_up
{
    my ($db) = @_;
    $node->safe_psql($db, q{CREATE EXTENSION baton; SELECT baton.create_queue('events'), baton.subscribe('#', 'events')});
    return;
}

# --- where the extension is, there is a worker ---
$node->safe_psql('postgres', 'CREATE DATABASE one');
$node->safe_psql('postgres', 'CREATE DATABASE empty');
set_up('postgres');
set_up('one');
relay_ok('postgres', 'first database');
relay_ok('one', 'second database');
state_is('one', 'running', 'the view shows the worker of each database');
is(processes('empty'), '0', 'a database without the extension has none');

# --- killed and back ---
my $worker = worker_pid($node, 'one');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($worker, 10000)");
relay_ok('one', 'after the worker was terminated');
isnt(worker_pid($node, 'one'), $worker, 'it is another process');
my $launcher = worker_pid($node);
$node->safe_psql('postgres', "SELECT pg_terminate_backend($launcher, 10000)");
relay_ok('one', 'while the launcher is away');
$worker = worker_pid($node, 'one');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($worker, 10000)");
relay_ok('one', 'after both were terminated');
isnt(worker_pid($node), $launcher, 'the launcher is back');

# --- a transaction that drops a queue does not hold the worker up ---
$node->safe_psql('one', q{SELECT baton.create_queue('going'), baton.create_queue('wanted'), baton.subscribe('wanted', 'wanted')});
my $dropper = $node->background_psql('one');
$dropper->query_safe(q{BEGIN; SELECT baton.drop_queue('going')});
$worker = worker_pid($node, 'one');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($worker, 10000)");
relay_ok('one', 'a new worker beside an open drop'); # its chores look at every queue now
relay_ok('one', 'and once more');
$dropper->query_safe(q{ROLLBACK; BEGIN; SELECT baton.drop_queue('wanted', true)});
my $event = $node->safe_psql('one', q{SELECT baton.publish('wanted', '{}')});
$node->safe_psql('one', q{SET baton.later_threshold = 0; SELECT baton.send('events', '"later"', delay => '1 s')});
my $later = q{SELECT count(baton.ack(receipt)) FROM baton.receive('events', 100) WHERE payload = '"later"'};
ok(poll_for(sub { $node->safe_psql('one', $later) eq '1' }, 30), 'while a subscribed queue is being dropped, delayed messages come');
$dropper->query_safe('ROLLBACK');
$dropper->quit;
ok( poll_for(sub { $node->safe_psql('one', q{SELECT id FROM baton.peek('wanted')}) eq $event }, 30),
    'when it is not dropped after all, it gets its events');

# --- commands that need a database to themselves ---
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE one');
relay_ok('copy', 'copy of a database');
relay_ok('one', 'its template');
$node->safe_psql('postgres', 'ALTER DATABASE copy RENAME TO two');
relay_ok('two', 'renamed database');

# Busy: one transaction that relays all of this, and cannot be asked in the middle of it.
sub keep_busy
{
    my ($db, $events) = @_;
    $node->safe_psql($db, "SELECT baton.publish_batch(array_fill('a'::text, ARRAY[$events]), array_fill('{}'::jsonb, ARRAY[$events]))");
    $node->poll_query_until('postgres', "SELECT chore = 'relay' FROM baton.workers WHERE database = '$db'") or die "$db is not busy";
    return;
}
$node->append_conf('postgresql.conf', "baton.relay_batch_size = 100000\n");
$node->reload;
keep_busy('two', 100000);
my $start = time;
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE two');
cmp_ok(time - $start, '<', 20, 'a busy worker leaves for CREATE DATABASE');
ok( poll_for(sub { $node->safe_psql($_[0] // 'copy', q{SELECT count(*) FROM baton.peek('events', 1000000)}) eq '100000' }),
    'copy of a busy database: all events arrive once');
$node->poll_query_until('two', q{SELECT count(*) = 0 FROM baton.outbox}) or die 'not relayed';
is($node->safe_psql('two', q{SELECT count(*) FROM baton.peek('events', 1000000)}), '100000', 'and in the template');
keep_busy('two', 100000);
$start = time;
$node->safe_psql('postgres', 'DROP DATABASE two');
cmp_ok(time - $start, '<', 20, 'a busy worker leaves for DROP DATABASE');
state_is('two', 'none', 'a dropped database leaves the view');
$node->safe_psql('postgres', 'DROP DATABASE copy');
$node->append_conf('postgresql.conf', "baton.relay_batch_size = 1000\n");
$node->reload;

# If the command fails the worker comes back.
my $session = $node->background_psql('one');
is(sqlstate($node, 'postgres', 'DROP DATABASE one'), '55006', 'a session is in the way of DROP DATABASE');
relay_ok('one', 'after the command failed');
$session->quit;

# --- the extension goes and comes ---
$worker = worker_pid($node, 'one');
$node->safe_psql('one', 'DROP EXTENSION baton CASCADE');
ok(poll_for(sub { processes('one') eq '0' }, 30), 'the worker leaves with the extension');
is($node->safe_psql('one', q{SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('baton')}),
    '0', 'nothing of it is left');
set_up('one');
relay_ok('one', 'extension created again');
$node->safe_psql('one', q{BEGIN; DROP EXTENSION baton CASCADE; ROLLBACK});
relay_ok('one', 'extension not dropped after all');

# --- switched off ---
$node->append_conf('postgresql.conf', "baton.worker = off\n");
$node->reload;
ok(poll_for(sub { processes('one') + processes('postgres') == 0 }, 30), 'baton.worker = off: all leave');
my $id = $node->safe_psql('one', q{SELECT baton.publish('a.b', '{}')});
is($node->safe_psql('one', q{SELECT count(*) FROM baton.outbox}), '1', 'events wait');
$node->append_conf('postgresql.conf', "baton.worker = on\n");
$node->reload;
is( $node->safe_psql('one',
        q{SELECT id FROM (SELECT id, baton.ack(receipt) FROM baton.receive('events', wait => '30 s')) AS x}),
    $id, 'on: they are relayed');

# --- fast shutdown ---
my $load = start_load($node, 'one', 'load', <<'SQL', clients => 6, seconds => 60);
SELECT baton.publish('a.b', '{}');
SELECT count(baton.ack(receipt)) FROM baton.receive('events', 10, wait => '1 s');
SQL
my $idle = start_load($node, 'postgres', 'idle', <<'SQL', clients => 3, seconds => 60);
SELECT count(*) FROM baton.receive('events', wait => '60 s');
CALL baton.wait('events', '60 s');
SQL
$node->poll_query_until('postgres', q{SELECT count(*) = 3 FROM pg_stat_activity WHERE application_name = 'idle' AND state = 'active'})
  or die 'no waiters';
$node->poll_query_until('postgres', q{SELECT count(*) = 6 FROM pg_stat_activity WHERE application_name = 'load'}) or die 'no load';
$start = time;
$node->stop('fast');
my $took = time - $start;
finish_load($_) for $load, $idle;
cmp_ok($took, '<', 10, 'fast shutdown under load and with sleeping receivers') or diag $took;
unlike(slurp_file($node->logfile), qr/PANIC|was terminated by signal|TRAP/, 'nothing crashed');

# --- no worker slots ---
$node->append_conf('postgresql.conf', "max_worker_processes = 1\n"); # the launcher's
my $log = -s $node->logfile;
$node->start;
worker_pid($node);
$node->wait_for_log(qr/no free worker slot/, $log);
is( $node->safe_psql('postgres', q{SELECT baton.send('events', '{}'); SELECT count(baton.ack(receipt)) FROM baton.receive('events')})
      =~ s/^.*\n//r,
    '1', 'without a worker messages flow');
# It is tried again every 5 s, in silence. Two tries more:
my $tries = $node->safe_psql('postgres', 'SELECT last_active_at FROM baton.workers WHERE database IS NULL');
$node->poll_query_until('postgres', "SELECT last_active_at > '$tries'::timestamptz + '9 s' FROM baton.workers WHERE database IS NULL")
  or die 'the launcher sleeps';
my @lines = slurp_file($node->logfile, $log) =~ /no free worker slot/g;
is(scalar @lines, 1, 'one line in the log says so');
$node->append_conf('postgresql.conf', "max_worker_processes = 16\n");
$node->restart;
relay_ok('one', 'with slots again');

# --- an extension that is dropped gives its places in shared memory back ---
my $used = q{SELECT used FROM baton.shared_memory WHERE area = 'segments'};
my $before = $node->safe_psql('postgres', $used);
$node->safe_psql('postgres', 'CREATE DATABASE leaver');
$node->safe_psql('leaver', <<'SQL');
CREATE EXTENSION baton;
SELECT count(baton.create_queue('q' || n)) FROM generate_series(1, 20) AS n;
SELECT count(baton.send('q' || n, '1')) FROM generate_series(1, 20) AS n;
SELECT count(*) FROM generate_series(1, 20) AS n, baton.receive('q' || n);
SQL
cmp_ok($node->safe_psql('postgres', $used), '>=', $before + 20, 'queues take places in shared memory');
$node->safe_psql('leaver', 'DROP EXTENSION baton CASCADE');
ok(poll_for(sub { $node->safe_psql('postgres', $used) < $before + 20 }, 20), 'which DROP EXTENSION gives back');

# --- so do a queue whose creation is rolled back, and who waited ---
$before = $node->safe_psql('postgres', $used);
$node->safe_psql('one', <<'SQL') for 1 .. 10;
BEGIN;
SELECT baton.create_queue('never');
SELECT baton.send('never', '1');
SELECT count(*) FROM baton.receive('never');
ROLLBACK;
SQL
cmp_ok($node->safe_psql('postgres', $used), '>=', $before + 10, 'queues that never were take places in shared memory');
$node->safe_psql('postgres', 'SELECT pg_terminate_backend(' . worker_pid($node, 'one') . ', 10000)');
ok(poll_for(sub { $node->safe_psql('postgres', $used) < $before + 5 }, 40), 'which a new worker soon gives back')
  or diag $node->safe_psql('postgres', $used), ' of ', $before;
relay_ok('one', 'after that');
is($node->safe_psql('postgres', q{SELECT used FROM baton.shared_memory WHERE area = 'queues'}), '0', 'who has waited keeps no place');

# --- the server's death leaves nobody ---
my @pids = split /\n/, $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()});
my $waiter = start_load($node, 'postgres', 'waiter', <<'SQL', clients => 2, seconds => 60);
SELECT count(*) FROM baton.receive('events', wait => '60 s');
SQL
$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_stat_activity WHERE application_name = 'waiter' AND state = 'active'})
  or die 'no waiters';
push @pids, split /\n/, $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE application_name = 'waiter'});
$node->kill9;
finish_load($waiter);
ok(poll_for(sub { !grep { !is_gone($_) } @pids }, 20), scalar @pids . ' processes are gone after the postmaster was killed');
$node->start;
relay_ok('one', 'after that');
$node->stop;
done_testing();
