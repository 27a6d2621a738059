# Messages and acks of prepared transactions: nothing shows before the second phase, everything does after it, also if
# the server was restarted or crashed in between. Nobody hears of COMMIT PREPARED, so receivers may take up to a minute.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('two_phase', conf => "max_prepared_transactions = 30\n");
make_account($node, 'postgres');
my @queues = qw(sent acked buried relayed beside);
my $queues = join ', ', map { "'$_'" } @queues;
$node->safe_psql('postgres', <<"SQL");
SELECT baton.create_queue(q, '{"max_attempts": 3, "visibility_timeout": "1 ms"}') FROM unnest(ARRAY[$queues]) AS q;
SELECT baton.subscribe('a', 'relayed');
SQL

# The very first event of a database, in a transaction that does not end, is in nobody's way.
$node->safe_psql('postgres', q{BEGIN; INSERT INTO ledger SELECT baton.publish('a', '{"kind": "first"}'); PREPARE TRANSACTION 'first'});
is( sqlstate($node, 'postgres', q{SET lock_timeout = '5 s'; INSERT INTO ledger SELECT baton.publish('a', '{"kind": "second"}')}),
    '00000', 'the first event of all, prepared, does not stop the second');
$node->safe_psql('postgres', q{COMMIT PREPARED 'first'});

# One of each kind, prepared under the names kind_outcome: to be committed, and to be rolled back.
sub prepare
{
    my ($when) = @_;
    for my $end (qw(commit rollback))
    {
        my $name = "${end}_$when";
        # What is rolled back was never sent, what keeps its message was.
        $node->safe_psql('postgres', <<"SQL");
INSERT INTO ledger SELECT baton.send('acked', '{"kind": "acked $name"}');
INSERT INTO ledger SELECT baton.send('buried', '{"kind": "buried $name"}');
BEGIN;
INSERT INTO ledger SELECT baton.send('sent', '{"kind": "sent $name"}');
INSERT INTO ledger SELECT baton.send('beside', '{"kind": "beside $name"}');
PREPARE TRANSACTION 'sent_$name';
BEGIN;
INSERT INTO ledger SELECT baton.publish('a', '{"kind": "relayed $name"}');
PREPARE TRANSACTION 'relayed_$name';
BEGIN;
INSERT INTO effect (id) SELECT id FROM baton.receive('acked', 1, '1 ms') AS m, baton.ack(m.receipt);
PREPARE TRANSACTION 'acked_$name';
BEGIN;
SELECT baton.nack(receipt, 'bad', 'permanent') FROM baton.receive('buried', 1, '1 ms');
PREPARE TRANSACTION 'buried_$name';
SQL
    }
    return;
}

