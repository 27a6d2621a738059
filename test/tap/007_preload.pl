# A server that does not preload baton says so in one clear error, whatever is called, and goes on.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('preload', start => 0);
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->start;
my $hint = qr/HINT: .*shared_preload_libraries/;

my ($state, $error) = sqlstate($node, 'postgres', 'CREATE EXTENSION baton');
is($state, 'BT005', 'CREATE EXTENSION without preload');
like($error, $hint, 'says what to do');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_namespace WHERE nspname = 'baton'}), '0', 'and leaves nothing');
is(sqlstate($node, 'postgres', "LOAD 'baton'; SELECT 1"), '00000', 'LOAD does no harm');
is(sqlstate($node, 'postgres', "LOAD 'baton'; SET baton.max_wait = '1 s'"), '00000', 'nor do settings after it');

# With an extension that an earlier life of the server made, and messages in it.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'baton'\n");
$node->restart;
$node->safe_psql('postgres', 'CREATE DATABASE dropped');
$node->safe_psql($_, 'CREATE EXTENSION baton') for 'postgres', 'dropped';
$node->safe_psql('postgres', <<'SQL');
SELECT baton.create_queue('work');
SELECT baton.send('work', '{"n": 1}');
SELECT baton.publish('a', '{}');
CREATE TABLE kept AS SELECT receipt FROM baton.receive('work', visibility_timeout => '1 h');
SELECT baton.send('work', '{"n": 2}');
SELECT baton.first_delivery('me', '00000000-0000-7000-8000-000000000001');
SQL
my $receipt = $node->safe_psql('postgres', 'SELECT receipt FROM kept');
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;

# Every public function that there is, with nulls. New ones are met without a change here.
my @calls = split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT format('%s baton.%I(%s)', CASE prokind WHEN 'p' THEN 'CALL' ELSE 'SELECT' END, proname,
    (SELECT string_agg('NULL::' || format_type(t, NULL), ', ') FROM unnest(proargtypes::oid[]) AS t))
FROM pg_proc
WHERE pronamespace = 'baton'::regnamespace AND proname !~ '^_' AND proname !~ '^receipt_(in|out|recv|send)$'
ORDER BY proname
SQL
cmp_ok(scalar @calls, '>=', 20, 'there are functions to be tried');
for my $call (@calls)
{
    my ($name) = $call =~ /baton\.(\w+)/;
    ($state, $error) = sqlstate($node, 'postgres', $call);
    is($state, 'BT005', "$name without preload") or diag $error;
    like($error, $hint, "$name says what to do");
}
my %real = (
    send => q{SELECT baton.send('work', '{}')},
    receive => q{SELECT baton.receive('work')},
    ack => "SELECT baton.ack('$receipt')",
    'INSERT into the outbox' => q{INSERT INTO baton.outbox (topic, payload) VALUES ('a', '{}')});
is(sqlstate($node, 'postgres', $real{$_}), 'BT005', "$_ with real arguments") for sort keys %real;

# What lies below the functions may do what it likes, but must not crash or lie.
my %below = (
    'view queues' => 'SELECT * FROM baton.queues',
    'view subscriptions' => 'SELECT * FROM baton.subscriptions',
    'view dead_letters' => 'SELECT * FROM baton.dead_letters',
    'view workers' => 'SELECT * FROM baton.workers',
    'view outbox' => 'SELECT * FROM baton.outbox',
    'INSERT into a segment' => 'INSERT INTO baton.q1_1 (visible_at, enqueued_at, id) SELECT now(), now(), gen_random_uuid()',
    'UPDATE of the catalog' => q{UPDATE baton._queue SET settings = '{}'});
for my $what (sort keys %below)
{
    like(sqlstate($node, 'postgres', "BEGIN; $below{$what}; ROLLBACK;"), qr/^(00000|BT005)$/, "$what: works or says why not");
}
is($node->safe_psql('postgres', "SELECT '$receipt'::text::baton.receipt"), $receipt, 'receipts can be read and written');
is(sqlstate($node, 'dropped', 'DROP EXTENSION baton CASCADE'), '00000', 'the extension can be dropped');
is( sqlstate($node, 'postgres', 'CREATE DATABASE copy TEMPLATE dropped; DROP DATABASE copy'),
    '00000', 'databases can be copied and dropped');
$node->command_ok([ 'pg_dump', '-f', PostgreSQL::Test::Utils::tempdir() . '/dump', $node->connstr('postgres') ], 'a dump can be taken');
unlike(slurp_file($node->logfile), qr/PANIC|was terminated by signal|TRAP/, 'nothing crashed');

# And back.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'baton'\n");
$node->restart;
is($node->safe_psql('postgres', "SELECT count(baton.ack('$receipt'))"), '1', 'preloaded again: the lease still holds');
is($node->safe_psql('postgres', q{SELECT payload->>'n' FROM baton.receive('work', 10)}), '2', 'and the other message is there');
worker_pid($node, 'postgres');
$node->safe_psql('postgres', q{SELECT baton.subscribe('#', 'work')});
is($node->safe_psql('postgres', q{SELECT topic FROM baton.receive('work', wait => '30 s')}), 'a', 'and the event is relayed');
$node->stop;
done_testing();
