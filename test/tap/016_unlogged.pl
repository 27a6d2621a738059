# An unlogged queue: a clean restart keeps it, a crash and a promotion empty it and nothing else. What was lost is counted,
# receipts from before are worth nothing, and the queue works on at once. HA-01
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('unlogged', init => { allows_streaming => 1 }, conf => "baton.turnover_interval = '10ms'\nautovacuum = off\n");
make_account($node, 'postgres');
$node->safe_psql('postgres', <<'SQL');
SELECT baton.create_queue('fast', '{"unlogged": true, "visibility_timeout": "1 h"}'), baton.create_queue('safe', '{"visibility_timeout": "1 h"}');
SELECT baton.subscribe('#', 'fast'), baton.subscribe('#', 'safe');
CREATE TABLE kept (receipt baton.receipt, life int);
SQL

sub value { my ($sql, $on) = @_; return ($on // $node)->safe_psql('postgres', $sql); }
sub peeked { my ($queue, $on) = @_; return value("SELECT count(*) FROM baton.peek('$queue', 100000)", $on); }

sub send_many
{
    my ($queue, $count, $on) = @_;
    value("INSERT INTO ledger SELECT unnest(baton.send_batch('$queue', array_fill('{\"some\": \"thing of a certain length\"}'::jsonb, ARRAY[$count])))", $on);
    return;
}

sub counted
{
    my ($count, $on) = @_;
    ok(poll_for(sub { value(q{SELECT messages FROM baton.unlogged_queues WHERE queue = 'fast'}, $on) eq $count }, 60), "$count are counted")
      or diag value('SELECT * FROM baton.unlogged_queues', $on);
    return;
}

sub lost_is
{
    my ($count, $on) = @_;
    my $last;
    ok(poll_for(sub { ($last = value('SELECT lost FROM baton.unlogged_queues', $on)) eq $count }, 60), "$count were lost") or diag $last;
    return;
}

my $tables = q{SELECT string_agg(DISTINCT c.relpersistence::text, '') FROM pg_class AS c, baton.queues AS q
    WHERE q.queue = 'QUEUE' AND c.relname ~ ('^q' || q.queue_id || '_\d+$')};
is(value($tables =~ s/QUEUE/fast/r), 'u', 'its tables are unlogged');
is(value($tables =~ s/QUEUE/safe/r), 'p', 'those of others are not');
is(value('SELECT queue, lost, lost_at IS NULL FROM baton.unlogged_queues'), 'fast|0|t', 'and it is shown as such');

# --- what it is for: no WAL ---
value(q{SELECT baton.create_queue('cheap', '{"unlogged": true}')});
sub wal_of
{
    my ($queue) = @_;
    my $payload = q{jsonb_build_object('text', repeat(md5('x'), 30))};
    my $before = $node->lsn('insert');
    value("SELECT baton.send_batch('$queue', array_fill($payload, ARRAY[500])); SELECT count(baton.ack(receipt)) FROM baton.receive('$queue', 500)");
    return value("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '$before')");
}
my ($fast, $safe) = map { wal_of($_) } 'cheap', 'safe';
cmp_ok($fast * 4, '<', $safe, 'send, receive and ack write no rows to the WAL');
value(q{SELECT baton.drop_queue('cheap')});

# --- a clean restart keeps all ---
send_many('safe', 10);
send_many('fast', 700);
value(<<'SQL');
INSERT INTO ledger SELECT baton.send('fast', jsonb_build_object('text', (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 1000) AS n)));
INSERT INTO ledger SELECT baton.send('fast', '{"kind": "delayed for long"}', delay => '10 days');
INSERT INTO ledger SELECT baton.send('fast', '{"kind": "delayed"}', delay => '20 s');
INSERT INTO kept SELECT receipt, 1 FROM baton.receive('fast', 100);
WITH k AS (DELETE FROM kept WHERE ctid = (SELECT min(ctid) FROM kept) RETURNING receipt) SELECT baton.nack(receipt, 'no good', 'permanent') FROM k;
SQL
counted(701);
my $count = peeked('fast');
$node->restart;
is(peeked('fast'), $count, 'a clean restart keeps all messages');
value(<<'SQL');
CREATE TABLE done AS WITH k AS (DELETE FROM kept WHERE ctid = (SELECT min(ctid) FROM kept) RETURNING receipt) SELECT receipt FROM k;
SQL
is(value('SELECT count(baton.extend(receipt)) FROM kept'), '98', 'and the leases');
is(value("SELECT count(baton.release(receipt)) FROM done"), '1', 'and the receipts');
is(value('SELECT lost FROM baton.unlogged_queues'), '0', 'nothing is lost');

# --- a dump has its messages, or not ---
my $file = PostgreSQL::Test::Utils::tempdir() . '/dump';
for my $how (qw(with without))
{
    $node->command_ok([ 'pg_dump', '-Fc', ($how eq 'without' ? '--no-unlogged-table-data' : ()), '-f', $file, $node->connstr('postgres') ], "dumped $how unlogged data");
    value("CREATE DATABASE copy_$how");
    $node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr("copy_$how"), $file ], "restored $how unlogged data");
    my $ask = sub { return $node->safe_psql("copy_$how", $_[0]); };
    is($ask->(q{SELECT count(*), count(*) FILTER (WHERE payload->>'kind' = 'delayed for long') FROM baton.peek('fast', 10000)}),
        ($how eq 'with' ? $count : 1) . '|1', "the copy $how");
    is($ask->($tables =~ s/QUEUE/fast/r), 'u', 'is unlogged too');
    is($ask->(q{SELECT baton.purge_queue('fast', true)}), ($how eq 'with' ? $count : 1), 'and can be purged');
    is($ask->(q{SELECT baton.send('fast', '"new"') IS NOT NULL; SELECT payload, baton.ack(receipt) FROM baton.receive('fast')}), "t\n\"new\"|", 'and works');
    is($ask->('SELECT lost FROM baton.unlogged_queues'), '0', 'and has lost nothing itself');
    findings_ok($node, "copy_$how", "the copy $how");
    value("DROP DATABASE copy_$how");
}

