// baton.grant_queue, grant_topic, grant_baton, what revokes them, and baton.alter_queue_owner.

#include "queue/grants.h"

#include "api/arguments.h"
#include "pg/boundary.h"
#include "queue/access.h"
#include "queue/extension.h"

namespace baton::api {
namespace {

/// The arguments of a grant: what on (or nothing), to whom, which privilege.
struct Grant {
    text *object;
    text *role;
    text *privilege;
};

Grant grant_arguments(const Call &call, const char *object) {
    (void)queue::extension();
    pg::require_writable(call.function);
    int i = 0;
    Grant grant = {};
    if (object)
        grant.object = required_text(call, i++, object);
    grant.role = required_text(call, i++, "role");
    grant.privilege = required_text(call, i, "privilege");
    return grant;
}

Datum grant_queue(FunctionCallInfo fcinfo) {
    Grant grant = grant_arguments({fcinfo, "grant_queue"}, "queue");
    queue::grant_queue(grant.object, grant.role, grant.privilege);
    PG_RETURN_VOID();
}

Datum revoke_queue(FunctionCallInfo fcinfo) {
    Grant grant = grant_arguments({fcinfo, "revoke_queue"}, "queue");
    queue::revoke_queue(grant.object, grant.role, grant.privilege);
    PG_RETURN_VOID();
}

Datum grant_topic(FunctionCallInfo fcinfo) {
    Grant grant = grant_arguments({fcinfo, "grant_topic"}, "pattern");
    queue::grant_topic(grant.object, grant.role, grant.privilege);
    PG_RETURN_VOID();
}

Datum revoke_topic(FunctionCallInfo fcinfo) {
    Grant grant = grant_arguments({fcinfo, "revoke_topic"}, "pattern");
    PG_RETURN_BOOL(queue::revoke_topic(grant.object, grant.role, grant.privilege));
}

Datum grant_baton(FunctionCallInfo fcinfo) {
    Grant grant = grant_arguments({fcinfo, "grant_baton"}, nullptr);
    queue::grant_baton(grant.role, grant.privilege);
    PG_RETURN_VOID();
}

Datum revoke_baton(FunctionCallInfo fcinfo) {
    Grant grant = grant_arguments({fcinfo, "revoke_baton"}, nullptr);
    queue::revoke_baton(grant.role, grant.privilege);
    PG_RETURN_VOID();
}

Datum renew_grants(FunctionCallInfo) {
    (void)queue::extension();
    pg::require_writable("renew_grants");
    PG_RETURN_INT64(queue::renew_grants());
}

Datum alter_queue_owner(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "alter_queue_owner"};
    (void)queue::extension();
    pg::require_writable(call.function);
    text *queue = required_text(call, 0, "queue");
    queue::alter_queue_owner(queue, required_text(call, 1, "role"));
    PG_RETURN_VOID();
}

/// What baton._topic_grant keeps of a role beside its name; null if there is no such role.
Datum role_number(FunctionCallInfo fcinfo) {
    char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
    Oid role = get_role_oid(name, true);
    if (!OidIsValid(role))
        PG_RETURN_NULL();
    PG_RETURN_OID(role);
}

} // namespace
} // namespace baton::api

BATON_FUNCTION(baton_grant_queue, baton::api::grant_queue);
BATON_FUNCTION(baton_revoke_queue, baton::api::revoke_queue);
BATON_FUNCTION(baton_grant_topic, baton::api::grant_topic);
BATON_FUNCTION(baton_revoke_topic, baton::api::revoke_topic);
BATON_FUNCTION(baton_grant_baton, baton::api::grant_baton);
BATON_FUNCTION(baton_revoke_baton, baton::api::revoke_baton);
BATON_FUNCTION(baton_renew_grants, baton::api::renew_grants);
BATON_FUNCTION(baton_alter_queue_owner, baton::api::alter_queue_owner);
BATON_FUNCTION(baton_role_number, baton::api::role_number);
