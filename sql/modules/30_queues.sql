-- Administering queues.

CREATE FUNCTION baton.create_queue(queue text, settings jsonb DEFAULT '{}', if_not_exists boolean DEFAULT false) RETURNS boolean
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_create_queue';
COMMENT ON FUNCTION baton.create_queue(text, jsonb, boolean) IS
    'creates a queue owned by the current role; true if created, false if it existed and if_not_exists. Names: 1 to 63 bytes without control characters. Settings: visibility_timeout, max_attempts, backoff_base, backoff_cap, jitter, max_elapsed, idempotent_effects, and unlogged, which is fixed from then on. Errors: 42P07 exists, 22023 bad setting (with the nearest name), 42622 name too long, 22023 bad name, 42501 not allowed';

CREATE FUNCTION baton.alter_queue(queue text, settings jsonb) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_alter_queue';
COMMENT ON FUNCTION baton.alter_queue(text, jsonb) IS
    'changes settings: a missing name is unchanged, null goes back to the default. Other sessions follow at commit. Errors: 42704 no such queue, 22023 bad setting, 42501 not allowed';

CREATE FUNCTION baton.drop_queue(queue text, force boolean DEFAULT false) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_drop_queue';
COMMENT ON FUNCTION baton.drop_queue(text, boolean) IS
    'drops a queue after the transactions that use it have ended; refuses (55006) one with messages, open dead letters or subscriptions unless force. Errors: 42704, 55006, 42501';

CREATE FUNCTION baton.purge_queue(queue text, include_leased boolean DEFAULT false) RETURNS bigint
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_purge_queue';
COMMENT ON FUNCTION baton.purge_queue(text, boolean) IS
    'deletes all messages, those that a consumer holds only with include_leased; returns how many. Linear in the backlog. Errors: 42704, 42501';

CREATE FUNCTION baton.pause_queue(queue text, reason text DEFAULT NULL, until timestamptz DEFAULT NULL) RETURNS boolean
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_pause_queue';
COMMENT ON FUNCTION baton.pause_queue(text, text, timestamptz) IS
    'stops deliveries: from commit on receive and pop hand out nothing, and whoever waits goes on waiting, until baton.resume_queue or until that time (null, infinity: only the former). Sending, settling and operating go on, leases hold. True if the queue was not paused; of a paused one it sets reason and until anew. The reason is cut to 4000 bytes. Errors: 42704, 22004, 22023 until is not in the future, 42501, 25006';

CREATE FUNCTION baton.resume_queue(queue text) RETURNS boolean
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_resume_queue';
COMMENT ON FUNCTION baton.resume_queue(text) IS
    'ends a pause and, at commit, wakes whoever waits; true if the queue was paused. Errors: 42704, 22004, 42501, 25006';

CREATE FUNCTION baton._is_paused(paused_at timestamptz, paused_until timestamptz) RETURNS boolean
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_is_paused';
COMMENT ON FUNCTION baton._is_paused(timestamptz, timestamptz) IS 'whether a stored pause is in force now';

CREATE FUNCTION baton._queue_settings(stored jsonb) RETURNS jsonb
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'baton_queue_settings';
COMMENT ON FUNCTION baton._queue_settings(jsonb) IS 'effective settings from those stored';

CREATE FUNCTION baton._can_see(queue int) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_can_see';
COMMENT ON FUNCTION baton._can_see(int) IS 'whether the current role has any privilege on the queue, or monitors';

CREATE FUNCTION baton._can_read(queue int) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_can_read';
COMMENT ON FUNCTION baton._can_read(int) IS 'whether the current role may read the queue''s messages';

CREATE FUNCTION baton.subscribe(pattern text, queue text) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_subscribe';
COMMENT ON FUNCTION baton.subscribe(text, text) IS
    'relays events whose topic meets the pattern into the queue: words joined by dots, * one word, # any number. Overlapping patterns of one queue deliver once; twice is once. Errors: 22023 bad pattern, 42704, 42501';

CREATE FUNCTION baton.unsubscribe(pattern text, queue text) RETURNS boolean
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_unsubscribe';
COMMENT ON FUNCTION baton.unsubscribe(text, text) IS
    'ends a subscription; false if there was none. Errors: 42704, 42501';
