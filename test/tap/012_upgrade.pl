# pg_upgrade takes every message along with its state and its lease. (To the same major version here: what it does with
# tables, extension and library is the same.)
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $old = new_node('old');
make_account($old, 'postgres');
$old->safe_psql('postgres', <<'SQL');
SELECT baton.create_queue('gone'), baton.create_queue('work', '{"max_attempts": 3, "visibility_timeout": "1 h"}'), baton.create_queue('events');
SELECT baton.drop_queue('gone'), baton.subscribe('#', 'events');
INSERT INTO ledger SELECT unnest(baton.send_batch('work', array_fill('{"kind": "acked"}'::jsonb, ARRAY[1000])));
INSERT INTO effect (id) SELECT m.id FROM baton.receive('work', 1000) AS m, baton.ack(m.receipt);
INSERT INTO ledger SELECT baton.send('work', '{"kind": "leased"}');
CREATE TABLE kept AS SELECT id, receipt FROM baton.receive('work');
INSERT INTO ledger SELECT baton.send('work', '{"kind": "dead"}');
SELECT baton.nack(receipt, 'bad', 'permanent') FROM baton.receive('work');
INSERT INTO ledger SELECT baton.send('work', '{"kind": "delayed"}', delay => '10 min');
INSERT INTO ledger SELECT baton.send('work', '{"kind": "delayed for long"}', delay => '10 days');
INSERT INTO ledger SELECT baton.send('work',
    jsonb_build_object('kind', 'large', 'text', (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 1000) AS n)));
INSERT INTO ledger SELECT baton.publish('a', '{"kind": "event"}');
SQL
$old->poll_query_until('postgres', 'SELECT count(*) = 0 FROM baton.outbox') or die 'not relayed';
my $states = q{SELECT q.queue, p.* FROM baton.queues AS q, LATERAL baton.peek(q.queue, 1000) AS p ORDER BY q.queue, p.id};
my $letters = 'SELECT * FROM baton.dead_letters';
my $expected = $old->safe_psql('postgres', "$states; $letters");
# Data checksums, encoding and locale are as initdb chooses, twice the same.
$old->stop;

my $new = new_node('new', baton => 0);
$new->stop;
my $bin = $new->config_data('--bindir');
chdir PostgreSQL::Test::Utils::tempdir() or die;
command_ok(
    [
        'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir, '-b', $bin, '-B', $bin,
        '-s', $new->host, '-p', $old->port, '-P', $new->port
    ],
    'pg_upgrade');
$new->start;
is($new->safe_psql('postgres', "$states; $letters"), $expected, 'messages and dead letters as they were');
is($new->safe_psql('postgres', q{SELECT payload->>'kind' FROM baton.receive('work', 10)}), 'large', 'what was ready is handed out, and only that');
# Storage keeps its number, so even receipts go on.
is($new->safe_psql('postgres', q{INSERT INTO effect (id) SELECT k.id FROM kept AS k, baton.ack(k.receipt) RETURNING 'acked'}), 'acked', 'a lease from before is acked');
is($new->safe_psql('postgres', q{SELECT baton.create_queue('new')}), 't', 'a new queue has an id of its own');
$new->safe_psql('postgres', q{INSERT INTO ledger SELECT baton.send('new', '{}'); INSERT INTO ledger SELECT baton.publish('a', '{}')});
worker_pid($new, 'postgres');
$new->poll_query_until('postgres', 'SELECT count(*) = 0 FROM baton.outbox') or die 'not relayed';
shift_clock($new, 11 * 86400);
drain($new, 'postgres', 'work', 'events', 'new');
my $count = account_is($new, 'postgres', 'after the upgrade');
is("$count->{dead} $count->{queue}", '1 0', 'all is consumed but the dead letter');
findings_ok($new, 'postgres', 'after the upgrade');
unlike(slurp_file($new->logfile), qr/PANIC|was terminated by signal|TRAP/, 'nothing crashed');
$new->stop;
done_testing();
