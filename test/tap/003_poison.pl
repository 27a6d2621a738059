# A message whose consumer takes the whole server down, every time, is counted every time and ends in the dead letters.
# Leases are in no transaction, so nothing but baton.flush_leases makes them outlive the server; the last part shows that.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The WAL writer must not do by chance what is to be tested.
my $node = new_node('poison', conf => <<'CONF');
wal_writer_delay = '10s'
bgwriter_delay = '10s'
autovacuum = off
CONF
make_account($node, 'postgres');
$node->safe_psql('postgres', <<'SQL');
SELECT baton.create_queue('work', '{"max_attempts": 3, "visibility_timeout": "1 ms"}');
-- Kills the own session as a crash in it would.
CREATE PROCEDURE crash() LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('COPY (SELECT 1) TO PROGRAM %L', 'kill -SEGV ' || pg_backend_pid());
    PERFORM pg_sleep(60);
END $$;
SQL

# Receives, and crashes if it got something. Returns the attempt, or nothing.
sub consume
{
    my ($begin) = @_;
    my $log = -s $node->logfile;
    my ($status, $out, $err) = $node->psql('postgres', <<"SQL");
$begin
SELECT coalesce(max(attempt), 0) AS attempt, count(*) > 0 AS is_received FROM baton.receive('work') \\gset
\\if :is_received
\\echo :attempt
CALL crash();
\\endif
SQL
    return '' if $status == 0;
    wait_for_restart($node, $log);
    return $out;
}

for my $begin ('', 'BEGIN;')
{
    my $how = $begin eq '' ? 'receive by itself' : 'receive in the transaction of the effect';
    my $id = $node->safe_psql('postgres', q{INSERT INTO ledger SELECT baton.send('work', '{}') RETURNING id});
    my @attempts;
    while (1)
    {
        my $attempt = consume($begin);
        last if $attempt eq '' || @attempts > 9;
        push @attempts, $attempt;
    }
    # The first life of the server was a clean one, and a message younger than the server's start is not flushed for.
    cmp_ok(scalar @attempts, '<=', 4, "$how: it stops in time") or diag "attempts: @attempts";
    is($attempts[-1], '3', "$how: after as many attempts as it may have");
    # To bury takes a transaction that commits; the one above may still be rolling back.
    $node->poll_query_until('postgres',
        q{SELECT count(*) FROM baton.receive('work'); SELECT count(*) FROM baton.peek('work')}, "0\n0");
    is( $node->safe_psql('postgres', "SELECT id, attempts, reason FROM baton.dead_letters WHERE id = '$id'"),
        "$id|3|lease_expired", "$how: it is a dead letter");
}
account_is($node, 'postgres', 'in the end');
findings_ok($node, 'postgres', 'in the end');

# The server works on: a good message behind a bad one is delivered.
$node->safe_psql('postgres', q{INSERT INTO ledger SELECT baton.send('work', '{}')});
drain($node, 'postgres', 'work');
account_is($node, 'postgres', 'a message after all that');

# Without flushing the same message would take the server down for ever.
$node->append_conf('postgresql.conf', "baton.flush_leases = off\n");
$node->reload;
$node->safe_psql('postgres', q{SELECT baton.send('work', '{}'); CHECKPOINT});
my @attempts = map { consume('') } 1 .. 3;
is("@attempts", '1 1 1', 'with flush_leases = off attempts are lost with the server');
$node->stop;
done_testing();
