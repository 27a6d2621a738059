# A standby has every message and every lease, refuses to change them, and takes over when it is promoted.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = new_node('primary', init => { allows_streaming => 1 }, conf => "baton.segment_size = '64kB'\nbaton.turnover_interval = '10ms'\n");
make_account($primary, 'postgres');
$primary->safe_psql('postgres', <<'SQL');
SELECT baton.create_queue(q, '{"max_attempts": 3, "visibility_timeout": "1 h"}') FROM unnest(ARRAY['work', 'busy', 'events']) AS q;
SELECT baton.subscribe('#', 'events'), baton.create_queue('held'), baton.pause_queue('held', 'until after the promotion');
INSERT INTO ledger SELECT baton.send('held', '{"kind": "held"}');
INSERT INTO ledger SELECT baton.send('work', '{"kind": "before the backup"}');
SQL
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

sub caught_up { $primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert')); return; }

sub receive_one
{
    my ($node, $kind, $lease) = @_;
    $node->safe_psql('postgres', "INSERT INTO ledger SELECT baton.send('work', '{\"kind\": \"$kind\"}')");
    my ($receipt, $got) = split /\|/,
      $node->safe_psql('postgres', "SELECT receipt, payload->>'kind' FROM baton.receive('work', 1, '$lease')");
    $got eq $kind or die "received '$got' instead of '$kind'";
    return $receipt;
}

# --- load, with segments coming and going; every state of a message ---
my $script = <<'SQL';
INSERT INTO ledger SELECT unnest(baton.send_batch('busy', array_fill('{"kind": "load"}'::jsonb, ARRAY[20])));
INSERT INTO ledger SELECT baton.publish('a', '{"kind": "event"}');
SELECT coalesce(array_agg(m.id), '{}') AS ids, coalesce(array_agg(m.receipt), '{}') AS receipts FROM baton.receive('busy', 25) AS m \gset
BEGIN;
INSERT INTO effect (id) SELECT unnest(:ids::uuid[]);
SELECT baton.ack_batch(:receipts);
COMMIT;
SQL
pgbench_ok(start_load($primary, 'postgres', 'load', $script, clients => 4, seconds => 3), 'load on the primary');
drain($primary, 'postgres', 'work');
my $kept = receive_one($primary, 'lease kept', '1 h');
my $again = receive_one($primary, 'lease lost', '1 h');
my $to_nack = receive_one($primary, 'to be nacked', '1 h');
my $in_use = receive_one($primary, 'acked in an open transaction', '1 h');
receive_one($primary, 'dead', '1 h') =~ /(.*)/;
$primary->safe_psql('postgres', "SELECT baton.nack('$1', 'no good', 'permanent')");
$primary->safe_psql('postgres', <<'SQL');
INSERT INTO ledger SELECT baton.send('work', '{"kind": "delayed"}', delay => '2 h');
INSERT INTO ledger SELECT baton.send('work', '{"kind": "delayed for long"}', delay => '10 days');
INSERT INTO ledger SELECT baton.send('work', '{"kind": "ready"}');
SQL
$primary->poll_query_until('postgres', 'SELECT count(*) = 0 FROM baton.outbox') or die 'not relayed';
my $busy = $primary->background_psql('postgres');
$busy->query_safe("BEGIN; SELECT baton.ack('$in_use')");
caught_up();

# --- what the standby shows ---
my %views = (
    messages => q{SELECT q.queue, p.* FROM baton.queues AS q, LATERAL baton.peek(q.queue, 1000000) AS p ORDER BY q.queue, p.id},
    queues => 'SELECT * FROM baton.queues ORDER BY queue_id',
    subscriptions => 'SELECT * FROM baton.subscriptions',
    dead_letters => 'SELECT * FROM baton.dead_letters ORDER BY letter_id',
    outbox => 'SELECT * FROM baton.outbox');
for my $view (sort keys %views)
{
    my ($here, $there) = map { $_->safe_psql('postgres', $views{$view}) } $primary, $standby;
    is($there, $here, "$view are the same on the standby");
    isnt($here, '', "$view: and there are some") unless $view eq 'outbox';
}
is(sqlstate($standby, 'postgres', 'SELECT * FROM baton.workers'), '00000', 'the view of workers works there');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type ~ 'baton'}),
    '0', 'but there are none');