# --- a crash empties it, and nothing else ---
counted(701);
value(<<'SQL');
BEGIN;
SELECT baton.send('fast', '{"kind": "prepared"}');
SELECT baton.ack(receipt) FROM kept LIMIT 1;
PREPARE TRANSACTION 'both';
SQL
$node->stop('immediate');
$node->start;
is(value(q{SELECT payload->>'kind', state FROM baton.peek('fast', 10000)}), 'delayed for long|delayed', 'a crash leaves what is delayed for long');
is(value(q{SELECT queue, reason, error FROM baton.dead_letters}), 'fast|permanent|no good', 'and the dead letters');
is(peeked('safe'), '10', 'and other queues');
is(value("SELECT count(*) FROM baton.receive('fast', 1000)"), '0', 'there is nothing to receive');
is(sqlstate($node, 'postgres', "COMMIT PREPARED 'both'"), '00000', 'a prepared transaction that used it ends');
is(value("SELECT count(*) FROM baton.receive('fast', 1000)"), '0', 'without its message');
lost_is(701);
is(value(q{SELECT lost_at > pg_postmaster_start_time() FROM baton.unlogged_queues}), 't', 'and when');
# The places come again, with new messages in them. No receipt from before fits.
value(<<'SQL');
DELETE FROM ledger WHERE id NOT IN (SELECT id FROM baton.dead_letters UNION ALL SELECT id FROM baton.peek('fast') UNION ALL SELECT id FROM baton.peek('safe'));
CREATE FUNCTION state_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
-- Where a receipt leads, and which lease of the row it is.
CREATE VIEW handle AS SELECT substring(baton.receipt_send(receipt) FROM 3 FOR 14) AS place, substring(baton.receipt_send(receipt) FROM 17 FOR 4) AS token, life FROM kept;
SQL
my $refused = q{SELECT f, array_agg(DISTINCT state_of(format('SELECT baton.%s(%L)', f, receipt)))
    FROM unnest('{ack,extend,nack,release}'::text[]) AS f, kept WHERE life = 1 GROUP BY 1 ORDER BY 1};
my $all_refused = join "\n", map { "$_|{BT001}" } qw(ack extend nack release);
is(value($refused), $all_refused, 'receipts from before the crash are refused');
send_many('fast', 700);
is(value($refused), $all_refused, 'also with new messages in the same places');
value(q{INSERT INTO kept SELECT receipt, 2 FROM baton.receive('fast', 700)});
is(value($refused), $all_refused, 'also while they are leased');
is(value('SELECT count(*) > 50, count(*) FILTER (WHERE a.token = b.token) FROM handle AS a JOIN handle AS b USING (place) WHERE a.life = 1 AND b.life = 2'),
    't|0', 'though the places are the same: no token comes again');
is(value('SELECT count(baton.extend(receipt)) FROM kept WHERE life = 2'), '700', 'and all new leases hold');
value('SELECT count(baton.release(receipt)) FROM kept WHERE life = 2');
drain($node, 'postgres', 'safe');
account_is($node, 'postgres', 'after the crash');

