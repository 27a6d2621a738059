# The server dies under load, again and again: no accepted message is lost, none takes effect twice, and no page is
# damaged. Every message is counted in the end.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = seed();
my $node = new_node('crash', conf => <<'CONF');
baton.segment_size = '256kB'
baton.turnover_interval = '10ms'
CONF
make_account($node, 'postgres');
$node->safe_psql('postgres', <<'SQL');
SELECT baton.create_queue(q, '{"max_attempts": 3, "backoff_base": "1 ms", "backoff_cap": "10 ms"}')
    FROM unnest(ARRAY['work', 'events']) AS q;
SELECT baton.subscribe('order.#', 'events');
-- Half of a percent of the payloads go out of line.
CREATE FUNCTION payload() RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('text',
        (SELECT string_agg(md5(random()::text), '') FROM generate_series(1, CASE WHEN random() < 0.005 THEN 500 ELSE 2 END)))
$$;
SQL

# Sends and publishes; one transaction of ten is taken back.
my $producer = <<'SQL';
\set kind random(1, 10)
\set end random(1, 10)
BEGIN;
\if :kind <= 6
INSERT INTO ledger SELECT baton.send('work', payload());
\elif :kind <= 8
INSERT INTO ledger SELECT unnest(baton.send_batch('work', ARRAY(SELECT payload() FROM generate_series(1, 20))));
\else
INSERT INTO ledger SELECT baton.publish('order.created', payload());
\endif
\if :end = 1
ROLLBACK;
\else
COMMIT;
\endif
SQL

# Receives by itself; then effect and ack in one transaction, or one of the ways to fail. Leases outlast the load.
my $consumer = <<'SQL';
\set fate random(1, 100)
\set size random(1, 10)
\set which random(1, 5)
\if :fate > 90
\set end random(1, 4)
BEGIN;
INSERT INTO effect (id) SELECT m.id FROM baton.pop('work', :size) AS m;
\if :end = 1
ROLLBACK;
\else
COMMIT;
\endif
\endif
SELECT count(*) AS n, coalesce(array_agg(m.id), '{}') AS ids, coalesce(array_agg(m.receipt), '{}') AS receipts
    FROM baton.receive(CASE WHEN :which::int = 1 THEN 'events' ELSE 'work' END, :size, '10 min', wait => '20 ms') AS m \gset
\if :n > 0
\if :fate <= 70
BEGIN;
INSERT INTO effect (id) SELECT unnest(:ids::uuid[]);
SELECT baton.ack_batch(:receipts);
COMMIT;
\elif :fate <= 78
BEGIN;
INSERT INTO effect (id) SELECT unnest(:ids::uuid[]);
SELECT baton.ack_batch(:receipts);
ROLLBACK;
SELECT baton.release(r) FROM unnest(:receipts::baton.receipt[]) AS r;
\elif :fate <= 84
SELECT baton.nack_batch(:receipts, delays => array_fill('0'::interval, ARRAY[:n::int]));
\elif :fate <= 90
SELECT baton.nack(r, 'poison', 'permanent') FROM unnest(:receipts::baton.receipt[]) AS r;
\elif :fate <= 95
BEGIN;
SAVEPOINT s;
INSERT INTO effect (id) SELECT unnest(:ids::uuid[]);
SELECT baton.ack_batch(:receipts);
ROLLBACK TO s;
SELECT baton.nack(r, 'failed inside', delay => '1 ms') FROM unnest(:receipts::baton.receipt[]) AS r;
COMMIT;
\else
BEGIN;
INSERT INTO effect (id) SELECT unnest(:ids::uuid[]);
ROLLBACK;
\endif
\endif
SQL

sub number { return $node->safe_psql('postgres', "SELECT count(*) FROM $_[0]"); }

# One life of the server: load, then death in the given way.
sub live_and_die
{
    my ($round, $how) = @_;
    my ($sent, $done) = (number('ledger'), number('effect'));
    my $log = -s $node->logfile;
    my @load = (
        start_load($node, 'postgres', "producer$round", $producer, clients => 3, seconds => 60, rate => 250,
            seed => $seed + $round),
        start_load($node, 'postgres', "consumer$round", $consumer, clients => 4, seconds => 60, seed => $seed + $round));
    # Somewhere in the work, not at a fixed time.
    my ($more, $done_more) = (500 + int rand 1500, 100 + int rand 400);
    poll_until('work', sub { number('ledger') >= $sent + $more && number('effect') >= $done + $done_more });
    if ($how eq 'immediate')
    {
        $node->stop('immediate');
        finish_load($_) for @load;
        $node->start;
    }
    else
    {
        my @pids = split /\n/,
          $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE $how ORDER BY pid");
        my $victim = $pids[ int rand @pids ];
        kill 'KILL', $victim or die "no process for $how";
        finish_load($_) for @load;
        wait_for_restart($node, $log);
    }
    unlike("$load[0]{err}$load[1]{err}", qr/BT\d\d\d|lease lost|XX000|PANIC|TRAP/, "round $round: no error of ours before the end");
    findings_ok($node, 'postgres', "round $round, $how");
    return;
}

my $round = 0;
live_and_die(++$round, $_)
  for 'immediate', q{application_name LIKE 'consumer%'}, 'immediate', q{backend_type = 'baton worker'},
  q{backend_type = 'checkpointer'}, 'immediate';

# Events are relayed before they are counted.
worker_pid($node, 'postgres');
$node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM baton.outbox') or die 'the outbox is not relayed';
my $before = account_is($node, 'postgres', 'as the last crash left it');
ok($before->{queue} > 0, 'there were messages left to account for');
drain($node, 'postgres', 'work', 'events');
my $after = account_is($node, 'postgres', 'drained');
is($after->{queue}, 0, 'nothing is left in the queues');
ok($after->{dead} > 0, 'poison is in the dead letters');
is( $node->safe_psql('postgres',
        q{SELECT count(*) FROM baton.dead_letters WHERE attempts > 3 OR (reason = 'permanent') <> (error = 'poison')}),
    '0', 'dead letters ended for their own reasons');
findings_ok($node, 'postgres', 'drained');
$node->stop;
done_testing();
