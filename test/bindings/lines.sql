-- What the server must have after each group of the manual's lines, whatever the driver. Ids are given by the driver.
SELECT baton.create_queue('mail');
CREATE TABLE sent (message_id uuid NOT NULL, address text NOT NULL);

-- Between the time meant and a minute less: it was counted from a moment in the past.
CREATE FUNCTION is_due_in(at timestamptz, length interval) RETURNS boolean LANGUAGE sql
    RETURN at BETWEEN clock_timestamp() + length - interval '1 min' AND clock_timestamp() + length;

CREATE FUNCTION after_send(first uuid, batch uuid[]) RETURNS TABLE (what text, is_ok boolean) LANGUAGE sql AS $$
WITH m AS MATERIALIZED (SELECT * FROM baton.peek('mail', 100))
SELECT 'a value of the language is jsonb', payload = '{"to": "a@example.org"}' FROM m WHERE id = first
UNION ALL
SELECT 'an interval, and null for a key', count(*) = 1 FROM m WHERE is_due_in(visible_at, '5 min') AND key IS NULL
UNION ALL
SELECT 'another interval, and headers', count(*) = 1
    FROM m WHERE is_due_in(expires_at, '1 h') AND headers = '{"lang": "en"}'
UNION ALL
SELECT 'a time', count(*) = 1 FROM m WHERE is_due_in(visible_at, '24 h')
UNION ALL
SELECT 'a body without a payload', count(*) = 1 FROM m WHERE body = '\x00ff' AND payload IS NULL
UNION ALL
SELECT 'an array of jsonb', count(*) = 2 FROM m WHERE id = ANY (batch) AND jsonb_typeof(payload) IN ('object', 'array')
UNION ALL
SELECT 'an array with a null, and ids in order', array_agg(m.key ORDER BY n) IS NOT DISTINCT FROM '{k1,NULL}'
    FROM unnest(batch) WITH ORDINALITY AS b(id, n) JOIN m USING (id)
$$;

CREATE FUNCTION after_receive(messages int) RETURNS TABLE (what text, is_ok boolean) LANGUAGE sql BEGIN ATOMIC
    SELECT 'leases of the length asked for', count(*) = messages AND bool_and(is_due_in(visible_at, '2 min'))
    FROM baton.leases('mail');
END;

CREATE FUNCTION after_settle(first uuid, released int) RETURNS TABLE (what text, is_ok boolean) LANGUAGE sql AS $$
WITH m AS MATERIALIZED (SELECT * FROM baton.peek('mail', 100))
SELECT 'the effect', array_agg(message_id) = ARRAY[first] FROM sent
UNION ALL
SELECT 'and its ack', count(*) = 0 FROM m WHERE id = first
UNION ALL
SELECT 'a retry after an interval', count(*) = 1 FROM m WHERE attempts = 1 AND is_due_in(visible_at, '90 s')
UNION ALL
SELECT 'what was given back is ready', count(*) = released FROM m WHERE state = 'ready' AND attempts = 0
UNION ALL
SELECT 'nothing else is there but what is due later', count(*) = released + 3 FROM m
$$;