my %refused = (
    send => q{SELECT baton.send('work', '{}')},
    send_batch => q{SELECT baton.send_batch('work', ARRAY['{}'::jsonb])},
    publish => q{SELECT baton.publish('a', '{}')},
    publish_batch => q{SELECT baton.publish_batch(ARRAY['a'], ARRAY['{}'::jsonb])},
    outbox => q{INSERT INTO baton.outbox (topic, payload) VALUES ('a', '{}')},
    receive => q{SELECT baton.receive('work')},
    'receive that waits' => q{SELECT baton.receive('work', wait => '1 min')},
    wait => q{CALL baton.wait('work', '1 min')},
    ack => "SELECT baton.ack('$kept')",
    ack_batch => "SELECT baton.ack_batch(ARRAY['$kept'::baton.receipt])",
    try_ack_batch => "SELECT baton.try_ack_batch(ARRAY['$kept'::baton.receipt])",
    nack => "SELECT baton.nack('$kept')",
    try_nack => "SELECT baton.try_nack('$kept')",
    release => "SELECT baton.release('$kept')",
    extend => "SELECT baton.extend('$kept')",
    redrive => q{SELECT baton.redrive('work', ARRAY[(SELECT id FROM baton.dead_letters)])},
    purge_queue => q{SELECT baton.purge_queue('work')},
    create_queue => q{SELECT baton.create_queue('new')},
    pause_queue => q{SELECT baton.pause_queue('work')},
    resume_queue => q{SELECT baton.resume_queue('held')},
    alter_queue => q{SELECT baton.alter_queue('work', '{"max_attempts": 9}')},
    drop_queue => q{SELECT baton.drop_queue('work', force => true)},
    subscribe => q{SELECT baton.subscribe('b', 'work')},
    unsubscribe => q{SELECT baton.unsubscribe('#', 'events')},
    first_delivery => q{SELECT baton.first_delivery('me', gen_random_uuid())},
    first_delivery_batch => q{SELECT baton.first_delivery_batch('me', ARRAY[gen_random_uuid()])});
is(sqlstate($standby, 'postgres', $refused{$_}), '25006', "$_ is refused on a standby") for sort keys %refused;

# --- a standby that crashes replays what it had not yet ---
$standby->stop('immediate');
$standby->start;
caught_up();
is($standby->safe_psql('postgres', $views{messages}), $primary->safe_psql('postgres', $views{messages}),
    'the same after a crash of the standby');

# --- takeover, with leases in flight and under load ---
my $load = start_load($primary, 'postgres', 'late', $script, clients => 4, seconds => 60);
my $sent = $standby->safe_psql('postgres', 'SELECT count(*) FROM ledger');
$standby->poll_query_until('postgres', "SELECT count(*) > $sent + 2000 FROM ledger") or die 'no load';
$primary->stop('immediate');
finish_load($load);
eval { $busy->quit };
$standby->promote;
$standby->safe_psql('postgres', "INSERT INTO effect SELECT id FROM baton.peek('work', 1000) WHERE payload->>'kind' = 'lease kept'; SELECT baton.ack('$kept')");
pass('a receipt of the old primary is good on the new one');
is($standby->safe_psql('postgres', "SELECT baton.nack('$to_nack', 'later', delay => '1 h')"), 'retry', 'also for a nack');
is($standby->safe_psql('postgres', "SELECT baton.extend('$in_use', '1 h') > now()"), 't',
    'also where an open transaction of the old primary had acked it');
is( $standby->safe_psql('postgres', q{SELECT payload->>'kind', attempt FROM baton.receive('work', 10, '1 h')}),
    'ready|1', 'leases hold: only what was ready is handed out');
my $got = $standby->safe_psql('postgres', <<'SQL');
SET baton.clock_shift = 5400;
SELECT payload->>'kind', attempt FROM baton.receive('work', 10, '1 ms') AS m ORDER BY 1;
SQL
like($got, qr/^lease lost\|2$/m, 'a lease that ran out is handed out again, and the attempt of the old primary counted');
my ($state, $error) = sqlstate($standby, 'postgres', "SELECT baton.ack('$again')");
is($state, 'BT001', 'then the old receipt is worth nothing');
like($error, qr/leased again/, 'and it says why');

is($standby->safe_psql('postgres', q{SELECT payload FROM baton.receive('held')}), '', 'a queue that was paused still is');
is($standby->safe_psql('postgres', q{SELECT baton.resume_queue('held')}), 't', 'and can be resumed');

# --- the new primary works in full ---
$standby->safe_psql('postgres', <<'SQL');
INSERT INTO ledger SELECT baton.send('work', '{"kind": "new"}');
INSERT INTO ledger SELECT baton.publish('a', '{"kind": "new event"}');
SQL
worker_pid($standby, 'postgres');
$standby->poll_query_until('postgres', 'SELECT count(*) = 0 FROM baton.outbox') or die 'not relayed';
pass('its worker relays');
shift_clock($standby, 11 * 86400);
drain($standby, 'postgres', 'work', 'busy', 'events', 'held');
my $count = account_is($standby, 'postgres', 'after the takeover');
is("$count->{queue} $count->{dead}", '0 1', 'all are consumed but the dead letter');
findings_ok($standby, 'postgres', 'after the takeover');
unlike(slurp_file($standby->logfile), qr/PANIC|was terminated by signal|TRAP|incorrect resource manager/, 'replay met no trouble');
$standby->stop;
done_testing();
