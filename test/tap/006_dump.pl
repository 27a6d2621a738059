# pg_dump and restore keep every message with its state, settings, subscriptions, dead letters, events and inbox; what is
# restored works on. A dump taken under load holds of each message itself or its effect, never both and never neither.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('dump', conf => "baton.outbox_retention = '100 d'\nbaton.segment_size = '64kB'\nbaton.turnover_interval = '10ms'\n");
my $files = PostgreSQL::Test::Utils::tempdir();
make_account($node, 'postgres');
$node->safe_psql('postgres', <<'SQL');
SELECT baton.create_queue('gone');
SELECT baton.create_queue('work', '{"max_attempts": 3, "visibility_timeout": "1 h", "jitter": "none"}');
SELECT baton.create_queue('A "quoted" queue''s name');
SELECT baton.create_queue('paused'), baton.create_queue('held'), baton.pause_queue('paused', E'a "reason" \\N', '2100-01-01'), baton.pause_queue('held');
INSERT INTO ledger SELECT baton.send('paused', '{"kind": "held"}');
SELECT baton.drop_queue('gone');
SELECT baton.subscribe('order.#', 'A "quoted" queue''s name');
SELECT baton.subscribe('order.*', 'work');
INSERT INTO ledger SELECT baton.send('work', '{"kind": "dead"}', headers => '{"h": 1}', key => 'k', body => '\x00ff');
SELECT baton.nack((SELECT receipt FROM baton.receive('work', consumer => 'me', consumer_version => '7')), 'no good', 'permanent');
INSERT INTO ledger SELECT unnest(baton.send_batch('work', array_fill('{"kind": "acked"}'::jsonb, ARRAY[3000])));
INSERT INTO effect (id) SELECT id FROM baton.peek('work', 5000);
SELECT count(baton.ack(receipt)) FROM baton.receive('work', 5000);
INSERT INTO ledger SELECT baton.send('work', '{"kind": "leased"}', key => 'k');
CREATE TABLE kept AS SELECT receipt FROM baton.receive('work');
INSERT INTO ledger SELECT baton.send('work', '{"kind": "tried"}');
SELECT baton.nack((SELECT receipt FROM baton.receive('work')), 'again', delay => '0');
INSERT INTO ledger SELECT baton.send('work', '{"kind": "delayed"}', delay => '10 min', priority => 3, expires_in => '30 days');
INSERT INTO ledger SELECT baton.send('work', '{"kind": "delayed for long"}', delay => '10 days', options => '{"max_attempts": 9}');
INSERT INTO ledger SELECT baton.send('work',
    jsonb_build_object('kind', 'large', 'text', (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 1000) AS n)));
INSERT INTO ledger SELECT unnest(baton.send_batch('A "quoted" queue''s name', array_fill('{"kind": "many"}'::jsonb, ARRAY[2000])));
INSERT INTO ledger SELECT baton.publish('nobody.listens', '{"kind": "event"}', key => 'k');
SELECT baton.first_delivery('me', '00000000-0000-7000-8000-000000000001');
SQL

my $states = <<'SQL';
SELECT q.queue, p.id, p.state, p.attempts, p.round, md5(p.payload::text), p.headers, p.key, p.topic, p.body, p.expires_at, p.priority,
    p.enqueued_at, p.visible_at, p.leased_at, p.first_attempt_at
FROM baton.queues AS q, LATERAL baton.peek(q.queue, 1000000) AS p ORDER BY q.queue, p.id
SQL
my %same = (
    messages => $states,
    queues => 'SELECT * FROM baton.queues ORDER BY queue_id',
    subscriptions => 'SELECT * FROM baton.subscriptions ORDER BY pattern, queue',
    dead_letters => 'SELECT * FROM baton.dead_letters ORDER BY letter_id',
    outbox => 'SELECT * FROM baton.outbox ORDER BY id',
    inbox => 'SELECT * FROM baton._inbox');

sub make_dump
{
    my ($how, $db, @more) = @_;
    my $file = "$files/$how-$db";
    my @format = $how eq 'plain' ? () : $how eq 'directory' ? ('-Fd', '-j', '2') : ('-Fc');
    $node->command_ok([ 'pg_dump', @format, @more, '-f', $file, $node->connstr($db) ], "pg_dump, $how, of $db" . (@more ? ', with locks that come late' : ''));
    return $file;
}