# Receives look at the blocks while the outcome is open, in vain, and learn that there is nothing to do for now.
sub nothing_to_receive
{
    my ($what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is( $node->safe_psql('postgres', "SELECT string_agg(m.payload->>'kind', ', ') FROM unnest(ARRAY[$queues]) AS q, baton.receive(q, 10) AS m WHERE q <> 'relayed'"),
        '', "$what: nothing to receive");
    return;
}

sub finish
{
    my ($when) = @_;
    for my $kind (qw(sent relayed acked buried))
    {
        $node->safe_psql('postgres', "COMMIT PREPARED '${kind}_commit_$when'");
        $node->safe_psql('postgres', "ROLLBACK PREPARED '${kind}_rollback_$when'");
    }
    return;
}

prepare($_) for qw(crash restart session);
nothing_to_receive('prepared');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts'), '24', 'all are prepared');
# A message beside a prepared one is not held up.
$node->safe_psql('postgres', q{INSERT INTO ledger SELECT baton.send('sent', '{"kind": "not prepared"}')});
is( $node->safe_psql('postgres', q{WITH m AS (INSERT INTO effect (id) SELECT id FROM baton.receive('sent', wait => '30 s') AS m, baton.ack(m.receipt) RETURNING id) SELECT count(*) FROM m}),
    '1', 'a message beside prepared ones is received');

$node->stop('immediate');
$node->start;
nothing_to_receive('after a crash');
finish('crash');
$node->restart;
is( $node->safe_psql('postgres', q{SELECT string_agg(m.payload->>'kind', ', ') FROM unnest(ARRAY['sent', 'beside']) AS q, baton.peek(q) AS m}),
    'sent commit_crash, beside commit_crash', 'after a restart: of the prepared messages those committed so far are there');
finish('restart');
finish('session');

# By receive alone, with the clock as it is.
my %left;
for my $when (qw(crash restart session))
{
    $left{"$_ commit_$when"} = 1 for qw(sent beside relayed);
    $left{"$_ rollback_$when"} = 1 for qw(acked buried);
}
$left{first} = 1;
my $all = scalar keys %left;
my %unexpected;
poll_for(
    sub {
        my $got = $node->safe_psql('postgres', <<"SQL");
WITH m AS MATERIALIZED (
    SELECT m.* FROM unnest(ARRAY[$queues]) AS q, baton.receive(q, 10, '10 s') AS m
), e AS (
    INSERT INTO effect (id) SELECT m.id FROM m, baton.ack(m.receipt)
)
SELECT payload->>'kind' FROM m
SQL
        delete $left{$_} or $unexpected{$_} = 1 for grep { $_ ne 'second' } split /\n/, $got;
        return !%left;
    },
    75);
is(join(', ', sort keys %left), '', "all $all messages are received in time");
is(join(', ', sort keys %unexpected), '', 'and no other');
my $count = account_is($node, 'postgres', 'in the end');
is("$count->{dead} $count->{queue} $count->{outbox}", '3 0 0', 'three dead letters, and nothing left');
is( $node->safe_psql('postgres', q{SELECT string_agg(payload->>'kind', ', ' ORDER BY payload->>'kind') FROM baton.dead_letters}),
    'buried commit_crash, buried commit_restart, buried commit_session', 'namely those that were prepared and committed');
findings_ok($node, 'postgres', 'in the end');

# Queues too can be made and dropped in two phases.
$node->safe_psql('postgres', <<'SQL');
BEGIN;
SELECT baton.create_queue('new');
SELECT baton.drop_queue('beside');
PREPARE TRANSACTION 'queues';
SQL
is(sqlstate($node, 'postgres', q{SELECT baton.send('new', '{}')}), '42704', 'a prepared queue is not there yet');
$node->restart;
$node->safe_psql('postgres', q{COMMIT PREPARED 'queues'});
is( $node->safe_psql('postgres', q{SELECT baton.send('new', '{}'); SELECT count(*) FROM baton.receive('new')}) =~ s/.*\n//r,
    '1', 'then it is, and works');
is(sqlstate($node, 'postgres', q{SELECT baton.send('beside', '{}')}), '42704', 'and the other is gone');

# So can pauses and their ends.
$node->safe_psql('postgres', q{SELECT baton.create_queue('held', '{"visibility_timeout": "1 ms"}')});
$node->safe_psql('postgres', q{SELECT baton.send('held', '{}')});
my $get = q{SELECT count(*) FROM baton.receive('held', wait => '100 ms')};
$node->safe_psql('postgres', q{BEGIN; SELECT baton.pause_queue('held'); PREPARE TRANSACTION 'pause'});
is($node->safe_psql('postgres', $get), '1', 'a prepared pause holds nothing');
$node->safe_psql('postgres', q{COMMIT PREPARED 'pause'});
is($node->safe_psql('postgres', $get), '0', 'a committed one does');
$node->safe_psql('postgres', q{BEGIN; SELECT baton.resume_queue('held'); PREPARE TRANSACTION 'resume'});
is($node->safe_psql('postgres', $get), '0', 'and a prepared end does not end it');
$node->restart;
my $waiting = $node->background_psql('postgres');
$waiting->query_until(qr/begun/, "\\echo begun\nSELECT 'woken ' || count(*) FROM baton.receive('held', wait => '50 s');\n");
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE state = 'active' AND wait_event_type = 'Extension' AND backend_type = 'client backend'})
  or die 'nobody waits';
$node->safe_psql('postgres', q{COMMIT PREPARED 'resume'});
like($waiting->query_until(qr/woken/, ''), qr/woken 1/, 'until it is committed');
$waiting->quit;
findings_ok($node, 'postgres', 'after that');
$node->stop;
done_testing();
