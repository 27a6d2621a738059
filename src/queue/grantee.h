// Roles as privileges are granted to them.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

/// The name that stands for every role; no role can have it.
constexpr const char *kEverybody = "public";

struct Grantee {
    Oid role;        // ACL_ID_PUBLIC: everybody
    const char *sql; // as it stands after GRANT ... TO
};

/// The role of exactly that name, or everybody; 42704.
Grantee grantee_named(text *name);
Grantee grantee_of(Oid role);

/// A role of exactly that name; 42704.
Oid role_named(text *name);

/// Takes back what default privileges of the extension's owner gave on a new table of the schema:
/// privileges on our tables are ours to grant. The caller has an open SqlSession.
void revoke_default_privileges(const char *table);

/// Raises 42501 unless the current role is a superuser or has the rights of the extension's owner.
void require_administrator(const char *function);

} // namespace baton::queue
