// One privilege of ours is many of the server's: on the schema, on functions, on views. Which
// functions and views there are is read from the catalog.

#include "queue/access.h"

#include "pg/error.h"
#include "pg/sql.h"
#include "queue/extension.h"
#include "queue/grantee.h"

namespace baton::queue {
namespace {

using pg::SqlArgument;

struct Kind {
    Access access;
    const char *name;
    AclMode mode; // on baton._access; none of these allows to lock it strongly
    const char *sql;
};

constexpr Kind kKinds[] = {{Access::kUse, "use", ACL_REFERENCES, "REFERENCES"},
                           {Access::kCreateQueue, "create_queue", ACL_INSERT, "INSERT"},
                           {Access::kMonitor, "monitor", ACL_SELECT, "SELECT"}};

/// What a monitor sees, beside the functions that these views call. None shows a message.
constexpr const char *kMonitorViews =
    "{queues,shared_memory,subscriptions,unlogged_queues,workers}";

constexpr const char *kMembers =
    "pg_depend AS m WHERE m.refclassid = 'pg_extension'::regclass AND "
    "m.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'baton') "
    "AND m.deptype = 'e'";

/// $1: names of the views, null for all that are public.
constexpr const char *kViews =
    "SELECT c.oid FROM pg_class AS c WHERE c.relkind = 'v' AND c.relname !~ '^_' AND "
    "c.relname = ANY (coalesce($1::text[], ARRAY[c.relname::text])) AND "
    "EXISTS (SELECT FROM %s AND m.classid = 'pg_class'::regclass AND m.objid = c.oid)";

constexpr const char *kCalledByViews =
    "SELECT d.refobjid FROM pg_rewrite AS r JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass "
    "AND d.objid = r.oid AND d.refclassid = 'pg_proc'::regclass WHERE r.ev_class IN (%s)";

/// A null list of views stands for everything that is public, functions too.
constexpr const char *kRoutines =
    "SELECT string_agg(p.oid::regprocedure::text, ', ' ORDER BY p.oid) FROM pg_proc AS p WHERE "
    "EXISTS (SELECT FROM %s AND m.classid = 'pg_proc'::regclass AND m.objid = p.oid) AND "
    "(($1 IS NULL AND p.proname !~ '^_') OR p.oid IN (%s))";

const Kind &kind_of(Access access) {
    for (const Kind &kind : kKinds)
        if (kind.access == access)
            return kind;
    pg_unreachable();
}

const Kind &kind_named(text *name) {
    std::string_view given{VARDATA_ANY(name), static_cast<size_t>(VARSIZE_ANY_EXHDR(name))};
    for (const Kind &kind : kKinds)
        if (given == kind.name)
            return kind;
    pg::raise_invalid(psprintf("unknown privilege \"%s\"", text_to_cstring(name)),
                      "The privileges on baton are use, create_queue and monitor.");
}

/// Views and functions as lists for GRANT.
struct Objects {
    char *views;
    char *routines;
};

char *listed(const char *query, const char *views) {
    Datum names = views ? CStringGetTextDatum(views) : static_cast<Datum>(0);
    SqlArgument arguments[] = {{TEXTOID, names, views == nullptr}};
    (void)pg::run_sql(query, arguments);
    std::optional<Datum> list = pg::first_value();
    return list ? TextDatumGetCString(*list) : nullptr;
}

Objects objects_of(Access access) {
    const char *names = access == Access::kMonitor ? kMonitorViews : nullptr;
    const char *views = psprintf(kViews, kMembers);
    const char *called = psprintf(kCalledByViews, views);
    return {listed(psprintf("SELECT string_agg(v.oid::regclass::text, ', ') FROM (%s) AS v", views),
                   names),
            listed(psprintf(kRoutines, kMembers, called), names)};
}

void grant_objects(Access access, const char *grantee) {
    Objects objects = objects_of(access);
    (void)pg::run_sql(psprintf("GRANT USAGE ON SCHEMA baton TO %s", grantee));
    (void)pg::run_sql(psprintf("GRANT SELECT ON %s TO %s", objects.views, grantee));
    (void)pg::run_sql(psprintf("GRANT EXECUTE ON ROUTINE %s TO %s", objects.routines, grantee));
    if (access != Access::kMonitor)
        (void)pg::run_sql(psprintf("GRANT INSERT ON baton.outbox TO %s", grantee));
}

void revoke_objects(const char *grantee) {
    Objects objects = objects_of(Access::kUse);
    (void)pg::run_sql(psprintf("REVOKE USAGE ON SCHEMA baton FROM %s", grantee));
    (void)pg::run_sql(psprintf("REVOKE SELECT, INSERT ON %s FROM %s", objects.views, grantee));
    (void)pg::run_sql(psprintf("REVOKE EXECUTE ON ROUTINE %s FROM %s", objects.routines, grantee));
}

bool is_granted_to(const Kind &kind, Oid role) {
    SqlArgument arguments[] = {{OIDOID, ObjectIdGetDatum(extension().access), false},
                               {OIDOID, ObjectIdGetDatum(role), false},
                               {TEXTOID, CStringGetTextDatum(kind.sql), false}};
    return pg::run_sql("SELECT FROM pg_class AS c, aclexplode(c.relacl) AS a WHERE c.oid = $1 AND "
                       "a.grantee = $2 AND a.privilege_type = $3",
                       arguments) > 0;
}

void grant_all_of(const Grantee &grantee) {
    for (const Kind &kind : kKinds)
        if (is_granted_to(kind, grantee.role))
            grant_objects(kind.access, grantee.sql);
}

pg::SqlSession begin(Identity *caller) {
    *caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    // Concurrent changes of the same privileges fail otherwise.
    (void)pg::run_sql("LOCK TABLE baton._topic_grant IN SHARE ROW EXCLUSIVE MODE");
    return session;
}

void end(const pg::SqlSession &session, const Identity &caller) {
    pg::end_sql(session);
    leave(caller);
    CommandCounterIncrement();
}

} // namespace

bool has_access(Access access, Oid role) {
    return pg_class_aclcheck(extension().access, role, kind_of(access).mode) == ACLCHECK_OK;
}

void require_access(Access access, Oid role) {
    if (has_access(access, role))
        return;
    const char *name = kind_of(access).name;
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    access == Access::kCreateQueue ? errmsg("permission denied to create queues")
                                                   : errmsg("permission denied: %s", name),
                    role == GetUserId() ? 0
                                        : errdetail("Role \"%s\" needs the privilege \"%s\".",
                                                    GetUserNameFromId(role, false), name),
                    errhint("An administrator can grant it with baton.grant_baton.")));
}

