-- The surroundings of a consumer on trial: mails of several kinds, the table of its effects, and the troubles that meet
-- an effect. What has to outlive a rollback is counted by sequences.
SELECT baton.create_queue('mail', '{"max_attempts": 3, "backoff_base": "10 ms", "backoff_cap": "10 ms", "jitter": "none"}');

-- No unique constraint: a second effect must show.
CREATE TABLE sent (message_id uuid NOT NULL, address text NOT NULL);
CREATE TABLE sent_mail (id uuid, kind text);
CREATE TABLE gate (is_open boolean DEFAULT true);
CREATE SEQUENCE handled_once;
CREATE SEQUENCE handled_lost;
CREATE SEQUENCE handled_never;
CREATE SEQUENCE handled_held;

-- A mail goes to the address that is its kind, but "nowhere" has none.
CREATE FUNCTION send_mails(kinds text[]) RETURNS void LANGUAGE sql BEGIN ATOMIC
    INSERT INTO sent_mail
    SELECT u.id, u.kind
    FROM (
        SELECT baton.send_batch('mail', array_agg(
            CASE k WHEN 'nowhere' THEN '{"from": "b"}' ELSE jsonb_build_object('to', k) END ORDER BY n)) AS ids
        FROM unnest(kinds) WITH ORDINALITY AS t(k, n)
    ) AS s, ROWS FROM (unnest(s.ids), unnest(kinds)) AS u(id, kind);
END;

CREATE VIEW mail AS
    SELECT id, kind, (SELECT count(*) FROM sent WHERE message_id = id) AS effects,
        CASE kind
            WHEN 'once' THEN (SELECT last_value FROM handled_once)
            WHEN 'lost' THEN (SELECT last_value FROM handled_lost)
            WHEN 'never' THEN (SELECT last_value FROM handled_never)
            WHEN 'held' THEN (SELECT last_value FROM handled_held)
        END AS handled
    FROM sent_mail;

CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    handled bigint;
BEGIN
    IF new.address = 'good' THEN
        RETURN new;
    END IF;
    handled := nextval('handled_' || new.address);
    IF new.address = 'once' AND handled = 1 THEN
        RAISE 'busy';
    ELSIF new.address = 'never' THEN
        RAISE 'never works';
    ELSIF new.address = 'lost' AND handled = 1 THEN
        -- From under the consumer; the rollback of its effect brings the message back.
        PERFORM baton.dead_letter('mail', new.message_id);
    ELSIF new.address = 'held' THEN
        WHILE NOT EXISTS (SELECT FROM gate) LOOP
            PERFORM pg_sleep(0.01);
        END LOOP;
    END IF;
    RETURN new;
END $$;
CREATE TRIGGER trouble BEFORE INSERT ON sent FOR EACH ROW EXECUTE FUNCTION trouble();

CREATE FUNCTION is_done(mails int) RETURNS boolean LANGUAGE sql BEGIN ATOMIC
    SELECT (SELECT count(*) FROM sent_mail) = mails
        AND (SELECT count(DISTINCT message_id) FROM sent) + (SELECT count(*) FROM baton.dead_letters) >= mails
        AND NOT EXISTS (SELECT FROM baton.peek('mail'));
END;
CREATE FUNCTION is_held() RETURNS boolean LANGUAGE sql BEGIN ATOMIC
    SELECT EXISTS (
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep');
END;
