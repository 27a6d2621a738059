// Looks up roles.

#include "queue/grantee.h"

#include "pg/sql.h"
#include "queue/extension.h"

namespace baton::queue {

Oid role_named(text *name) {
    return get_role_oid(text_to_cstring(name), false);
}

Grantee grantee_of(Oid role) {
    if (role == ACL_ID_PUBLIC)
        return {role, "PUBLIC"};
    return {role, quote_identifier(GetUserNameFromId(role, false))};
}

Grantee grantee_named(text *name) {
    bool is_everybody = strcmp(text_to_cstring(name), kEverybody) == 0;
    return grantee_of(is_everybody ? ACL_ID_PUBLIC : role_named(name));
}

void revoke_default_privileges(const char *table) {
    pg::SqlArgument arguments[] = {{TEXTOID, CStringGetTextDatum(table), false}};
    (void)pg::run_sql(
        "SELECT string_agg(DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE "
        "quote_ident(pg_get_userbyid(a.grantee)) END, ', ') FROM pg_class AS c, aclexplode(c.relacl) AS a "
        "WHERE c.relname = $1::name AND c.relnamespace = 'baton'::regnamespace AND a.grantee <> c.relowner",
        arguments);
    if (std::optional<Datum> grantees = pg::first_value())
        (void)pg::run_sql(psprintf("REVOKE ALL ON TABLE baton.%s FROM %s", table,
                                   TextDatumGetCString(*grantees)));
}

void require_administrator(const char *function) {
    if (!is_administrator())
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("permission denied to call baton.%s", function),
                        errdetail("Only superusers and the extension's owner may.")));
}

} // namespace baton::queue
