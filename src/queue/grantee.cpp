// Looks up roles.

#include "queue/grantee.h"

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

void require_administrator(const char *function) {
    if (!is_administrator())
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("permission denied to call baton.%s", function),
                        errdetail("Only superusers and the extension's owner may.")));
}

} // namespace baton::queue
