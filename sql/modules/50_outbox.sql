-- The outbox: events, published in the caller's transaction and relayed by the worker.

CREATE FUNCTION baton.publish(
    topic text, payload jsonb, headers jsonb DEFAULT NULL, key text DEFAULT NULL, id uuid DEFAULT NULL,
    body bytea DEFAULT NULL) RETURNS uuid
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_publish';
COMMENT ON FUNCTION baton.publish(text, jsonb, jsonb, text, uuid, bytea) IS
    'publishes an event in the current transaction and returns its id, which is the message''s id in every queue it reaches. Errors: 22023 bad topic, 22004, 42501, 25006';

CREATE FUNCTION baton.publish_batch(
    topics text[], payloads jsonb[], headers jsonb[] DEFAULT NULL, keys text[] DEFAULT NULL, ids uuid[] DEFAULT NULL)
    RETURNS uuid[]
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_publish_batch';
COMMENT ON FUNCTION baton.publish_batch(text[], jsonb[], jsonb[], text[], uuid[]) IS
    'publishes one event per payload, all or none, and returns their ids in input order. Errors: as publish; 22023 arrays of different length';

CREATE FUNCTION baton._outbox_events(
    OUT topic text, OUT key text, OUT payload jsonb, OUT headers jsonb, OUT body bytea, OUT id uuid,
    OUT published_at timestamptz) RETURNS SETOF record
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_outbox_events';
COMMENT ON FUNCTION baton._outbox_events() IS 'events that wait for the relay or for a subscriber';

CREATE FUNCTION baton._outbox_insert() RETURNS trigger
    LANGUAGE C AS 'MODULE_PATHNAME', 'baton_outbox_insert';
COMMENT ON FUNCTION baton._outbox_insert() IS 'publishes what is inserted into baton.outbox';

CREATE VIEW baton.outbox AS
    SELECT topic, key, payload, headers, body, id, published_at FROM baton._outbox_events();
COMMENT ON VIEW baton.outbox IS
    'INSERT (topic, payload [, key, headers, body, id]) publishes as baton.publish does, published_at is always the server''s; shows events that wait for the relay or for a subscriber, which cannot be changed or deleted';

CREATE TRIGGER publish INSTEAD OF INSERT ON baton.outbox FOR EACH ROW EXECUTE FUNCTION baton._outbox_insert();
