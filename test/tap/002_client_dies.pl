# A consumer dies in the middle of its work: its lease runs out and the message comes back, without any worker, with
# the attempt counted and the effect undone. Who never gets it done ends in the dead letters.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = new_node('client', conf => "baton.worker = off\n");
$node->safe_psql('postgres', q{SELECT baton.create_queue('work', '{"max_attempts": 4, "visibility_timeout": "1 s"}')});
make_account($node, 'postgres');
is( $node->safe_psql('postgres', 'SELECT count(*) FROM baton.workers WHERE database IS NOT NULL AND pid > 0'),
    '0', 'no worker runs');

sub send_one { return $node->safe_psql('postgres', q{INSERT INTO ledger SELECT baton.send('work', '{}') RETURNING id}); }

# A session that holds a message inside an open transaction, with its effect and, if asked for, its ack.
sub hold_message
{
    my ($with_ack) = @_;
    my $session = $node->background_psql('postgres', on_error_stop => 0);
    my $pid = session_pid($session);
    my ($attempt, $receipt) = split /\|/,
      $session->query_safe(q{BEGIN; SELECT attempt, receipt FROM baton.receive('work', 1, '1 s')});
    $session->query_safe(q{INSERT INTO effect SELECT id FROM ledger ORDER BY id DESC LIMIT 1});
    $session->query_safe("SELECT baton.ack('$receipt')") if $with_ack;
    return ($session, $pid, $attempt, $receipt);
}

# Waits in a receive until the message comes back, and acks it together with its effect.
sub finish_message
{
    my ($id, $attempt, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $start = time;
    my $got = $node->safe_psql('postgres', <<'SQL');
SELECT id, attempt FROM baton.receive('work', wait => '60 s');
SQL
    is($got, "$id|$attempt", "$what: the message comes back as attempt $attempt");
    ok(time - $start < 20, "$what: when its lease ends");
    return;
}

# 1 The client is killed; its server process does not even notice, for it sleeps inside the transaction.
my $id = send_one();
my ($session, $pid, $attempt, $receipt) = hold_message(0);
is($attempt, 1, 'first attempt');
$session->{stdin} .= "SELECT pg_sleep(1000);\n";
$session->{run}->pump_nb;
$node->poll_query_until('postgres', "SELECT query ~ 'pg_sleep' AND state = 'active' FROM pg_stat_activity WHERE pid = $pid")
  or die 'no sleeper';
$session->{run}->signal('KILL');
eval { $session->{run}->finish };
finish_message($id, 2, 'client killed');
is( $node->safe_psql('postgres', "SELECT state FROM pg_stat_activity WHERE pid = $pid"),
    'active', 'the orphan is still in its transaction');
is(sqlstate($node, 'postgres', "SELECT baton.ack('$receipt')"), 'BT001', 'its receipt is worth nothing any more');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 10000)");
is($node->safe_psql('postgres', q{SELECT attempts FROM baton.peek('work')}), '2', 'its end changes nothing');

# 2 The server process is ended, with the ack already written.
$node->safe_psql('postgres', q{SELECT baton.purge_queue('work', include_leased => true); TRUNCATE ledger});
$id = send_one();
($session, $pid, $attempt, $receipt) = hold_message(1);
is($node->safe_psql('postgres', q{SELECT count(*) FROM baton.receive('work')}), '0', 'while it is being acked nobody gets it');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 10000)");
eval { $session->quit };
finish_message($id, 2, 'backend terminated');
is($node->safe_psql('postgres', 'SELECT count(*) FROM effect'), '0', 'no effect stayed');

# 3 A consumer that is too late: the message was handed out again while it worked, so its effect rolls back.
$node->safe_psql('postgres', q{SELECT baton.purge_queue('work', include_leased => true); TRUNCATE ledger});
$id = send_one();
($session, $pid, $attempt, $receipt) = hold_message(0);
finish_message($id, 2, 'too slow');
$session->query("SELECT baton.ack('$receipt'); COMMIT;");
like($session->{stderr}, qr/lease lost.*leased again/s, 'the ack of the slow one is refused');
$session->{stderr} = '';
$session->quit;
is($node->safe_psql('postgres', 'SELECT count(*) FROM effect'), '0', 'and with it its effect');

# 4 A consumer that always rolls back, in a transaction that spans receive, effect and ack.
$node->safe_psql('postgres', q{SELECT baton.purge_queue('work', include_leased => true); TRUNCATE ledger});
$id = send_one();
my @attempts;
my $finds_exhausted = 0;
poll_until(
    'the last attempt',
    sub {
        my $got = $node->safe_psql('postgres', <<'SQL');
BEGIN;
CREATE TEMPORARY TABLE got ON COMMIT DROP AS SELECT * FROM baton.receive('work', 1, '1 ms', wait => '5 s');
INSERT INTO effect SELECT id FROM got;
SELECT attempt, baton.ack(receipt) FROM got;
ROLLBACK;
SQL
        push @attempts, $got =~ /^(\d+)/ if $got ne '';
        # What it cannot do either, for it always rolls back, is to bury.
        return $got eq '' && ++$finds_exhausted == 2;
    });
is($node->safe_psql('postgres', q{SELECT attempts FROM baton.peek('work')}), '4', 'it is still there, and exhausted');
# The next consumer does.
$node->poll_query_until('postgres', q{SELECT count(*) FROM baton.receive('work', wait => '1 s'); SELECT count(*) FROM baton.peek('work')}, "0\n0");
is("@attempts", '1 2 3 4', 'each attempt was counted');
is( $node->safe_psql('postgres', q{SELECT id, attempts, reason, status FROM baton.dead_letters}),
    "$id|4|lease_expired|open", 'then it is a dead letter');
is($node->safe_psql('postgres', q{SELECT count(*) FROM baton.peek('work')}), '0', 'and in the queue no more');
account_is($node, 'postgres', 'in the end');
findings_ok($node, 'postgres', 'in the end');
$node->stop;
done_testing();
