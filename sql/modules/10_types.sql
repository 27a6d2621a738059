-- Types: the receipt of a lease, the row of a message in storage, and a message as consumers see it.

CREATE TYPE baton.receipt;

CREATE FUNCTION baton.receipt_in(cstring) RETURNS baton.receipt
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'baton_receipt_in';
CREATE FUNCTION baton.receipt_out(baton.receipt) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'baton_receipt_out';
CREATE FUNCTION baton.receipt_recv(internal) RETURNS baton.receipt
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'baton_receipt_recv';
CREATE FUNCTION baton.receipt_send(baton.receipt) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'baton_receipt_send';

COMMENT ON FUNCTION baton.receipt_in(cstring) IS 'text form of a receipt (32 characters of base64url); 22P02 for anything else';
COMMENT ON FUNCTION baton.receipt_out(baton.receipt) IS 'text form of a receipt';
COMMENT ON FUNCTION baton.receipt_recv(internal) IS 'binary form of a receipt (24 bytes); 22P03 for anything else';
COMMENT ON FUNCTION baton.receipt_send(baton.receipt) IS 'binary form of a receipt';

CREATE TYPE baton.receipt (
    INPUT = baton.receipt_in,
    OUTPUT = baton.receipt_out,
    RECEIVE = baton.receipt_recv,
    SEND = baton.receipt_send,
    INTERNALLENGTH = 24,
    ALIGNMENT = char,
    STORAGE = plain
);
COMMENT ON TYPE baton.receipt IS 'unforgeable handle of one lease of one message; text form of 32 characters';

CREATE CAST (text AS baton.receipt) WITH INOUT AS IMPLICIT;
CREATE CAST (varchar AS baton.receipt) WITH INOUT AS IMPLICIT;

-- Must agree with src/store/row.h: the control words come first, so that they stand at a known place in every row.
CREATE TYPE baton._message_row AS (
    visible_at timestamptz,
    leased_at timestamptz,
    first_attempt_at timestamptz,
    token int,
    nonce int,
    attempts int,
    round int,
    flags int,
    consumer int,
    enqueued_at timestamptz,
    id uuid,
    priority int,
    key text,
    topic text,
    headers jsonb,
    payload jsonb,
    body bytea,
    expires_at timestamptz,
    idempotency_key text,
    options jsonb
);
COMMENT ON TYPE baton._message_row IS 'row of a message in its segment; times of 2000-01-01 stand for never';

-- Carries a queue's owner and privileges; never holds a row.
CREATE TYPE baton._queue_anchor AS (nothing boolean);
COMMENT ON TYPE baton._queue_anchor IS 'row type of the empty table that carries a queue''s owner and privileges';

CREATE TYPE baton.message AS (
    id uuid,
    receipt baton.receipt,
    attempt int,
    round int,
    payload jsonb,
    headers jsonb,
    key text,
    topic text,
    priority int,
    enqueued_at timestamptz,
    lease_expires_at timestamptz,
    body bytea
);
CREATE TYPE baton.send_result AS (
    id uuid,
    status text,
    retry_after interval
);
COMMENT ON TYPE baton.send_result IS 'what became of a message that was sent with baton.try_send';

CREATE TYPE baton.stored_message AS (
    id uuid,
    state text,
    attempts int,
    round int,
    payload jsonb,
    headers jsonb,
    key text,
    topic text,
    body bytea,
    expires_at timestamptz,
    priority int,
    enqueued_at timestamptz,
    visible_at timestamptz,
    leased_at timestamptz,
    first_attempt_at timestamptz,
    consumer text
);
COMMENT ON TYPE baton.stored_message IS 'a message as baton.peek shows it; state is ready, delayed or leased';

COMMENT ON TYPE baton.message IS 'a delivered message: its identity, its lease and what was sent';
