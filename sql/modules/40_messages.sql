-- Sending, receiving and settling messages.

CREATE FUNCTION baton.send(
    queue text, payload jsonb, headers jsonb DEFAULT NULL, key text DEFAULT NULL, delay interval DEFAULT NULL,
    deliver_at timestamptz DEFAULT NULL, priority int DEFAULT 0, expires_in interval DEFAULT NULL,
    body bytea DEFAULT NULL, id uuid DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS uuid
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_send';
COMMENT ON FUNCTION baton.send(text, jsonb, jsonb, text, interval, timestamptz, int, interval, bytea, uuid, jsonb) IS
    'sends one message in the current transaction and returns its id (uuid v7 unless given). delay or deliver_at: not received before; expires_in: a receive that meets the message after that makes it a dead letter; priority 0 to 9; options: visibility_timeout, max_attempts, backoff_base, backoff_cap, jitter, max_elapsed for this message instead of the queue''s. Errors: 42704 no such queue, 22004 neither payload nor body, 22023 bad value, 42501, 25006';

CREATE FUNCTION baton.try_send(
    queue text, payload jsonb, headers jsonb DEFAULT NULL, key text DEFAULT NULL, delay interval DEFAULT NULL,
    deliver_at timestamptz DEFAULT NULL, priority int DEFAULT 0, expires_in interval DEFAULT NULL,
    body bytea DEFAULT NULL, id uuid DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS baton.send_result
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_try_send';
COMMENT ON FUNCTION baton.try_send(text, jsonb, jsonb, text, interval, timestamptz, int, interval, bytea, uuid, jsonb) IS
    'sends as baton.send does and says what became of the message: status queued. Bad arguments raise as in send';

CREATE FUNCTION baton.send_batch(
    queue text, payloads jsonb[], headers jsonb[] DEFAULT NULL, keys text[] DEFAULT NULL, delay interval DEFAULT NULL,
    ids uuid[] DEFAULT NULL, options jsonb DEFAULT NULL) RETURNS uuid[]
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_send_batch';
COMMENT ON FUNCTION baton.send_batch(text, jsonb[], jsonb[], text[], interval, uuid[], jsonb) IS
    'sends one message per payload, all or none, and returns their ids in input order. An empty or null array sends nothing. Errors: as send; 22004 a null payload, 22023 arrays of different length, 2202E more than one dimension';

CREATE FUNCTION baton.receive(
    queue text, max_messages int DEFAULT 1, visibility_timeout interval DEFAULT NULL, wait interval DEFAULT '0',
    consumer text DEFAULT pg_catalog.current_setting('application_name'), consumer_version text DEFAULT NULL)
    RETURNS SETOF baton.message
    LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10 AS 'MODULE_PATHNAME', 'baton_receive';
COMMENT ON FUNCTION baton.receive(text, int, interval, interval, text, text) IS
    'leases up to max_messages ready messages (at most 100000 a call) for visibility_timeout (default: the queue''s) from now on, at once and whatever becomes of the transaction. wait: sleep until there is one, at most baton.max_wait. Messages that used up their attempts, expired or ran too long go to the dead letters in this transaction instead; a call that moved some may return early without any. Errors: 42704, 22023, 0A000 wait under REPEATABLE READ or SERIALIZABLE, 42501, 25006';

CREATE FUNCTION baton.pop(
    queue text, max_messages int DEFAULT 1, wait interval DEFAULT '0',
    consumer text DEFAULT pg_catalog.current_setting('application_name'), consumer_version text DEFAULT NULL)
    RETURNS SETOF baton.message
    LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10 AS 'MODULE_PATHNAME', 'baton_pop';
COMMENT ON FUNCTION baton.pop(text, int, interval, text, text) IS
    'receives and consumes in the current transaction: gone if it commits; if not, tried again after the backoff (at least 5 s), the attempt counted. Committed before the work it gives at most once, together with it exactly once. Errors: as receive';

CREATE PROCEDURE baton.wait(queue text, timeout interval DEFAULT '1 min')
    LANGUAGE C AS 'MODULE_PATHNAME', 'baton_wait';
COMMENT ON PROCEDURE baton.wait(text, interval) IS
    'sleeps until the queue may have something to receive, at most timeout or baton.max_wait, without holding a snapshot or a lock. Errors: 42704, 22023, 22004, 0A000 under REPEATABLE READ or SERIALIZABLE, 42501, 25006';

CREATE FUNCTION baton.ack(receipt baton.receipt) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_ack';
COMMENT ON FUNCTION baton.ack(baton.receipt) IS
    'completes a message in the current transaction: call it in the transaction of the effect. Errors: BT001 lease lost (detail: leased again, already settled, taken away, being settled elsewhere, dead letter, unknown), 22004, 42501, 25006';

CREATE FUNCTION baton.ack_batch(receipts baton.receipt[]) RETURNS bigint
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_ack_batch';
COMMENT ON FUNCTION baton.ack_batch(baton.receipt[]) IS
    'completes all messages or, if one lease is lost, none (BT001); returns how many. A receipt twice counts once; an empty or null array is 0. Errors: as ack; 22004 a null receipt';

CREATE FUNCTION baton.try_ack_batch(receipts baton.receipt[]) RETURNS boolean[]
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_try_ack_batch';
COMMENT ON FUNCTION baton.try_ack_batch(baton.receipt[]) IS
    'completes each message whose lease holds; true for those, in input order. Errors: 22004 a null receipt, 42501, 25006, and BT001 if a deletion had to wait until another consumer had the message';

CREATE FUNCTION baton.nack(
    receipt baton.receipt, error text DEFAULT NULL, class text DEFAULT 'transient', delay interval DEFAULT NULL) RETURNS text
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_nack';
COMMENT ON FUNCTION baton.nack(baton.receipt, text, text, interval) IS
    'ends an attempt that failed: ''retry'' after delay (default: the queue''s backoff), at once and whatever becomes of the transaction, or ''dead'' (attempts or time used up, class permanent, or ambiguous unless the queue''s effects are idempotent) in the current transaction. Classes: transient, overload, ambiguous, permanent. Errors: BT001, 22004, 22023, 42501, 25006';

CREATE FUNCTION baton.try_nack(
    receipt baton.receipt, error text DEFAULT NULL, class text DEFAULT 'transient', delay interval DEFAULT NULL) RETURNS text
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_try_nack';
COMMENT ON FUNCTION baton.try_nack(baton.receipt, text, text, interval) IS
    'as nack, but a lost lease gives ''lost'' instead of an error';

CREATE FUNCTION baton.nack_batch(
    receipts baton.receipt[], errors text[] DEFAULT NULL, classes text[] DEFAULT NULL, delays interval[] DEFAULT NULL)
    RETURNS text[]
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_nack_batch';
COMMENT ON FUNCTION baton.nack_batch(baton.receipt[], text[], text[], interval[]) IS
    'as try_nack for each receipt: retry, dead or lost, in input order; a null class is transient. Errors: 22004 a null receipt, 22023 bad class or delay or arrays of different length (then nothing was done), 42501, 25006';

CREATE FUNCTION baton.release(receipt baton.receipt) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_release';
COMMENT ON FUNCTION baton.release(baton.receipt) IS
    'gives a message back at once, its attempt uncounted: for a graceful shutdown. Survives a rollback. Errors: BT001, 22004, 42501, 25006';

CREATE FUNCTION baton.release_batch(receipts baton.receipt[]) RETURNS boolean[]
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_release_batch';
COMMENT ON FUNCTION baton.release_batch(baton.receipt[]) IS
    'gives back each message whose lease holds; true for those, in input order. Survives a rollback. Errors: 22004 a null receipt, 42501, 25006';

CREATE FUNCTION baton.extend(receipt baton.receipt, visibility_timeout interval DEFAULT NULL) RETURNS timestamptz
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_extend';
COMMENT ON FUNCTION baton.extend(baton.receipt, interval) IS
    'holds a message for visibility_timeout (default: the queue''s) from now on and returns the new end. Survives a rollback. Errors: BT001, 22004, 22023, 42501, 25006';

CREATE FUNCTION baton.extend_batch(receipts baton.receipt[], visibility_timeout interval DEFAULT NULL) RETURNS timestamptz[]
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_extend_batch';
COMMENT ON FUNCTION baton.extend_batch(baton.receipt[], interval) IS
    'extends each lease that holds and returns their ends in input order, null where a lease is lost. Survives a rollback. Errors: 22004 a null receipt, 22023, 42501, 25006';

CREATE FUNCTION baton.peek(
    queue text, max_messages int DEFAULT 10, id uuid DEFAULT NULL, key text DEFAULT NULL)
    RETURNS SETOF baton.stored_message
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_peek';
COMMENT ON FUNCTION baton.peek(text, int, uuid, text) IS
    'shows messages without leasing them, oldest first: ready, delayed or leased; of one id or key if given. Linear in the backlog. Errors: 42704, 22023, 42501';

CREATE FUNCTION baton.leases(queue text) RETURNS SETOF baton.stored_message
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_leases';
COMMENT ON FUNCTION baton.leases(text) IS
    'messages that a consumer holds now: since leased_at, until visible_at. Linear in the backlog. Errors: 42704, 22004, 42501';

CREATE FUNCTION baton.cancel(queue text, id uuid) RETURNS boolean
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_cancel';
COMMENT ON FUNCTION baton.cancel(text, uuid) IS
    'deletes a message that no consumer holds, in the current transaction; false if there is none of that id or a consumer holds it. Linear in the backlog. Errors: 42704, 22004, 42501, 25006';

CREATE FUNCTION baton.dead_letter(queue text, id uuid, class text DEFAULT 'permanent', error text DEFAULT NULL) RETURNS boolean
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_dead_letter';
COMMENT ON FUNCTION baton.dead_letter(text, uuid, text, text) IS
    'moves a message to the dead letters in the current transaction (reason manual), from under its consumer if need be; false if there is none of that id. Linear in the backlog. Errors: 42704, 22004, 22023, 42501, 25006';

CREATE FUNCTION baton.release_consumer(queue text, consumer text) RETURNS bigint
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_release_consumer';
COMMENT ON FUNCTION baton.release_consumer(text, text) IS
    'ends all leases of a consumer, whatever its version, at once; its attempts count. Returns how many. Survives a rollback. Linear in the backlog. Errors: 42704, 22004, 42501, 25006';

CREATE FUNCTION baton.redrive(queue text, ids uuid[]) RETURNS bigint
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_redrive';
COMMENT ON FUNCTION baton.redrive(text, uuid[]) IS
    'sends open dead letters with these message ids back to their queue as the same messages in a new round; returns how many. Letters that are not open are passed over, so twice is once. Errors: 42704, 22004, 42501, 25006';
