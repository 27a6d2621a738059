-- What send takes and refuses, argument by argument. ARG-02, ARG-09, PAY-01
-- Delayed messages stay in the segment, where this session's shifted clock brings them out.
SET baton.later_threshold = '20000 d';
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT baton.create_queue('arguments');

-- each argument null in turn: never a silent nothing
SELECT arguments, pg_temp.sqlstate_of('SELECT baton.send(' || arguments || ')') FROM unnest(ARRAY[
    $$NULL, '1'$$, $$'arguments', NULL$$, $$'arguments', NULL, body => '\x01'$$, $$'arguments', '1', headers => NULL$$,
    $$'arguments', '1', key => NULL$$, $$'arguments', '1', delay => NULL$$, $$'arguments', '1', deliver_at => NULL$$,
    $$'arguments', '1', priority => NULL$$, $$'arguments', '1', expires_in => NULL$$, $$'arguments', '1', body => NULL$$,
    $$'arguments', '1', id => NULL$$]) AS arguments;
SELECT baton.purge_queue('arguments');

-- times: from now to ten years ahead
SELECT argument, pg_temp.sqlstate_of(format('SELECT baton.send(%L, %L, %s)', 'arguments', '1', argument)) FROM unnest(ARRAY[
    $$delay => '0'$$, $$delay => '1 us'$$, $$delay => '-1 us'$$, $$delay => '-1 month 30 days'$$,
    $$delay => '-1 month 31 days'$$, $$delay => '1 month -31 days'$$, $$delay => '10 years'$$,
    $$delay => '11 years'$$, $$delay => '178000000 years'$$, $$delay => '-178000000 years'$$,
    $$delay => '2147483647 days'$$,
    $$deliver_at => '-infinity'$$, $$deliver_at => 'infinity'$$, $$deliver_at => '4713-01-01 BC'$$,
    $$deliver_at => '294276-12-31'$$, $$deliver_at => '1970-01-01'$$, $$deliver_at => clock_timestamp() + '9 years'$$,
    $$deliver_at => clock_timestamp() + '11 years'$$, $$delay => '1 s', deliver_at => now()$$,
    $$delay => NULL, deliver_at => now()$$, $$expires_in => '0'$$, $$expires_in => '-1 us'$$, $$expires_in => '10 years'$$,
    $$expires_in => '11 years'$$, $$expires_in => '-178000000 years'$$]) AS argument;
-- none is unreachable: in ten years all are delivered or dead
SELECT count(*) AS waiting FROM baton.peek('arguments', 1000) \gset
SET baton.clock_shift = '315576000';
SELECT count(*) AS received FROM baton.receive('arguments', 1000) \gset
SELECT count(*) AS expired FROM baton.dead_letters WHERE queue = 'arguments' AND reason = 'expired' \gset
RESET baton.clock_shift;
SELECT :waiting AS waiting, :received AS received, :expired AS expired;
SELECT baton.purge_queue('arguments', true);

-- priority 0 to 9; headers an object
SELECT argument, pg_temp.sqlstate_of(format('SELECT baton.send(%L, %L, %s)', 'arguments', '1', argument)) FROM unnest(ARRAY[
    $$priority => 0$$, $$priority => 9$$, $$priority => -1$$, $$priority => 10$$, $$priority => 2147483647$$,
    $$priority => -2147483648$$, $$headers => '{}'$$, $$headers => '[]'$$, $$headers => '1'$$, $$headers => '"a"'$$,
    $$headers => 'null'$$, $$headers => 'true'$$, $$headers => '[{"a": 1}]'$$]) AS argument;
SELECT baton.purge_queue('arguments');

-- what jsonb and text cannot hold is refused before it gets here
SELECT argument, pg_temp.sqlstate_of('SELECT baton.send(' || argument || ')') FROM unnest(ARRAY[
    $$'arguments', '"\u0000"'$$, $$'arguments', '{"\u0000": 1}'$$, $$'arguments', '1', headers => '{"a": "\u0000"}'$$,
    $$'arguments', '1', key => E'\x01\u0000'$$, $$'arguments', '"\ud83d"'$$, $$'arguments', '{'$$, $$'arguments', ''$$,
    $$'arguments', 1$$, $$'arguments', '1', id => 'not a uuid'$$]) AS argument;
SELECT count(*) FROM baton.peek('arguments');

-- a key may be any text
SELECT baton.send('arguments', '1', key => key) IS NOT NULL
FROM unnest(ARRAY['', ' ', repeat('k', 3000), U&'\+01F41F', E'line\nline', 'a"b''c']) AS key;
SELECT count(*), max(length(key)), sum(length(key)) FROM baton.receive('arguments', 10);
-- an id may come again: it names an operation, and dedup is the consumer's
SELECT baton.send('arguments', '1', id => '01890a5d-ac96-774b-bcce-b302099a8057') FROM generate_series(1, 2);
SELECT count(*), count(DISTINCT id) FROM baton.receive('arguments', 10);

SELECT baton.drop_queue('arguments', true);