void grant_baton(text *role, text *privilege) {
    require_administrator("grant_baton");
    const Kind &kind = kind_named(privilege);
    Grantee grantee = grantee_named(role);
    Identity caller = {};
    pg::SqlSession session = begin(&caller);
    (void)pg::run_sql(psprintf("GRANT %s ON baton._access TO %s", kind.sql, grantee.sql));
    grant_objects(kind.access, grantee.sql);
    end(session, caller);
}

void revoke_baton(text *role, text *privilege) {
    require_administrator("revoke_baton");
    const Kind &kind = kind_named(privilege);
    Grantee grantee = grantee_named(role);
    Identity caller = {};
    pg::SqlSession session = begin(&caller);
    (void)pg::run_sql(psprintf("REVOKE %s ON baton._access FROM %s", kind.sql, grantee.sql));
    revoke_objects(grantee.sql);
    grant_all_of(grantee);
    end(session, caller);
}

int64_t renew_grants() {
    require_administrator("renew_grants");
    if (creating_extension)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("baton.renew_grants cannot run in the script of an extension"),
                        errdetail("Dumps would not keep what it grants.")));
    Identity caller = {};
    pg::SqlSession session = begin(&caller);
    SqlArgument arguments[] = {{OIDOID, ObjectIdGetDatum(extension().access), false}};
    auto count = static_cast<int>(
        pg::run_sql("SELECT DISTINCT a.grantee FROM pg_class AS c, aclexplode(c.relacl) AS a "
                    "WHERE c.oid = $1 AND a.grantee <> c.relowner",
                    arguments));
    auto *roles = static_cast<Oid *>(palloc(sizeof(Oid) * static_cast<Size>(count + 1)));
    for (int i = 0; i < count; ++i) {
        bool is_null = false;
        roles[i] = DatumGetObjectId(
            SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &is_null));
    }
    for (int i = 0; i < count; ++i)
        grant_all_of(grantee_of(roles[i]));
    end(session, caller);
    return count;
}

} // namespace baton::queue
