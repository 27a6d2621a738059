# Segments that are all dead are emptied and used again: the disk that a queue takes does not grow with what went
# through it. An old snapshot or a forgotten message costs disk, but only for as long as it is there.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('turnover', conf => <<'CONF');
baton.segment_size = '256kB'
baton.turnover_interval = '10ms'
autovacuum = off
CONF
make_account($node, 'postgres');
$node->safe_psql('postgres', q{SELECT baton.create_queue('work', '{"visibility_timeout": "1 h"}'), baton.create_queue('events'), baton.subscribe('#', 'events')});

sub size
{
    return $node->safe_psql('postgres',
        q{SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class WHERE relnamespace = 'baton'::regnamespace AND relname ~ '^q\d+_\d+$'});
}

my $mega = 1024 * 1024;
my $peak = 0;

# Pushes messages through the queue, a thousand at a time, in transactions of their own.
sub push_through
{
    my ($thousands, $each) = @_;
    for (1 .. $thousands)
    {
        $node->safe_psql('postgres', <<'SQL');
INSERT INTO ledger SELECT unnest(baton.send_batch('work', array_fill('{"some": "thing of a hundred bytes or so, as many messages are, and not shorter than that"}'::jsonb, ARRAY[1000])));
CREATE TEMPORARY TABLE got AS SELECT id, receipt FROM baton.receive('work', 1000);
BEGIN;
INSERT INTO effect (id) SELECT id FROM got;
SELECT count(baton.ack(receipt)) FROM got;
COMMIT;
SQL
        $each->() if $each;
    }
    return;
}

# --- in the steady state ---
push_through(100, sub { my $size = size(); $peak = $size if $size > $peak; });
# Each thousand takes about 250 kB.
cmp_ok($peak, '<', 8 * $mega, '100000 messages, about 25 MB, went through few segments at a time') or diag $peak;
ok(poll_for(sub { size() < 1.2 * $mega }, 70), 'when all is quiet little is left') or diag size();
account_is($node, 'postgres', '100000 messages');
findings_ok($node, 'postgres', '100000 messages');

# --- a receipt of an emptied segment ---
$node->safe_psql('postgres', q{SELECT baton.send('work', '{"kind": "old"}')});
my $receipt = $node->safe_psql('postgres', q{SELECT receipt FROM baton.receive('work')});
$node->safe_psql('postgres', "SELECT baton.ack('$receipt')");
push_through(6);
is(sqlstate($node, 'postgres', "SELECT baton.$_('$receipt')"), 'BT001', "$_ with the receipt of an emptied segment")
  for qw(ack nack extend release);
is($node->safe_psql('postgres', "SELECT baton.try_ack_batch(ARRAY['$receipt'::baton.receipt]), baton.try_nack('$receipt')"),
    '{f}|lost', 'and the forms that do not raise');

# --- an old snapshot ---
my $old = $node->background_psql('postgres');
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM effect');
my $seen = $old->query_safe('SELECT count(*) FROM effect');
push_through(20);
my $held = size();
cmp_ok($held, '>', 4 * $mega, 'under an old snapshot nothing that it may see is emptied');
is($old->query_safe('SELECT count(*) FROM effect'), $seen, 'the snapshot still stands');
$old->quit;
push_through(1);
ok(poll_for(sub { size() < 1.5 * $mega }, 90), 'when it is gone the disk comes back') or diag size();

# --- who waits for messages with the procedure holds no snapshot ---
$node->safe_psql('postgres', q{SELECT baton.create_queue('silent')});
my $waiter = start_load($node, 'postgres', 'waiter', q{CALL baton.wait('silent', '50 s');}, clients => 1, transactions => 1, mode => 'simple');
my $of_waiter = q{FROM pg_stat_activity WHERE application_name = 'waiter'};
$node->poll_query_until('postgres', "SELECT wait_event_type IN ('Extension', 'IPC') $of_waiter") or die 'nobody waits';
is($node->safe_psql('postgres', "SELECT backend_xmin IS NULL $of_waiter"), 't', 'a procedure that waits holds no snapshot');
$node->safe_psql('postgres', q{SELECT baton.send('silent', '1')});
pgbench_ok($waiter, 'and ends when there is a message');
$node->safe_psql('postgres', <<'SQL');
DO $$
BEGIN
    CALL baton.wait('silent', '10 s');
    PERFORM baton.ack(receipt) FROM baton.receive('silent');
    COMMIT;
    CALL baton.wait('silent', '10 ms');
END $$;
SQL
is($node->safe_psql('postgres', q{BEGIN; CALL baton.wait('silent', '10 ms'); SELECT count(*) FROM baton.peek('silent'); COMMIT}), '0', 'it can be called in a block and in procedures');

# --- a straggler ---
$node->safe_psql('postgres', q{INSERT INTO ledger SELECT baton.send('work', '{"kind": "straggler"}')});
my $straggler = $node->safe_psql('postgres', q{SELECT receipt FROM baton.receive('work')});
push_through(20);
ok(poll_for(sub { size() < 2 * $mega }, 90), 'a message in work keeps its own segment and no other') or diag size();
is( $node->safe_psql('postgres', "WITH e AS (INSERT INTO effect (id) SELECT id FROM baton.peek('work') RETURNING id) SELECT count(baton.ack('$straggler')) FROM e"),
    '1', 'and can be acked after all that');

# --- large payloads: out-of-line storage is given back too ---
$node->safe_psql('postgres', <<'SQL') for 1 .. 10;
INSERT INTO ledger SELECT baton.send('work', jsonb_build_object('text', (SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 10000)), 'n', n))
    FROM generate_series(1, 5) AS n;
INSERT INTO ledger SELECT unnest(baton.send_batch('work', array_fill('{"some": "thing of a hundred bytes or so, as many messages are, and not shorter than that"}'::jsonb, ARRAY[1000])));
CREATE TEMPORARY TABLE got AS SELECT id, receipt, pg_column_size(payload) AS size FROM baton.receive('work', 2000);
BEGIN;
INSERT INTO effect (id) SELECT id FROM got;
SELECT count(baton.ack(receipt)) FROM got;
COMMIT;
SQL
ok(poll_for(sub { size() < 4 * $mega }, 90), 'out-of-line storage comes back') or diag size();

# --- the outbox is such a chain too ---
$node->safe_psql('postgres', q{INSERT INTO ledger SELECT unnest(baton.publish_batch(array_fill('a'::text, ARRAY[2000]), array_fill('{"some": "thing"}'::jsonb, ARRAY[2000])))})
  for 1 .. 10;
$node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM baton.outbox') or die 'not relayed';
shift_clock($node, 0); # a worker looks soon after its start, and else once a minute
my $outbox = q{SELECT sum(pg_total_relation_size(format('baton.q0_%s', slot)::regclass)) FROM baton._segment WHERE queue = 0};
ok(poll_for(sub { $node->safe_psql('postgres', $outbox) < $mega }, 90), 'the outbox gives its disk back') or diag $node->safe_psql('postgres', $outbox);

drain($node, 'postgres', 'work', 'events');
account_is($node, 'postgres', 'in the end');
findings_ok($node, 'postgres', 'in the end');
$node->stop;
done_testing();