# --- crashes under load, with segments coming and going ---
$node->append_conf('postgresql.conf', "baton.segment_size = '64kB'");
$node->reload;
my $script = <<'SQL';
INSERT INTO ledger SELECT unnest(baton.send_batch('fast', array_fill('{"some": "thing"}'::jsonb, ARRAY[20])));
INSERT INTO ledger SELECT baton.publish('a', '{}');
SELECT coalesce(array_agg(m.id), '{}') AS ids, coalesce(array_agg(m.receipt), '{}') AS receipts FROM baton.receive('fast', 19) AS m \gset
BEGIN;
INSERT INTO effect (id) SELECT unnest(:ids::uuid[]);
SELECT baton.ack_batch(:receipts);
COMMIT;
SQL
my $twice = 'SELECT count(*) FROM (SELECT FROM effect GROUP BY id HAVING count(*) > 1) AS e';
for my $round (1 .. 2)
{
    my $sent = value('SELECT count(*) FROM ledger');
    my $load = start_load($node, 'postgres', "load$round", $script, clients => 3, seconds => 60);
    $node->poll_query_until('postgres', "SELECT count(*) > $sent + 1500 FROM ledger") or die 'no load';
    $node->poll_query_until('postgres', "SELECT messages > 0 FROM baton.unlogged_queues WHERE queue = 'fast'") or die 'not counted';
    my $lost = value('SELECT lost FROM baton.unlogged_queues');
    my $log = -s $node->logfile;
    if ($round == 1)
    {
        $node->stop('immediate');
        finish_load($load);
        $node->start;
    }
    else
    {
        kill 'KILL', (split /\n/, value("SELECT pid FROM pg_stat_activity WHERE application_name = 'load2'"))[0];
        finish_load($load);
        wait_for_restart($node, $log);
    }
    unlike($load->{err}, qr/BT\d\d\d|lease lost|XX000|PANIC|TRAP/, "round $round: no error of ours before the crash");
    $node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM baton.outbox') or die 'not relayed';
    is(value($twice), '0', "round $round: no effect twice");
    ok(poll_for(sub { value('SELECT lost FROM baton.unlogged_queues') > $lost }), "round $round: what was lost is counted");
    findings_ok($node, 'postgres', "round $round");
    value(q{DELETE FROM ledger WHERE id NOT IN (SELECT id FROM effect UNION ALL SELECT id FROM baton.dead_letters UNION ALL SELECT id FROM baton.peek('fast', 100000))});
    value(q{SELECT baton.purge_queue('safe')});
    send_many('fast', 300);
    is(value($refused), $all_refused, "round $round: the oldest receipts are refused");
}
is(value(q{SELECT baton.cancel('fast', id) FROM baton.peek('fast', 100000) WHERE payload->>'kind' = 'delayed for long'}), 't', 'what waited is still there');
value(q{DELETE FROM ledger WHERE id NOT IN (SELECT id FROM effect UNION ALL SELECT id FROM baton.dead_letters UNION ALL SELECT id FROM baton.peek('fast', 100000))});
drain($node, 'postgres', 'fast');
account_is($node, 'postgres', 'after crashes under load');

# --- a standby has none of its messages, and begins empty ---
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
send_many('fast', 100);
value(q{INSERT INTO ledger SELECT baton.send('fast', '{"kind": "delayed for long"}', delay => '10 days')});
value(q{DELETE FROM kept; INSERT INTO kept SELECT receipt, 1 FROM baton.receive('fast', 50)});
counted(100);
my $lost = value('SELECT lost FROM baton.unlogged_queues');
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
is(value(q{SELECT payload->>'kind' FROM baton.peek('fast', 10000)}, $standby), 'delayed for long', 'a standby shows what is delayed for long only');
is(value(q{SELECT count(*) FROM baton.leases('fast')}, $standby), '0', 'and no lease');
is(value(q{SELECT queue, messages, lost FROM baton.unlogged_queues}, $standby), "fast|100|$lost", 'and what the primary counted');
$node->stop('immediate');
$standby->promote;
is(value("SELECT count(*) FROM baton.receive('fast', 1000)", $standby), '0', 'a new primary begins empty');
send_many('fast', 100, $standby);
value(q{INSERT INTO kept SELECT receipt, 2 FROM baton.receive('fast', 100)}, $standby);
is(value($refused, $standby), $all_refused, 'receipts of the old primary are refused');
is(value('SELECT count(baton.extend(receipt)) FROM kept WHERE life = 2', $standby), '100', 'those of the new one hold');
lost_is($lost + 100, $standby);
counted(100, $standby);
value(q{DELETE FROM ledger WHERE id NOT IN (SELECT id FROM effect UNION ALL SELECT id FROM baton.dead_letters UNION ALL SELECT id FROM baton.peek('fast', 100000))}, $standby);
shift_clock($standby, 11 * 86400);
$standby->poll_query_until('postgres', q{SELECT count(*) = 0 FROM baton._later}) or die 'not moved';
drain($standby, 'postgres', 'fast');
account_is($standby, 'postgres', 'on the new primary');
findings_ok($standby, 'postgres', 'on the new primary');
unlike(slurp_file($_->logfile), qr/baton worker.*ERROR|ERROR:.*(?:could not|baton)|PANIC|TRAP|XX000/, 'no error in the log of ' . $_->name) for $node, $standby;
$standby->stop;
done_testing();
