# With more queues, segments, blocks, waiters and prepared transactions than the tables in shared memory have room for,
# everything is slower and nothing is wrong: every message is received, every waiter is served, and the account is exact.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Room for 149 segments, some 350 chunks of 64 blocks, 32 queues with waiters, and 48 ranges of prepared transactions.
my $node = new_node('small', conf => <<'CONF');
baton.ready_map_memory = '256kB'
baton.max_queues = 32
max_connections = 60
max_prepared_transactions = 3
baton.segment_size = '64MB'
baton.turnover_interval = '10ms'
max_wal_size = 4GB
CONF
make_account($node, 'postgres');
my ($queues, $waiters) = (180, 36);

sub value { my ($sql) = @_; return $node->safe_psql('postgres', $sql); }

value("SELECT count(baton.create_queue('queue ' || n, '{\"visibility_timeout\": \"1 h\", \"jitter\": \"none\"}')) FROM generate_series(1, $queues) AS n");

sub full_is
{
    my ($area) = @_;
    is(value("SELECT used = capacity FROM baton.shared_memory WHERE area = '$area'"), 't', "no room is left for $area");
    return;
}

# --- more segments than the map can know ---
value(<<"SQL");
-- In one transaction, some of it taken back.
DO \$\$
BEGIN
    FOR n IN 1 .. $queues LOOP
        INSERT INTO ledger SELECT unnest(baton.send_batch('queue ' || n, '{1,2,3,4}'));
        BEGIN
            PERFORM baton.send('queue ' || n, '"never"');
            RAISE 'undo';
        EXCEPTION WHEN raise_exception THEN
            NULL;
        END;
    END LOOP;
END \$\$;
CREATE TABLE held AS SELECT n, m.id, m.receipt, m.payload FROM generate_series(1, $queues) AS n, LATERAL baton.receive('queue ' || n, 10) AS m;
SQL
is(value('SELECT count(*), count(DISTINCT id), max(payload::text) FROM held'), 4 * $queues . '|' . 4 * $queues . '|4', 'all are received, each once');
full_is('segments');
is(value("SELECT sum((SELECT count(*) FROM baton.receive('queue ' || n, 10))) FROM generate_series(1, $queues) AS n"), '0', 'and not a second time');
is(value("SELECT count(baton.extend(receipt, '2 h')) FROM held"), 4 * $queues, 'leases are extended');
value(q{INSERT INTO effect SELECT id FROM held WHERE payload = '1'; SELECT baton.ack_batch(array_agg(receipt)) FROM held WHERE payload = '1'});
value(q{SELECT count(baton.release(receipt)) FROM held WHERE payload = '2'});
value(q{SELECT count(baton.nack(receipt, delay => '10 min')) FROM held WHERE payload = '3'});
value(q{BEGIN; SELECT baton.ack_batch(array_agg(receipt)) FROM held WHERE payload = '4'; ROLLBACK; SELECT count(baton.nack(receipt, 'no good', 'permanent')) FROM held WHERE payload = '4'});
my $receive_all = "SELECT string_agg(DISTINCT concat(m.payload, ' ', m.attempt), ', '), count(*) FROM generate_series(1, $queues) AS n, LATERAL baton.receive('queue ' || n, 10) AS m";
is(value($receive_all), "2 1|$queues", 'what was given back is received');
is(value("SET baton.clock_shift = 700; $receive_all"), "3 2|$queues", 'and what was delayed, when it is due');
drain($node, 'postgres', map { "queue $_" } 1 .. $queues);
my $count = account_is($node, 'postgres', 'many queues');
is("$count->{dead} $count->{queue}", "$queues 0", 'with the dead');

# --- more waiters than queues with a place ---
my $wait = start_load($node, 'postgres', 'waiter', <<'SQL', clients => $waiters, transactions => 2, mode => 'simple');
\set n :client_id + 1
BEGIN;
INSERT INTO effect (id) SELECT m.id FROM baton.pop('queue ' || :n, wait => '60 s') AS m;
COMMIT;
SQL
for my $round (1, 2)
{
    # All wait, each for another queue.
    $node->poll_query_until('postgres', "SELECT count(*) = $waiters FROM pg_stat_activity WHERE application_name = 'waiter' AND wait_event_type = 'Extension'")
      or die 'they do not wait';
    full_is('queues');
    value("INSERT INTO ledger SELECT baton.send('queue ' || n, '1') FROM generate_series(1, $waiters) AS n");
    ok(poll_for(sub { value('SELECT count(*) FROM ledger') == value("SELECT (SELECT count(*) FROM effect) + $queues") }, 30), "round $round: every waiter is served");
}
pgbench_ok($wait, 'and ends');
account_is($node, 'postgres', 'many waiters');

