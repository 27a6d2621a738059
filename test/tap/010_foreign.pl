# What others do to the tables below a queue: logical replication of everything, rows that come by COPY, rewrites, and
# logical decoding. Nothing of it may stop a consumer or hide a message.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('foreign', init => { allows_streaming => 'logical' }, conf => "baton.segment_size = '64kB'\nbaton.turnover_interval = '10ms'\n");
make_account($node, 'postgres');
$node->safe_psql('postgres', <<'SQL');
SELECT baton.create_queue('work', '{"max_attempts": 3, "visibility_timeout": "1 h"}');
SELECT baton.create_queue('events'), baton.subscribe('#', 'events');
CREATE TABLE business (id int PRIMARY KEY);
CREATE PUBLICATION everything FOR ALL TABLES;
SELECT pg_create_logical_replication_slot('slot', 'test_decoding');
SQL

# Every way to settle a message, of a queue that is published.
sub settles_ok
{
    my ($what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($state, $error) = sqlstate($node, 'postgres', <<'SQL');
INSERT INTO ledger SELECT unnest(baton.send_batch('work', array_fill('{}'::jsonb, ARRAY[6])));
CREATE TEMPORARY TABLE got AS SELECT id, receipt, row_number() OVER () AS n FROM baton.receive('work', 6);
SELECT baton.extend(receipt), baton.release(receipt) FROM got WHERE n = 1;
SELECT baton.nack(receipt, 'later', delay => '0') FROM got WHERE n = 2;
SELECT baton.nack(receipt, 'bad', 'permanent') FROM got WHERE n = 3;
INSERT INTO effect (id) SELECT id FROM got WHERE n > 3;
SELECT baton.ack(receipt) FROM got WHERE n = 4;
SELECT baton.ack_batch(ARRAY(SELECT receipt FROM got WHERE n = 5));
SELECT baton.try_ack_batch(ARRAY(SELECT receipt FROM got WHERE n = 6));
SQL
    is($state, '00000', "$what: messages can be sent, received and settled") or diag $error;
    drain($node, 'postgres', 'work');
    return;
}

settles_ok('published');
$node->safe_psql('postgres', q{SELECT baton.publish('a', '{}'); INSERT INTO business VALUES (1)});
$node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM baton.outbox') or die 'not relayed';
is(sqlstate($node, 'postgres', q{SELECT baton.purge_queue('events')}), '00000', 'and purged');

# Decoding everything that happened fails nowhere.
my $decoded = $node->safe_psql('postgres', q{SELECT count(*) FROM pg_logical_slot_get_changes('slot', NULL, NULL) WHERE data ~ 'business'});
is($decoded, '1', 'all that happened can be decoded');

# A subscriber of everything: its copy of the server has the extension, the same queue, and gets the rows.
my $other = new_node('other', baton => 1);
$other->safe_psql('postgres', 'CREATE TABLE business (id int PRIMARY KEY); CREATE TABLE ledger (id uuid); CREATE TABLE effect (id uuid, by text)');
$other->safe_psql('postgres', q{SELECT baton.create_queue('work')});
my $connstr = $node->connstr('postgres');
$node->safe_psql('postgres', q{CREATE PUBLICATION piece FOR TABLE business, baton.q1_1});
is($node->safe_psql('postgres', q{SELECT id FROM baton._queue WHERE name = 'work'}), $other->safe_psql('postgres', q{SELECT id FROM baton._queue}),
    'the queue has the same table there');
$other->safe_psql('postgres', "CREATE SUBSCRIPTION sub CONNECTION \$\$$connstr\$\$ PUBLICATION piece WITH (copy_data = false)");
$node->wait_for_catchup('sub');
$node->safe_psql('postgres', q{INSERT INTO business VALUES (2)});
my $segment = $node->safe_psql('postgres', q{SELECT format('q%s_%s', queue, slot) FROM baton._segment WHERE queue = 1 ORDER BY seq DESC LIMIT 1});
SKIP: {
    skip 'the queue has gone on to another segment', 2 if $segment ne 'q1_1';
    $node->safe_psql('postgres', q{SELECT baton.send('work', '{"kind": "replicated"}')});
    $node->wait_for_catchup('sub');
    is($other->safe_psql('postgres', q{SELECT payload->>'kind' FROM baton.receive('work', wait => '10 s')}),
        'replicated', 'a row that logical replication brings is received, at once');
    is($node->safe_psql('postgres', q{SELECT count(baton.ack(receipt)) FROM baton.receive('work')}), '1', 'and here too, of course');
    $node->wait_for_catchup('sub');
}
$other->safe_psql('postgres', 'DROP SUBSCRIPTION sub');
$other->stop;

# --- COPY into a segment of a live queue ---
# A receiver has looked before, so the map says that there is nothing, and another one sleeps.
sub copy_rows
{
    my ($table, $kind, $count) = @_;
    my $rows = join '', map { "2026-01-01\t2026-01-01\t0190a000-0000-7000-8000-" . sprintf('%012d', $_) . "\t{\"kind\": \"$kind\"}\n" } 1 .. $count;
    $node->safe_psql('postgres', "COPY baton.$table (visible_at, enqueued_at, id, payload) FROM stdin;\n$rows\\.\n");
    return;
}
is($node->safe_psql('postgres', q{SELECT count(*) FROM baton.receive('work')}), '0', 'nothing to receive');
my $sleeper = $node->background_psql('postgres');
$sleeper->query_until(qr/sleeps/, "\\echo sleeps\nSELECT 'got ' || (payload->>'kind'), baton.ack(receipt) FROM baton.receive('work', wait => '50 s');\n\\echo done\n");
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE 'SELECT ''got %' AND state = 'active' AND wait_event IS NOT NULL})
  or die 'nobody sleeps';
