# A message of 200 MB goes through outbox, relay, deliveries and a retry, one of 48 MB also through dead letters, redrive,
# dump and restore, and all of them stay whole. Their disk comes back. A receive of many large ones holds one of them in
# memory at a time.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('large', conf => <<'CONF');
shared_buffers = 256MB
work_mem = 1MB
max_wal_size = 8GB
full_page_writes = off
baton.segment_size = '64kB'
baton.turnover_interval = '10ms'
CONF
make_account($node, 'postgres');
my $mega = 1024 * 1024;
$node->safe_psql('postgres', <<'SQL');
SELECT baton.create_queue('large', '{"visibility_timeout": "1 h"}'), baton.subscribe('large.#', 'large');
-- Not compressible: what repeats is further apart than the server's compression looks back.
CREATE FUNCTION text_of(megabytes int) RETURNS text LANGUAGE sql AS $$
    SELECT repeat(string_agg(md5(n::text), ''), $1) FROM generate_series(1, 32768) AS n
$$;
CREATE TABLE sent (id uuid, size int, hash bigint);
CREATE PROCEDURE publish(megabytes int) LANGUAGE plpgsql AS $$
DECLARE
    content jsonb := jsonb_build_object('text', text_of(megabytes));
BEGIN
    INSERT INTO sent SELECT baton.publish('large.event', content), pg_column_size(content), jsonb_hash_extended(content, 0);
    INSERT INTO ledger SELECT id FROM sent ORDER BY size LIMIT 1;
END $$;
SQL
my $wait = "wait => '60 s'";
my $is_whole = 'jsonb_hash_extended(payload, 0) = (SELECT hash FROM sent WHERE sent.id = m.id) AS is_whole';

sub receive { my ($more) = @_; return "SELECT $is_whole, attempt, receipt FROM baton.receive('large', $wait) AS m \\gset\nSELECT :'is_whole', :'attempt', $more"; }

# --- one of 200 MB ---
$node->safe_psql('postgres', 'CALL publish(200)');
cmp_ok($node->safe_psql('postgres', 'SELECT size FROM sent'), '>', 200 * $mega, 'published');
is($node->safe_psql('postgres', receive(q{baton.extend(:'receipt', '2 h') > now() + interval '1 h', baton.nack(:'receipt', delay => '0')})),
    't|1|t|retry', '200 MB relayed, received, extended, given back');
is($node->safe_psql('postgres', receive(q{baton.ack(:'receipt')})), 't|2|', 'received again and acknowledged');
$node->safe_psql('postgres', q{INSERT INTO effect (id) SELECT id FROM ledger});

# --- one of 48 MB ---
$node->safe_psql('postgres', 'CALL publish(48)');
is($node->safe_psql('postgres', receive(q{baton.nack(:'receipt', 'no good', 'permanent')})), 't|1|dead', '48 MB buried');
is($node->safe_psql('postgres', "SELECT $is_whole FROM baton.dead_letters AS m"), 't', 'a whole dead letter');
my $file = PostgreSQL::Test::Utils::tempdir() . '/dump';
my $dump = sub { $node->command_ok([ 'pg_dump', '-Fc', '-Z0', '-f', $file, $node->connstr('postgres') ], $_[0]) };
is($node->safe_psql('postgres', q{SELECT baton.redrive('large', array_agg(id)) FROM baton.dead_letters}), '1', 'redriven');
$dump->('dumped as a dead letter and as a message');
is($node->safe_psql('postgres', receive(q{baton.ack(:'receipt')})), 't|1|', 'received whole in its new round');
$node->safe_psql('postgres', q{INSERT INTO effect (id) SELECT id FROM ledger EXCEPT SELECT id FROM effect});
$node->safe_psql('postgres', 'CREATE DATABASE copy');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('copy'), $file ], 'restored');
unlink $file;
is($node->safe_psql('copy', "SELECT $is_whole FROM baton.dead_letters AS m"), 't', 'a whole dead letter in the copy');
is($node->safe_psql('copy', receive(q{baton.ack(:'receipt')})), 't|1|', 'a whole message in the copy');
$node->safe_psql('postgres', 'DROP DATABASE copy');

# --- the disk comes back: the segments of outbox and queue get successors, and are emptied ---
my $size = q{SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = 'baton'::regnamespace AND relkind = 'r' AND relname ~ '^q\d+_\d+$'};
cmp_ok($node->safe_psql('postgres', $size), '>', 2 * $mega, 'there is disk to come back');
$node->safe_psql('postgres', <<'SQL');
INSERT INTO ledger SELECT unnest(baton.publish_batch(array_fill('large.small'::text, ARRAY[1000]), array_fill('{"some": "thing"}'::jsonb, ARRAY[1000])));
SQL
$node->poll_query_until('postgres', q{SELECT count(*) = 1000 FROM baton.peek('large', 2000)}) or die 'not relayed';
drain($node, 'postgres', 'large');
ok(poll_for(sub { $node->safe_psql('postgres', $size) < 2 * $mega }), 'the disk comes back') or diag $node->safe_psql('postgres', $size);
account_is($node, 'postgres', 'large and small ones');
findings_ok($node, 'postgres', 'large and small ones');

# --- many of 4 MB: 80 MB in one call ---
SKIP: {
    skip 'no /proc here', 4 unless -r '/proc/self/status';
    # What a process has touched of the shared buffers counts as its memory.
    $node->append_conf('postgresql.conf', 'shared_buffers = 16MB');
    $node->restart;
    $node->safe_psql('postgres', q{SELECT baton.send('large', jsonb_build_object('text', text_of(4), 'n', n)) FROM generate_series(1, 20) AS n});
    my $session = $node->background_psql('postgres');
    my $pid = session_pid($session);
    my $peak = sub { slurp_file("/proc/$pid/status") =~ /^VmHWM:\s+(\d+) kB/m or die; return $1 * 1024; };
    my $before = $peak->();
    is($session->query_safe(q{SELECT count(*), sum(pg_column_size(payload)) > 75 * 1024 * 1024 FROM baton.receive('large', 100, consumer => 'me')}), '20|t', 'all of them received in one call');
    # Shared buffers, and some copies of one message.
    cmp_ok($peak->() - $before, '<', 48 * $mega, 'and never all in memory') or diag $peak->() - $before;
    is($session->query_safe(q{SELECT baton.release_consumer('large', 'me')}), '20', 'given back');
    is($session->query_safe(q{SELECT count(*) FROM baton.pop('large', 100)}), '20', 'and consumed in one call');
    $session->quit;
}
$node->stop;
done_testing();
