-- The background workers: what they do, and the call that starts one for this database.

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