my $start = time;
copy_rows($segment, 'copied', 3);
like($sleeper->query_until(qr/done/, ''), qr/got copied/, 'COPY into a segment wakes a receiver');
cmp_ok(time - $start, '<', 20, 'long before its time is over');
$sleeper->quit;
is( $node->safe_psql('postgres', q{SELECT count(*), min(attempt) FROM (SELECT attempt, baton.ack(receipt) FROM baton.receive('work', 10)) AS x}),
    '2|1', 'and the others are received as well');

# --- rewrites by hand, of all segments ---
$node->safe_psql('postgres', q{SELECT baton.send_batch('work', array_fill('{"kind": "moved"}'::jsonb, ARRAY[50]))});
my $receipt = $node->safe_psql('postgres', q{SELECT receipt FROM baton.receive('work')});
my $segments = q{SELECT format('baton.q%s_%s', queue, slot) FROM baton._segment WHERE queue = 1};
for my $rewrite ('VACUUM', 'VACUUM FREEZE', 'VACUUM FULL')
{
    $node->safe_psql('postgres', "$rewrite $_") for split /\n/, $node->safe_psql('postgres', $segments);
    my $got = $node->safe_psql('postgres', q{SELECT count(*) FROM (SELECT baton.ack(receipt) FROM baton.receive('work', 10, wait => '10 s')) AS x});
    is($got, '10', "after $rewrite messages are received");
}
is(sqlstate($node, 'postgres', "SELECT baton.ack('$receipt')"), 'BT001', 'a receipt from before VACUUM FULL is unknown, not somebody else\'s');
is($node->safe_psql('postgres', q{SELECT count(*) FROM baton.peek('work', 100)}), '20', 'and its message is still there');
$node->safe_psql('postgres', q{SELECT baton.purge_queue('work', true)});

account_is($node, 'postgres', 'in the end');
findings_ok($node, 'postgres', 'in the end');
unlike(slurp_file($node->logfile), qr/PANIC|was terminated by signal|TRAP/, 'nothing crashed');
$node->stop;
done_testing();