sub restore
{
    my ($how, $file, $db) = @_;
    $node->safe_psql('postgres', "CREATE DATABASE $db");
    my @command =
        $how eq 'plain' ? ('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $file, $node->connstr($db))
      : $how eq 'directory' ? ('pg_restore', '--exit-on-error', '-j', '2', '-d', $node->connstr($db), $file)
      : ('pg_restore', '--exit-on-error', '-d', $node->connstr($db), $file);
    $node->command_ok(\@command, "restore, $how, into $db");
    return;
}

my %expected = map { $_ => $node->safe_psql('postgres', $same{$_}) } keys %same;
for my $how (qw(plain custom directory))
{
    my $db = "from_$how";
    restore($how, make_dump($how, 'postgres'), $db);
    for my $thing (sort keys %same)
    {
        isnt($expected{$thing}, '', "$how: there are $thing to be restored");
        is($node->safe_psql($db, $same{$thing}), $expected{$thing}, "$how: $thing as they were");
    }
    findings_ok($node, $db, $how);

    # A dump of the copy is the same dump again, but for the order in which rows lie.
    if ($how eq 'plain')
    {
        my ($first, $second) = map {
            [ sort grep { !/^(--|\\(un)?restrict)/ } split /\n/, slurp_file($_) ] } "$files/plain-postgres", make_dump('plain', $db);
        is_deeply($second, $first, 'a dump of the copy has the same lines');
    }

    # Leases hold there too; receipts do not, for they name another storage.
    my $receipt = $node->safe_psql($db, 'SELECT receipt FROM kept');
    is(sqlstate($node, $db, "SELECT baton.ack('$receipt')"), 'BT001', "$how: a receipt from before is unknown");
    is( $node->safe_psql($db, q{SELECT payload->>'kind', attempt FROM baton.receive('work', 10, '1 ms') ORDER BY 1}),
        "large|1\ntried|2", "$how: what was ready is handed out");

    # So do pauses.
    is($node->safe_psql($db, q{SELECT payload FROM baton.receive('paused')}), '', "$how: a paused queue hands nothing out");
    is($node->safe_psql($db, q{SELECT baton.resume_queue('paused'), baton.resume_queue('held')}), 't|t', "$how: until it is resumed");

    # What is new works beside what is old.
    is($node->safe_psql($db, q{SELECT baton.create_queue('new')}), 't', "$how: a new queue has an id of its own");
    $node->safe_psql($db, q{INSERT INTO ledger SELECT baton.send(q, '{}') FROM unnest(ARRAY['new', 'work']) AS q});
    is( $node->safe_psql($db, q{INSERT INTO effect (id) SELECT id FROM baton.receive('new') AS m, baton.ack(m.receipt) RETURNING 'acked'}),
        'acked', "$how: and works");
    $node->safe_psql($db, q{INSERT INTO ledger SELECT baton.publish('nobody.listens', '{}'); SELECT baton.subscribe('nobody.*', 'new')});
    worker_pid($node, $db);
    ok(poll_for(sub { $node->safe_psql($db, q{SELECT count(*) FROM baton.peek('new')}) eq '2' }, 30),
        "$how: its worker relays old and new events");
    is($node->safe_psql($db, q{SELECT baton.first_delivery('me', '00000000-0000-7000-8000-000000000001')}),
        'f', "$how: the inbox remembers");
    is($node->safe_psql($db, q{SELECT baton.redrive('work', ARRAY(SELECT id FROM baton.dead_letters))}), '1', "$how: a dead letter can be redriven");
    shift_clock($node, 11 * 86400);
    drain($node, $db, 'work', 'new', 'paused', 'A "quoted" queue\'\'s name');
    account_is($node, $db, $how);

    shift_clock($node, 0);

    # The segments of old and new queues are turned over, and DROP EXTENSION still takes all of it along.
    $node->safe_psql($db, 'DROP EXTENSION baton CASCADE');
    is($node->safe_psql($db, q{SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('baton')}),
        '0', "$how: DROP EXTENSION CASCADE leaves nothing");
}

# --- a dump whose locks come long after its snapshot ---
# All that the snapshot sees is consumed before the tables are locked, and nothing but the snapshot keeps the worker from
# emptying them.
sub push_through
{
    my ($count) = @_;
    $node->safe_psql('postgres', "INSERT INTO ledger SELECT unnest(baton.send_batch('late', array_fill('{\"some\": \"thing of a certain length\"}'::jsonb, ARRAY[$count])))");
    drain($node, 'postgres', 'late');
    return;
}
sub late_dump
{
    my ($db, $between) = @_;
    my $snapshot = $node->background_psql('postgres');
    my $name = $snapshot->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_export_snapshot()');
    $between->();
    my $file = make_dump('custom', 'postgres', "--snapshot=$name");
    $snapshot->quit;
    return unless -s $file;
    restore('custom', $file, $db);
    return account_is($node, $db, "late dump $db");
}
$node->safe_psql('postgres', q{SELECT baton.create_queue('late')});
$node->safe_psql('postgres', q{INSERT INTO ledger SELECT unnest(baton.send_batch('late', array_fill('{"kind": "seen"}'::jsonb, ARRAY[4000])))});
my $before = $node->safe_psql('postgres', 'SELECT count(*) FROM effect');
my $late = late_dump('late1',
    sub {
        # Newer segments come and go meanwhile.
        my $last = $node->safe_psql('postgres', 'SELECT max(seq) FROM baton._segment');
        poll_until('turnover', sub { push_through(1000); $node->safe_psql('postgres', 'SELECT max(seq) FROM baton._segment') > $last + 10 });
    });
is($node->safe_psql('late1', q{SELECT count(*) FROM baton.peek('late', 10000)}), '4000', 'what the snapshot saw as waiting waits in the dump');
is($late->{effect}, $before, 'and has no effect there');
# Segments that were dead already when the dump began must still be there when it locks them.
unlink "$files/custom-postgres";
$node->safe_psql('postgres', q{INSERT INTO ledger SELECT unnest(baton.send_batch('late', array_fill('{"kind": "backlog"}'::jsonb, ARRAY[1000]))) FROM generate_series(1, 5)});
late_dump('late2', sub { drain($node, 'postgres', 'late') });

# --- under load ---
$node->safe_psql('postgres', q{SELECT baton.subscribe('live', 'work')});
my @load = (
    start_load($node, 'postgres', 'producer', <<'SQL', clients => 2, seconds => 60, rate => 400),
\set kind random(1, 5)
\if :kind = 1
INSERT INTO ledger SELECT baton.publish('live', '{}');
\else
INSERT INTO ledger SELECT unnest(baton.send_batch('work', array_fill('{"some": "thing of a certain length"}'::jsonb, ARRAY[10])));
\endif
SQL
    start_load($node, 'postgres', 'consumer', <<'SQL', clients => 3, seconds => 60, rate => 250));
\set fate random(1, 20)
SELECT count(*) AS n, coalesce(array_agg(m.id), '{}') AS ids, coalesce(array_agg(m.receipt), '{}') AS receipts
    FROM baton.receive('work', 10, wait => '10 ms') AS m \gset
\if :n > 0
\if :fate = 1
SELECT baton.nack(r, 'bad', 'permanent') FROM unnest(:receipts::baton.receipt[]) AS r;
\else
BEGIN;
INSERT INTO effect (id) SELECT unnest(:ids::uuid[]);
SELECT baton.ack_batch(:receipts);
COMMIT;
\endif
\endif
SQL
for my $round (1 .. 3)
{
    my ($sent, $done) = map { $node->safe_psql('postgres', "SELECT count(*) FROM $_") } 'ledger', 'effect';
    $node->poll_query_until('postgres', "SELECT (SELECT count(*) FROM ledger) > $sent + 1000 AND (SELECT count(*) FROM effect) > $done + 500")
      or die 'no load';
    my $file = make_dump('custom', 'postgres');
    restore('custom', $file, "live$round");
    unlink $file;
}
kill_load($_) for @load;
for my $round (1 .. 3)
{
    my $count = account_is($node, "live$round", "dump $round under load");
    ok($count->{effect} > 3000 && $count->{queue} > 0 && $count->{dead} > 0, "there was something of each in dump $round");
    findings_ok($node, "live$round", "dump $round under load");
}
$node->stop;
done_testing();
