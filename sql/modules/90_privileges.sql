-- Nothing is granted to everybody, nor to whom default privileges of the installing role name; pg_monitor sees what holds
-- no message. Last, the worker is asked for.

DO $$
DECLARE
    grantee text;
BEGIN
    FOR grantee IN
        SELECT DISTINCT pg_catalog.quote_ident(r.rolname)
        FROM (SELECT relacl, relowner FROM pg_catalog.pg_class WHERE relnamespace = 'baton'::pg_catalog.regnamespace
            UNION ALL SELECT proacl, proowner FROM pg_catalog.pg_proc WHERE pronamespace = 'baton'::pg_catalog.regnamespace
            UNION ALL SELECT nspacl, nspowner FROM pg_catalog.pg_namespace WHERE nspname = 'baton') AS o (acl, owner),
            pg_catalog.aclexplode(o.acl) AS a JOIN pg_catalog.pg_roles AS r ON r.oid = a.grantee
        WHERE a.grantee <> o.owner
    LOOP
        EXECUTE pg_catalog.format('REVOKE ALL ON SCHEMA baton FROM %s', grantee);
        EXECUTE pg_catalog.format('REVOKE ALL ON ALL TABLES IN SCHEMA baton FROM %s', grantee);
        EXECUTE pg_catalog.format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA baton FROM %s', grantee);
        EXECUTE pg_catalog.format('REVOKE ALL ON ALL ROUTINES IN SCHEMA baton FROM %s', grantee);
    END LOOP;
END
$$;
REVOKE ALL ON ALL TABLES IN SCHEMA baton FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA baton FROM PUBLIC;
REVOKE ALL ON ALL PROCEDURES IN SCHEMA baton FROM PUBLIC;

SELECT baton.grant_baton('pg_monitor', 'monitor');

SELECT baton._want_worker();
