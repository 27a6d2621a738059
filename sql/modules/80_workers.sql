-- The background workers: what they do, and the call that starts one for this database. The shared memory.

CREATE FUNCTION baton._workers(
    OUT database text, OUT pid int, OUT state text, OUT chore text, OUT started_at timestamptz,
    OUT last_active_at timestamptz, OUT restarts int, OUT last_error text, OUT last_error_at timestamptz)
    RETURNS SETOF record
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_workers';
COMMENT ON FUNCTION baton._workers() IS 'see the view baton.workers';

CREATE VIEW baton.workers AS SELECT * FROM baton._workers();
COMMENT ON VIEW baton.workers IS
    'the launcher (database is null) and the worker of each database: state, what it does, restarts, last error';

CREATE FUNCTION baton._want_worker() RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_want_worker';
COMMENT ON FUNCTION baton._want_worker() IS 'starts this database''s worker when the transaction commits';

CREATE FUNCTION baton._shared_memory(OUT area text, OUT used bigint, OUT capacity bigint) RETURNS SETOF record
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_shared_memory';
COMMENT ON FUNCTION baton._shared_memory() IS 'see the view baton.shared_memory';

CREATE VIEW baton.shared_memory AS SELECT * FROM baton._shared_memory();
COMMENT ON VIEW baton.shared_memory IS
    'places in shared memory, of all databases: segments and pages (of messages not done with) in the ready map, see baton.ready_map_memory; queues that somebody waited on, see baton.max_queues. When an area is full, calls get slower and nothing else';
