// Grants through SQL: the privileges of a queue are those of its anchor table.

#include "queue/grants.h"

#include "pg/error.h"
#include "pg/sql.h"
#include "queue/access.h"
#include "queue/extension.h"
#include "queue/grantee.h"
#include "queue/queue_info.h"
#include "queue/subscription.h"
#include "queue/topic_right.h"

namespace baton::queue {
namespace {

using pg::SqlArgument;

QueueInfo own_queue(text *name) {
    QueueInfo queue = find_queue(name);
    if (!pg::owns_relation(queue.anchor, GetUserId()))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("must be owner of queue \"%s\"", NameStr(queue.name))));
    return queue;
}

/// Runs one statement about a queue's anchor as the extension's owner, with the queue's row locked:
/// concurrent changes of one table's privileges fail otherwise.
void run_on_anchor(const QueueInfo &queue, const char *statement) {
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    SqlArgument id[] = {{INT4OID, UInt32GetDatum(queue.id), false}};
    if (pg::run_sql("SELECT FROM baton._queue WHERE id = $1 FOR UPDATE", id) == 0)
        pg::raise_no_such_queue(NameStr(queue.name));
    (void)pg::run_sql(statement);
    pg::end_sql(session);
    leave(caller);
    CommandCounterIncrement();
}

Privilege queue_privilege_named(text *name) {
    std::string_view given{VARDATA_ANY(name), static_cast<size_t>(VARSIZE_ANY_EXHDR(name))};
    if (given == "send")
        return Privilege::kSend;
    if (given == "consume")
        return Privilege::kConsume;
    if (given == "manage")
        return Privilege::kManage;
    pg::raise_invalid(psprintf("unknown privilege \"%s\"", text_to_cstring(name)),
                      "The privileges on a queue are send, consume and manage.");
}

struct TopicGrant {
    SqlArgument pattern;
    SqlArgument role;
    SqlArgument privilege;
};

SqlArgument text_argument(text *value) {
    return {TEXTOID, PointerGetDatum(value), false};
}

/// Grants of roles that are gone are void; they are cleared with the next change.
constexpr const char *kClearVoid =
    "DELETE FROM baton._topic_grant AS g WHERE role <> 'public' AND NOT EXISTS "
    "(SELECT FROM pg_roles AS r WHERE r.rolname = g.role AND r.oid = g.role_number)";

constexpr const char *kDeleteTopicGrant =
    "DELETE FROM baton._topic_grant WHERE pattern = $1 AND role = $2 AND privilege = $3";

} // namespace

void grant_queue(text *queue_name, text *role, text *privilege) {
    QueueInfo queue = own_queue(queue_name);
    const char *granted = sql_of(queue_privilege_named(privilege));
    Grantee grantee = grantee_named(role);
    run_on_anchor(queue,
                  psprintf("GRANT %s ON TABLE baton.q%u TO %s", granted, queue.id, grantee.sql));
}

void revoke_queue(text *queue_name, text *role, text *privilege) {
    QueueInfo queue = own_queue(queue_name);
    const char *revoked = sql_of(queue_privilege_named(privilege));
    Grantee grantee = grantee_named(role);
    run_on_anchor(queue,
                  psprintf("REVOKE %s ON TABLE baton.q%u FROM %s", revoked, queue.id, grantee.sql));
}

void alter_queue_owner(text *queue_name, text *role) {
    QueueInfo queue = own_queue(queue_name);
    Oid owner = role_named(role);
    if (!superuser()) {
        pg::require_set_role(owner);
        require_access(Access::kCreateQueue, owner);
    }
    run_on_anchor(queue,
                  psprintf("ALTER TABLE baton.q%u OWNER TO %s", queue.id, grantee_of(owner).sql));
}

void grant_topic(text *pattern, text *role, text *privilege) {
    require_administrator("grant_topic");
    check_pattern(pattern);
    (void)topic_right_named(privilege);
    (void)grantee_named(role);
    SqlArgument arguments[] = {text_argument(pattern), text_argument(role),
                               text_argument(privilege)};
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    (void)pg::run_sql(kClearVoid);
    (void)pg::run_sql(
        "INSERT INTO baton._topic_grant (pattern, role, privilege) VALUES ($1, $2, $3) "
        "ON CONFLICT DO NOTHING",
        arguments);
    pg::end_sql(session);
    leave(caller);
    CommandCounterIncrement();
}

bool revoke_topic(text *pattern, text *role, text *privilege) {
    require_administrator("revoke_topic");
    (void)topic_right_named(privilege);
    SqlArgument arguments[] = {text_argument(pattern), text_argument(role),
                               text_argument(privilege)};
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    bool is_removed = pg::run_sql(kDeleteTopicGrant, arguments) > 0;
    (void)pg::run_sql(kClearVoid);
    pg::end_sql(session);
    leave(caller);
    if (!is_removed)
        (void)grantee_named(role);
    CommandCounterIncrement();
    return is_removed;
}

} // namespace baton::queue
