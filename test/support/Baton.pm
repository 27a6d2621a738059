# What the TAP tests share: servers that preload baton, load on them, and the account of every message.
#
# A test keeps two tables of its own (make_account): ledger holds the id of every message, written in the
# transaction that sent it; effect holds a row for every effect, written in the transaction that acked, and has no
# unique constraint, so that a second effect would be seen. Every id of the ledger must then be in exactly one place:
# an effect, an open dead letter, a queue, or the outbox.
package Baton;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

our @EXPORT = qw(
  new_node add_baton make_account account_is drain
  findings_ok sqlstate poll_until poll_for worker_pid is_gone shift_clock
  start_load finish_load kill_load pgbench_ok session_pid seed wait_for_restart
);

# --- servers ---------------------------------------------------------------------------------------

# A running server that preloads baton. conf: further lines of postgresql.conf; init: arguments of initdb's wrapper;
# baton => 0 leaves the extension out of the database postgres; start => 0 leaves the server down.
sub new_node
{
    my ($name, %options) = @_;
    my $node = PostgreSQL::Test::Cluster->new($name);
    $node->init(%{ $options{init} // {} });
    $node->append_conf('postgresql.conf', <<"CONF");
shared_preload_libraries = 'baton'
log_statement = none
log_min_messages = log
max_connections = 40
max_worker_processes = 16
max_prepared_transactions = 10
restart_after_crash = on
timezone = 'UTC'
@{[ $options{conf} // '' ]}
CONF
    return $node if exists $options{start} && !$options{start};
    $node->start;
    add_baton($node, 'postgres') unless exists $options{baton} && !$options{baton};
    return $node;
}

sub add_baton
{
    my ($node, $db) = @_;
    $node->safe_psql($db, 'CREATE EXTENSION baton; CREATE EXTENSION amcheck;');
    return;
}

# The process of the database's worker once it runs; of the launcher without a database.
sub worker_pid
{
    my ($node, $db) = @_;
    my $which = defined $db ? "database = '$db'" : 'database IS NULL';
    my $pid;
    poll_until(
        'a worker for ' . ($db // 'the launcher'),
        sub {
            $pid = $node->safe_psql('postgres',
                "SELECT pid FROM baton.workers WHERE $which AND state = 'running' AND pid > 0");
            return $pid ne '';
        });
    return $pid;
}

my %shift_of; # by server

# Puts the clock of the whole server forward; workers start anew, for they may sleep until a time of the old clock.
sub shift_clock
{
    my ($node, $seconds) = @_;
    $shift_of{ $node->name } = $seconds;
    for my $worker (qw(off on))
    {
        $node->append_conf('postgresql.conf', "baton.clock_shift = $seconds\nbaton.worker = $worker\n");
        $node->reload;
        $node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'baton worker'")
          or die 'workers stay'
          if $worker eq 'off';
    }
    return;
}

sub is_gone { my ($pid) = @_; return !kill(0, $pid); }

# The server has restarted itself after a crash, as its log says after `offset`, and takes connections.
sub wait_for_restart
{
    my ($node, $offset) = @_;
    $node->wait_for_log(qr/all server processes terminated; reinitializing/, $offset);
    $node->poll_query_until('postgres', 'SELECT 1', '1') or die 'the server did not come back';
    return;
}

# --- small things ----------------------------------------------------------------------------------

# The seed of a test that draws lots: another one by BATON_SEED.
sub seed
{
    my $seed = $ENV{BATON_SEED} // 20;
    note "BATON_SEED=$seed";
    srand($seed);
    return $seed;
}

# Waits until the condition holds and says whether it did.
sub poll_for
{
    my ($condition, $seconds) = @_;
    my $until = time + ($seconds // $PostgreSQL::Test::Utils::timeout_default);
    until ($condition->())
    {
        return 0 if time > $until;
        sleep 0.05;
    }
    return 1;
}

# As poll_for; without the condition the test is over.
sub poll_until
{
    my ($what, $condition, $seconds) = @_;
    poll_for($condition, $seconds) or die "timed out waiting for $what";
    return;
}

# The SQLSTATE of the first error that the script meets, '00000' without one; in list context the messages too.
sub sqlstate
{
    my ($node, $db, $sql) = @_;
    my ($status, $out, $err) = $node->psql($db, "\\set VERBOSITY verbose\n$sql");
    my $state = $err =~ /(?:ERROR|FATAL|PANIC):\s+([0-9A-Z]{5}):/ ? $1 : $status == 0 ? '00000' : "psql $status: $err";
    return wantarray ? ($state, $err) : $state;
}

# The server process of a background session.
sub session_pid { my ($session) = @_; return $session->query_safe('SELECT pg_backend_pid()'); }

# --- load ------------------------------------------------------------------------------------------

# Starts pgbench with a script; its sessions are called by its name. Options: clients, seconds or transactions, rate, seed, mode.
sub start_load
{
    my ($node, $db, $name, $script, %options) = @_;
    my $file = PostgreSQL::Test::Utils::tempdir() . "/$name.sql";
    append_to_file($file, $script);
    my $clients = $options{clients} // 1;
    my @length = defined $options{transactions} ? ('-t', $options{transactions}) : ('-T', $options{seconds});
    my @rate = defined $options{rate} ? ('-R', $options{rate}) : ();
    my $load = { name => $name, out => '', err => '' };
    local $ENV{PGAPPNAME} = $name;
    $load->{run} = IPC::Run::start(
        [
            $node->installed_command('pgbench'), '-n', '-M', $options{mode} // 'prepared',
            '-c', $clients, '-j', 1, @length, @rate, '--random-seed=' . ($options{seed} // 1),
            '-f', $file, $node->connstr($db)
        ],
        '<', \undef, '>', \$load->{out}, '2>', \$load->{err});
    return $load;
}

# Waits for the end of the load. True if pgbench did all it was asked to.
sub finish_load
{
    my ($load) = @_;
    my $is_done = IPC::Run::finish($load->{run});
    note "$load->{name}: ", join '; ', grep { /processed|tps/ } split /\n/, $load->{out};
    return $is_done;
}

sub kill_load { my ($load) = @_; $load->{run}->kill_kill; return; }

sub pgbench_ok
{
    my ($load, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(finish_load($load), $what) or diag $load->{err};
    return;
}

# --- the account -----------------------------------------------------------------------------------

# The tables, and procedures that consume what is left.
sub make_account
{
    my ($node, $db) = @_;
    $node->safe_psql($db, <<'SQL');
CREATE TABLE ledger (id uuid NOT NULL);
CREATE TABLE effect (id uuid NOT NULL, by text DEFAULT current_setting('application_name'));
CREATE PROCEDURE drain(queue text) LANGUAGE plpgsql AS $$
DECLARE
    found uuid[];
    receipts baton.receipt[];
    idle int := 0;
    begun_at timestamptz := clock_timestamp();
BEGIN
    WHILE EXISTS (SELECT FROM baton.peek(queue, 1)) LOOP
        SELECT array_agg(m.id), array_agg(m.receipt) INTO found, receipts
            FROM baton.receive(queue, 1000, '1 h', wait => '1 s') AS m;
        IF found IS NULL THEN
            -- Such a call may have buried some.
            idle := idle + 1;
            IF idle > 1000 OR clock_timestamp() > begun_at + interval '2 min' THEN
                RAISE 'queue % holds messages that nobody can receive: %', queue,
                    (SELECT string_agg(p::text, E'\n') FROM baton.peek(queue, 3) AS p);
            END IF;
        ELSE
            INSERT INTO effect (id) SELECT unnest(found);
            PERFORM baton.ack_batch(receipts);
        END IF;
        COMMIT;
    END LOOP;
END $$;
SQL
    return;
}

# Consumes all that is in the queues, as of tomorrow: leases and delays are over then.
sub drain
{
    my ($node, $db, @queues) = @_;
    my $shift = 86400 + ($shift_of{ $node->name } // 0);
    $node->safe_psql($db, "SET baton.clock_shift = $shift; CALL drain('$_');") for @queues;
    return;
}

# Nobody else may be at work meanwhile. Returns how many ids each place has.
sub account_is
{
    my ($node, $db, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    $node->safe_psql($db, <<'SQL');
DROP TABLE IF EXISTS place;
CREATE TABLE place AS
    SELECT id, 'effect' AS kind FROM effect
    UNION ALL SELECT id, 'dead' FROM baton.dead_letters WHERE status = 'open'
    UNION ALL SELECT id, 'outbox' FROM baton.outbox
    UNION ALL SELECT p.id, 'queue' FROM baton.queues AS q, LATERAL baton.peek(q.queue, 2147483647) AS p;
SQL
    my %wrong = (
        'sent twice' => 'SELECT id FROM ledger GROUP BY id HAVING count(*) > 1',
        'lost' => 'SELECT id FROM ledger EXCEPT SELECT id FROM place',
        'never sent' => 'SELECT id FROM place EXCEPT SELECT id FROM ledger',
        'in two places' => q{SELECT id, string_agg(kind, ' ' ORDER BY kind) FROM place GROUP BY id HAVING count(*) > 1});
    my $wrong = join "\n", map {
        my ($n, $some) = split /\|/, $node->safe_psql($db,
            "SELECT count(*), string_agg(w::text, ' ') FILTER (WHERE row_number < 10)"
              . " FROM (SELECT x AS w, row_number() OVER () FROM ($wrong{$_}) AS x) AS y");
        $n > 0 ? ("$n $_: $some") : ();
    } sort keys %wrong;
    my %count = map { split /\|/ } split /\n/, $node->safe_psql($db, 'SELECT kind, count(*) FROM place GROUP BY 1');
    my $sent = $node->safe_psql($db, 'SELECT count(*) FROM ledger');
    $count{$_} //= 0 for qw(effect dead outbox queue);
    is($wrong, '',
        "$what: $sent sent = $count{effect} effects + $count{dead} dead + $count{queue} queued + $count{outbox} in the outbox"
    );
    return { %count, sent => $sent };
}

# --- what amcheck and the catalog say ----------------------------------------------------------------

my $faults_in_catalog = <<'SQL';
WITH seg AS (
    SELECT queue, slot, seq, format('q%s_%s', queue, slot) AS name FROM baton._segment
), tab AS (
    SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'baton'::regnamespace AND relkind = 'r'
)
SELECT 'segment without table: ' || name FROM seg WHERE name NOT IN (SELECT name FROM tab)
UNION ALL
SELECT 'table without segment: ' || name FROM tab WHERE name ~ '^q\d+_\d+$' AND name NOT IN (SELECT name FROM seg)
UNION ALL
SELECT 'queue without anchor: ' || id FROM baton._queue WHERE 'q' || id NOT IN (SELECT name FROM tab)
UNION ALL
SELECT 'anchor without queue: ' || name FROM tab
    WHERE name ~ '^q\d+$' AND name NOT IN (SELECT 'q' || id FROM baton._queue)
UNION ALL
SELECT 'queue without segment: ' || id FROM baton._queue
    WHERE id NOT IN (SELECT queue FROM baton._segment WHERE seq IS NOT NULL)
UNION ALL
SELECT 'segment without queue: ' || name FROM seg WHERE queue <> 0 AND queue NOT IN (SELECT id FROM baton._queue)
UNION ALL
SELECT 'place taken twice: ' || queue || ' ' || seq FROM seg WHERE seq IS NOT NULL
    GROUP BY queue, seq HAVING count(*) > 1
UNION ALL
SELECT 'spare with rows: ' || name FROM seg WHERE seq IS NULL AND (xpath('/row/n/text()',
    query_to_xml(format('SELECT count(*) AS n FROM baton.%I', name), false, true, '')))[1]::text::bigint > 0
SQL

# The answer to a query over all segments; asked again if the worker dropped one meanwhile.
sub ask_steadily
{
    my ($node, $db, $sql) = @_;
    for (1 .. 50)
    {
        my ($status, $out, $err) = $node->psql($db, $sql);
        return $out if $status == 0;
        die $err unless $err =~ /could not open relation|relation "[^"]*" does not exist|could not find/;
    }
    die 'segments come and go too fast';
}

# Every table of baton is sound to the server's own checks, and the catalog agrees with them.
sub findings_ok
{
    my ($node, $db, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($tables, $found) = split /\|/, ask_steadily($node, $db, <<'SQL');
SELECT count(DISTINCT c.oid), string_agg(c.relname || ' ' || v::text, E'\n')
FROM pg_class AS c LEFT JOIN LATERAL verify_heapam(c.oid) AS v ON true
WHERE c.relnamespace = 'baton'::regnamespace AND c.relkind = 'r'
SQL
    my $bad = ask_steadily($node, $db, $faults_in_catalog);
    my $indexes = ask_steadily($node, $db, <<'SQL');
SELECT count(bt_index_parent_check(c.oid, true)::text) FROM pg_class AS c
WHERE c.relnamespace = 'baton'::regnamespace AND c.relkind = 'i'
SQL
    is(($found // '') . $bad, '', "$what: nothing found in $tables tables and $indexes indexes");
    return;
}

1;