# --- prepared transactions that touched more than the list has room for ---
for my $n (1 .. 3)
{
    value("BEGIN; INSERT INTO ledger SELECT baton.send('queue ' || n, '1') FROM generate_series(1, $queues) AS n WHERE n % 3 = $n - 1; PREPARE TRANSACTION 'many $n'");
}
my $one_each = "SELECT coalesce(sum((SELECT count(*) FROM baton.receive('queue ' || n, 10))), 0) FROM generate_series(1, $queues) AS n";
is(value($one_each), '0', 'what is prepared is not received');
value("COMMIT PREPARED 'many 1'");
value("ROLLBACK PREPARED 'many 2'");
value("COMMIT PREPARED 'many 3'");
# Where nobody tells the map, it looks again after a minute.
is(value("SET baton.clock_shift = 61; $one_each"), 2 * $queues / 3, 'what was committed is, within a minute');
drain($node, 'postgres', map { "queue $_" } 1 .. $queues);
account_is($node, 'postgres', 'many prepared transactions');

# --- more blocks than the map has words for: one row a page ---
my ($rows, $chunks) = (24000, 24000 / 64);
value(<<"SQL");
DELETE FROM ledger WHERE id IN (SELECT id FROM baton.dead_letters); -- they go with their queues
SELECT baton.drop_queue('queue ' || n, true) FROM generate_series(1, $queues) AS n;
SELECT baton.create_queue('queue 1'), baton.create_queue('queue 2');
INSERT INTO ledger SELECT unnest(baton.send_batch('queue 1', array_fill(to_jsonb(repeat('x', 7000)), ARRAY[1000]))) FROM generate_series(1, $rows / 1000);
SQL
cmp_ok(value(q{SELECT sum(pg_relation_size(c.oid)) / 8192 / 64 FROM pg_class AS c, baton.queues AS q WHERE q.queue = 'queue 1' AND c.relname ~ ('^q' || q.queue_id || '_')}),
    '>', 350, "a backlog of $chunks chunks");
is(value("SELECT count(*) FROM baton.receive('queue 1', $rows, '1 ms')"), $rows, 'all of it is received');
full_is('pages');
my $consumer = <<'SQL';
\set fate random(1, 10)
\set which random(1, 2)
SELECT count(*) AS n, coalesce(array_agg(m.id), '{}') AS ids, coalesce(array_agg(m.receipt), '{}') AS receipts
    FROM baton.receive('queue ' || :which, 200, wait => '10 ms') AS m \gset
\if :n > 0
\if :fate <= 8
BEGIN;
INSERT INTO effect (id) SELECT unnest(:ids::uuid[]);
SELECT baton.ack_batch(:receipts);
COMMIT;
\elif :fate = 9
BEGIN;
INSERT INTO effect (id) SELECT unnest(:ids::uuid[]);
SELECT baton.ack_batch(:receipts);
ROLLBACK;
SELECT baton.release_batch(:receipts);
\else
SELECT baton.nack_batch(:receipts, delays => array_fill('1 ms'::interval, ARRAY[:n::int]));
\endif
\endif
SQL
my $producer = q{INSERT INTO ledger SELECT unnest(baton.send_batch('queue 2', array_fill('{"some": "thing"}'::jsonb, ARRAY[20])));};
my @load = (
    start_load($node, 'postgres', 'consumer', $consumer, clients => 3, transactions => 40),
    start_load($node, 'postgres', 'producer', $producer, clients => 2, transactions => 50));
pgbench_ok($_, "$_->{name} with a full map") for @load;
my $left = account_is($node, 'postgres', 'with a full map');
ok($left->{effect} > 0 && $left->{queue} > 0, 'there is work done and work left');
drain($node, 'postgres', 'queue 1', 'queue 2');
$left = account_is($node, 'postgres', 'after a full map');
is($left->{queue}, 0, 'all are consumed');
findings_ok($node, 'postgres', 'after a full map');
unlike(slurp_file($node->logfile), qr/out of shared memory|PANIC|TRAP|XX000/, 'nobody complained');
$node->stop;
done_testing();
