# Leases so short that they are lost all the time: whoever acks late must be refused, whatever the moment. Every effect
# happens once, and every message comes to its end, while queues are altered and purged beside.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = seed();
my $seconds = $ENV{BATON_SECONDS} // 12;
my $node = new_node('stealing', conf => <<'CONF');
baton.segment_size = '128kB'
baton.turnover_interval = '10ms'
deadlock_timeout = '100ms'
CONF
make_account($node, 'postgres');
$node->safe_psql('postgres', <<'SQL');
SELECT baton.create_queue('work', '{"max_attempts": 1000000, "visibility_timeout": "1 ms"}');
SELECT baton.create_queue('other', '{"visibility_timeout": "1 h"}');
CREATE TABLE lost (count bigint);
CREATE TABLE handed_out (id uuid, attempt int);
CREATE TABLE acked (id uuid, attempt int);
-- Receives, takes its time, then effect and ack in the same transaction; a lost lease undoes the effect.
CREATE PROCEDURE consume(how int, size int) LANGUAGE plpgsql AS $$
DECLARE
    found uuid[];
    receipts baton.receipt[];
    attempts int[];
    are_done boolean[];
BEGIN
    SELECT array_agg(m.id), array_agg(m.receipt), array_agg(m.attempt) INTO found, receipts, attempts
        FROM baton.receive('work', size, '1 ms', wait => '20 ms') AS m;
    IF found IS NULL THEN
        RETURN;
    END IF;
    INSERT INTO handed_out SELECT * FROM unnest(found, attempts);
    COMMIT;
    IF random() < 0.5 THEN
        PERFORM pg_sleep(random() * 0.004);
    END IF;
    IF how = 1 THEN
        BEGIN
            INSERT INTO effect (id) SELECT unnest(found);
            INSERT INTO acked SELECT * FROM unnest(found, attempts);
            PERFORM baton.ack_batch(receipts);
        EXCEPTION WHEN SQLSTATE 'BT001' THEN
            INSERT INTO lost VALUES (cardinality(found));
        END;
    ELSIF how = 2 THEN
        are_done := baton.try_ack_batch(receipts);
        INSERT INTO effect (id) SELECT f FROM unnest(found, are_done) AS u (f, d) WHERE d;
        INSERT INTO acked SELECT f, a FROM unnest(found, attempts, are_done) AS u (f, a, d) WHERE d;
        INSERT INTO lost SELECT count(*) FROM unnest(are_done) AS d WHERE NOT d;
    ELSIF how = 3 THEN
        FOR i IN 1 .. cardinality(found) LOOP
            BEGIN
                PERFORM baton.ack(receipts[i]);
                INSERT INTO effect (id) VALUES (found[i]);
                INSERT INTO acked VALUES (found[i], attempts[i]);
            EXCEPTION WHEN SQLSTATE 'BT001' THEN
                INSERT INTO lost VALUES (1);
            END;
            COMMIT;
        END LOOP;
    ELSIF how = 4 THEN
        -- Everything short of success.
        INSERT INTO effect (id) SELECT unnest(found);
        PERFORM baton.try_ack_batch(receipts);
        ROLLBACK;
    ELSE
        -- A retrying nack, an extension, a release: of a lease that may be lost.
        FOR i IN 1 .. cardinality(found) LOOP
            BEGIN
                PERFORM CASE i % 3 WHEN 0 THEN baton.try_nack(receipts[i], delay => '0')
                    WHEN 1 THEN baton.extend(receipts[i], '2 ms')::text
                    ELSE baton.release(receipts[i])::text END;
            EXCEPTION WHEN SQLSTATE 'BT001' THEN
                INSERT INTO lost VALUES (1);
            END;
        END LOOP;
    END IF;
    COMMIT;
END $$;
SQL

my @load = (
    start_load($node, 'postgres', 'senders', <<'SQL', clients => 8, seconds => $seconds, rate => 500, seed => $seed),
\set kind random(1, 6)
\if :kind = 1
INSERT INTO ledger SELECT unnest(baton.send_batch('work', array_fill('{"some": "thing"}'::jsonb, ARRAY[10])));
\elif :kind = 2
BEGIN;
INSERT INTO ledger SELECT baton.send('work', '{}');
SELECT baton.send('work', '{"never": "seen"}');
ROLLBACK;
\elif :kind = 3
BEGIN;
INSERT INTO ledger SELECT baton.send('work', '{}');
SAVEPOINT s;
SELECT baton.send('work', '{"never": "seen"}');
ROLLBACK TO s;
COMMIT;
\else
INSERT INTO ledger SELECT baton.send('work', '{}');
\endif
SQL
    start_load($node, 'postgres', 'consumers', <<'SQL', clients => 8, seconds => $seconds, seed => $seed + 1),
\set lot random(1, 20)
\set size random(1, 8)
\if :lot <= 6
CALL consume(1, :size);
\elif :lot <= 12
CALL consume(2, :size);
\elif :lot <= 16
CALL consume(3, :size);
\elif :lot <= 18
CALL consume(4, :size);
\else
CALL consume(5, :size);
\endif
SQL
    # An administrator beside: of the same queue, and purging another one.
    start_load($node, 'postgres', 'administrator', <<'SQL', clients => 1, seconds => $seconds, rate => 20, seed => $seed + 2),
\set lot random(1, 3)
SELECT baton.alter_queue('work', jsonb_build_object('visibility_timeout', CASE :lot::int WHEN 1 THEN '1 ms' ELSE '2 ms' END));
SELECT count(*) FROM baton.queues;
SELECT count(*) FROM baton.peek('work', 100);
SELECT baton.purge_queue('other', include_leased => :lot::int = 1);
SELECT baton.create_queue('short ' || :lot::int, if_not_exists => true);
SELECT baton.send('short ' || :lot::int, '{}');
SELECT baton.drop_queue('short ' || :lot::int, force => true);
SQL
    start_load($node, 'postgres', 'purged', <<'SQL', clients => 2, seconds => $seconds, rate => 100, seed => $seed + 3));
SELECT baton.send('other', '{}');
SELECT count(*) FROM baton.receive('other');
SQL
pgbench_ok($_, "$_->{name} did all they wanted") for @load;

my $lost = $node->safe_psql('postgres', 'SELECT sum(count) FROM lost');
my $done = $node->safe_psql('postgres', 'SELECT count(*) FROM effect');
note "$lost acks were refused, $done held";
cmp_ok($lost, '>', 500, 'leases were lost all the time');
cmp_ok($done, '>', 500, 'and held often enough');
# The row is gone with the ack, so whoever got it as a later attempt got it before: and then this ack was not legal.
is( $node->safe_psql('postgres', 'SELECT count(*) FROM acked AS a WHERE EXISTS (SELECT FROM handed_out AS h WHERE h.id = a.id AND h.attempt > a.attempt)'),
    '0', 'no attempt acked after the message was handed to another');
$node->safe_psql('postgres', q{SELECT baton.drop_queue('other', force => true)});
my $count = account_is($node, 'postgres', 'under theft');
is($count->{dead}, 0, 'nothing died');
drain($node, 'postgres', 'work');
$count = account_is($node, 'postgres', 'in the end');
is($count->{queue}, 0, 'nothing is left');
findings_ok($node, 'postgres', 'in the end');
unlike(slurp_file($node->logfile), qr/PANIC|was terminated by signal|TRAP|deadlock detected/, 'nothing crashed, nobody locked anybody out');
$node->stop;
done_testing();
