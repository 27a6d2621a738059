-- What only shows says so when somebody would change it, and what to call instead; the server's own hint is to write a
-- trigger. The row trigger lets the statement pass the rewriter, the other one speaks even if there is no row.

CREATE FUNCTION baton._refuse_change() RETURNS trigger
    LANGUAGE C AS 'MODULE_PATHNAME', 'baton_refuse_change';
COMMENT ON FUNCTION baton._refuse_change() IS 'raises 0A000 with its argument as hint';

DO $$
DECLARE
    shown text;
    changes text;
    hint text;
BEGIN
    FOR shown, changes, hint IN VALUES
        ('outbox', 'UPDATE OR DELETE',
            'An event goes to the queues that subscribe to its topic, or after baton.outbox_retention; it cannot be changed or taken back.'),
        ('dead_letters', 'INSERT OR UPDATE OR DELETE',
            'baton.redrive sends letters back, baton.dead_letter makes one; a superuser can delete from baton._dead_letter.'),
        ('queues', 'INSERT OR UPDATE OR DELETE',
            'Use baton.create_queue, baton.alter_queue, baton.alter_queue_owner, baton.pause_queue, baton.resume_queue and baton.drop_queue.'),
        ('subscriptions', 'INSERT OR UPDATE OR DELETE', 'Use baton.subscribe and baton.unsubscribe.'),
        ('workers', 'INSERT OR UPDATE OR DELETE', 'Workers are started by themselves; see the setting baton.worker.'),
        ('unlogged_queues', 'INSERT OR UPDATE OR DELETE', 'The worker counts what unlogged queues hold.'),
        ('shared_memory', 'INSERT OR UPDATE OR DELETE',
            'Its capacity is set by baton.ready_map_memory and baton.max_queues.')
    LOOP
        EXECUTE pg_catalog.format(
            'CREATE TRIGGER refuse BEFORE %s ON baton.%I FOR EACH STATEMENT EXECUTE FUNCTION baton._refuse_change(%L)',
            changes, shown, hint);
        EXECUTE pg_catalog.format(
            'CREATE TRIGGER refuse_rows INSTEAD OF %s ON baton.%I FOR EACH ROW EXECUTE FUNCTION baton._refuse_change(%L)',
            changes, shown, hint);
    END LOOP;
END
$$;
