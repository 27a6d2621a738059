-- What the catalogs say of our objects: volatile and unsafe where they write, closed to PUBLIC, documented, and safe to call.
-- ARG-05, ARG-06, ARG-09, DUP-09, SEC-02, SEC-03, TIM-02, EXT-11
CREATE TEMP VIEW member AS
    SELECT classid, objid, o.type, o.schema, o.name, o.identity FROM pg_depend, pg_identify_object(classid, objid, 0) AS o
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
        AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'baton')
        -- a table's row type goes with its table, and is a member by itself on some servers only
        AND NOT (classid = 'pg_type'::regclass AND EXISTS (
            SELECT FROM pg_type AS t JOIN pg_class AS c ON c.oid = t.typrelid WHERE t.oid = objid AND c.relkind <> 'c'));
CREATE TEMP VIEW function AS SELECT p.* FROM pg_proc AS p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid;
CREATE TEMP VIEW relation AS SELECT c.* FROM pg_class AS c JOIN member ON classid = 'pg_class'::regclass AND objid = c.oid;

-- all in a schema of our own, which belongs to the extension
SELECT DISTINCT type, coalesce(schema, split_part(identity, '.', 1)) AS schema FROM member WHERE type <> 'cast' ORDER BY 1, 2;
SELECT castsource::regtype, casttarget::regtype, castcontext, castmethod FROM pg_cast JOIN member ON classid = 'pg_cast'::regclass AND objid = pg_cast.oid ORDER BY 1;
-- nothing in it is foreign but queues and their parts
SELECT relname FROM pg_class WHERE relnamespace = 'baton'::regnamespace AND relkind IN ('r', 'v', 'S', 'm', 'f', 'p')
    AND oid NOT IN (SELECT oid FROM relation) AND relname !~ '^q\d+(_\d+)?$';

-- every public function is volatile and parallel unsafe, as it writes or reads what others write just now
SELECT proname, provolatile, proparallel FROM function
WHERE (provolatile <> 'v' OR proparallel <> 'u') AND proname NOT LIKE '\_%' AND proname NOT LIKE 'receipt\_%' ORDER BY 1;
-- nothing public is strict: a null is answered, not passed over
SELECT proname FROM function WHERE proisstrict AND proname NOT LIKE '\_%' AND proname NOT LIKE 'receipt\_%' ORDER BY 1;
-- no two functions have the same name, so that untyped arguments find theirs; every argument has a name
SELECT proname FROM function GROUP BY proname HAVING count(*) > 1;
SELECT proname FROM function WHERE proname NOT LIKE '\_%' AND proname NOT LIKE 'receipt\_%'
    AND pronargs > 0 AND (proargnames IS NULL OR '' = ANY (proargnames));
-- no function that is not in C, or runs as its owner, follows the caller's search_path
SELECT proname, proconfig FROM function JOIN pg_language AS l ON l.oid = prolang
WHERE (lanname <> 'c' OR prosecdef) AND proconfig IS DISTINCT FROM '{"search_path=pg_catalog, pg_temp"}' ORDER BY 1;

-- nothing is granted to PUBLIC; nor does the schema let it in
SELECT proname FROM function, aclexplode(coalesce(proacl, acldefault('f', proowner))) AS a WHERE a.grantee = 0;
SELECT relname FROM relation, aclexplode(coalesce(relacl, acldefault('r', relowner))) AS a WHERE a.grantee = 0;
SELECT nspname FROM pg_namespace, aclexplode(coalesce(nspacl, acldefault('n', nspowner))) AS a WHERE nspname = 'baton' AND a.grantee = 0;
SELECT baton.create_queue('attributes');
SELECT count(*) FROM pg_class, aclexplode(coalesce(relacl, acldefault('r', relowner))) AS a
WHERE relnamespace = 'baton'::regnamespace AND a.grantee = 0;
SELECT baton.drop_queue('attributes');

-- everything is documented
SELECT type, identity FROM member WHERE type NOT IN ('index', 'sequence', 'cast')
    AND NOT (type = 'type' AND name LIKE '\_%') AND obj_description(objid, (SELECT relname FROM pg_class WHERE oid = classid)) IS NULL;
-- a function's documentation names the errors that all of them have
SELECT proname FROM function WHERE proname NOT LIKE '\_%' AND proname NOT LIKE 'receipt\_%' AND obj_description(oid, 'pg_proc') !~ 'Errors: |^as ';

-- instants have a zone
SELECT relname, attname FROM pg_attribute JOIN relation ON attrelid = relation.oid
WHERE attnum > 0 AND atttypid IN ('timestamp'::regtype, 'date'::regtype, 'time'::regtype, 'timetz'::regtype);
SELECT relname, attname FROM pg_attribute JOIN relation ON attrelid = relation.oid
WHERE attnum > 0 AND attname LIKE '%\_at' AND atttypid <> 'timestamptz'::regtype;
-- text that is looked up is compared byte by byte
SELECT indexrelid::regclass, attname FROM pg_index JOIN relation ON relation.oid = indrelid
    JOIN pg_attribute ON attrelid = indexrelid AND attcollation NOT IN (0, 'pg_catalog."C"'::regcollation);
-- sequences do not end soon, nor do counters (a queue's number is part of receipts)
SELECT s.seqrelid::regclass, format_type(seqtypid, NULL) FROM pg_sequence AS s JOIN relation ON relation.oid = seqrelid ORDER BY 1;
SELECT proname, format_type(prorettype, NULL) FROM function
WHERE proname IN ('purge_queue', 'redrive', 'ack_batch') AND prorettype <> 'bigint'::regtype;

-- the schema is fixed
SELECT extrelocatable FROM pg_extension WHERE extname = 'baton';
ALTER EXTENSION baton SET SCHEMA public;
