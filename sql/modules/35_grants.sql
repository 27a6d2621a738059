-- Privileges: on the extension, on queues and on topics, and a queue's owner.

CREATE TABLE baton._access OF baton._queue_anchor (CONSTRAINT no_rows CHECK (false));
COMMENT ON TABLE baton._access IS
    'empty; its privileges are those that baton.grant_baton gave: REFERENCES use, INSERT create_queue, SELECT monitor';

CREATE FUNCTION baton._role_number(role text) RETURNS oid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'baton_role_number';
COMMENT ON FUNCTION baton._role_number(text) IS
    'the oid of the role of that name now, null if there is none. Called immutable so that it can bind a row of baton._topic_grant to the role that has the name when the row is written or restored';

-- Column order must agree with src/queue/topic_right.cpp.
CREATE TABLE baton._topic_grant (
    pattern text COLLATE "C" NOT NULL,
    role text COLLATE "C" NOT NULL,
    privilege text COLLATE "C" NOT NULL CHECK (privilege IN ('publish', 'subscribe')),
    role_number oid GENERATED ALWAYS AS (baton._role_number(role)) STORED,
    CONSTRAINT _topic_grant_pkey PRIMARY KEY (pattern, role, privilege)
);
COMMENT ON TABLE baton._topic_grant IS
    'who may publish which topics and subscribe to which; public is everybody. A row counts only while its role has both the name and the number, so it never passes to another role. Dumps leave the number out: a restore looks it up anew';

CREATE TRIGGER changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON baton._topic_grant
    FOR EACH STATEMENT EXECUTE FUNCTION baton._catalog_changed();

-- A void grant is not dumped, for a restore would bind it to whoever has the name then.
SELECT pg_catalog.pg_extension_config_dump('baton._topic_grant',
    'WHERE role = ''public'' OR EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.rolname = role AND r.oid = role_number)');

CREATE FUNCTION baton.grant_baton(role text, privilege text) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_grant_baton';
COMMENT ON FUNCTION baton.grant_baton(text, text) IS
    'lets a role (public: everybody) use the extension: use = call its functions and see its views, each within the privileges on queues and topics; create_queue = that, and create queues; monitor = see all queues, subscriptions, workers and the use of shared memory, but no message. For superusers and the extension''s owner. After ALTER EXTENSION UPDATE see baton.renew_grants. Errors: 42704 no such role, 22023 unknown privilege, 22004, 42501, 25006';

CREATE FUNCTION baton.revoke_baton(role text, privilege text) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_revoke_baton';
COMMENT ON FUNCTION baton.revoke_baton(text, text) IS
    'takes back what baton.grant_baton gave; other privileges of the role stay. Errors: as grant_baton';

CREATE FUNCTION baton.renew_grants() RETURNS bigint
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_renew_grants';
COMMENT ON FUNCTION baton.renew_grants() IS
    'extends all that baton.grant_baton gave to functions and views that are new: call it after ALTER EXTENSION baton UPDATE. Returns how many roles. For superusers and the extension''s owner. Errors: 42501, 25006, 55000 in the script of an extension';

CREATE FUNCTION baton.grant_queue(queue text, role text, privilege text) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_grant_queue';
COMMENT ON FUNCTION baton.grant_queue(text, text, text) IS
    'gives a role (public: everybody) a privilege on a queue: send; consume = receive, settle and read messages and dead letters; manage = both, and alter, pause, purge, redrive, subscribe and drop it. For the queue''s owner, members of the owner and superusers. To call anything the role needs baton.grant_baton(role, ''use'') too. Errors: 42704 no such queue or role, 22023 unknown privilege, 22004, 42501, 25006';

CREATE FUNCTION baton.revoke_queue(queue text, role text, privilege text) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_revoke_queue';
COMMENT ON FUNCTION baton.revoke_queue(text, text, text) IS
    'takes a privilege on a queue back; receivers that wait get 42501. Errors: as grant_queue';

CREATE FUNCTION baton.grant_topic(pattern text, role text, privilege text DEFAULT 'publish') RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_grant_topic';
COMMENT ON FUNCTION baton.grant_topic(text, text, text) IS
    'lets a role (public: everybody) publish topics that meet the pattern or, with privilege subscribe, subscribe queues that it manages to the pattern or a narrower one and see such events in baton.outbox. Ends with the role: neither dropping nor renaming it is in the way, and no later role of its name gets it. For superusers and the extension''s owner. Errors: 42704 no such role, 22023 bad pattern or privilege, 22004, 42501, 25006';

CREATE FUNCTION baton.revoke_topic(pattern text, role text, privilege text DEFAULT 'publish') RETURNS boolean
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_revoke_topic';
COMMENT ON FUNCTION baton.revoke_topic(text, text, text) IS
    'takes back what baton.grant_topic gave for exactly that pattern; false if there was none. Subscriptions stay. Errors: as grant_topic';

CREATE FUNCTION baton.alter_queue_owner(queue text, role text) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_alter_queue_owner';
COMMENT ON FUNCTION baton.alter_queue_owner(text, text) IS
    'gives a queue another owner; privileges granted to others stay. For the owner, who must be able to SET ROLE to the new one, which must be allowed to create queues; superusers may always. Errors: 42704 no such queue or role, 22004, 42501, 25006';
