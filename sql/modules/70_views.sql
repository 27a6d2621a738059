-- What users look at. Each role sees the queues that it owns or has a privilege on, and messages of those that it may
-- consume from.

CREATE VIEW baton.queues WITH (security_barrier) AS
    SELECT q.name AS queue, pg_catalog.pg_get_userbyid(c.relowner) AS owner, baton._queue_settings(q.settings) AS settings,
        q.created_at, q.id AS queue_id, p.paused_at, p.pause_reason, p.paused_until, p.paused_by
    FROM baton._queue AS q
    LEFT JOIN pg_catalog.pg_class AS c ON c.relname = 'q' || q.id::text AND c.relnamespace = 'baton'::pg_catalog.regnamespace
    LEFT JOIN LATERAL (SELECT q.paused_at, q.pause_reason, q.paused_until, q.paused_by
        WHERE baton._is_paused(q.paused_at, q.paused_until)) AS p ON true
    WHERE baton._can_see(q.id);
COMMENT ON VIEW baton.queues IS
    'queues with their owner and effective settings; while a queue is paused since when, why, until when (null: until resumed) and by whom';

CREATE VIEW baton.subscriptions WITH (security_barrier) AS
    SELECT s.pattern, q.name AS queue, s.created_at
    FROM baton._subscription AS s JOIN baton._queue AS q ON q.id = s.queue
    WHERE baton._can_see(q.id);
COMMENT ON VIEW baton.subscriptions IS 'which topics are relayed into which queues';

CREATE VIEW baton.unlogged_queues WITH (security_barrier) AS
    SELECT q.name AS queue, u.messages, u.counted_at, coalesce(u.lost, 0) AS lost, u.lost_at
    FROM baton._queue AS q LEFT JOIN baton._unlogged AS u ON u.queue = q.id
    WHERE q.settings @> '{"unlogged": 1}' AND baton._can_see(q.id);
COMMENT ON VIEW baton.unlogged_queues IS
    'unlogged queues: messages when last counted, when a count found that number first, the sum of what was counted last before each crash, when the last crash was noticed';

CREATE VIEW baton.dead_letters WITH (security_barrier) AS
    SELECT q.name AS queue, d.id, d.round, d.attempts, d.reason, d.class, d.error, d.consumer, d.consumer_version,
        d.payload, d.headers, d.key, d.topic, d.priority, d.body, d.idempotency_key, d.options, d.enqueued_at,
        d.first_attempt_at, d.last_attempt_at, d.expires_at, d.dead_at, d.status, d.changed_by, d.changed_at, d.letter_id
    FROM baton._dead_letter AS d JOIN baton._queue AS q ON q.id = d.queue
    WHERE baton._can_read(q.id);
COMMENT ON VIEW baton.dead_letters IS
    'messages that could not succeed, as they were. reason: exhausted, max_elapsed, permanent, ambiguous, expired, lease_expired, manual; status: open or redriven';

CREATE FUNCTION baton.find_message(queue text, id uuid) RETURNS SETOF baton.stored_message
    LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT p.* FROM baton.peek($1, 1, $2) AS p
    UNION ALL
    (SELECT d.id, 'dead', d.attempts, d.round, d.payload, d.headers, d.key, d.topic, d.body, d.expires_at, d.priority,
        d.enqueued_at, NULL::timestamptz, d.last_attempt_at, d.first_attempt_at, d.consumer
    FROM baton.dead_letters AS d WHERE d.queue = $1 AND d.id = $2 AND d.status = 'open');
END;
COMMENT ON FUNCTION baton.find_message(text, uuid) IS
    'where a message is: ready, delayed, leased, or dead (an open dead letter); no row if it is nowhere. Linear in the backlog. Errors: 42704, 22004, 42501';
