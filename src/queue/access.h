// Access to the extension itself: who may use it, create queues, or monitor. Carried by the empty
// table baton._access, as a queue's privileges are by its anchor.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

enum class Access : uint8_t {
    kUse, // call functions and look at views; queues and topics need privileges of their own
    kCreateQueue, // also use
    kMonitor      // see all queues and statistics, no message
};

bool has_access(Access access, Oid role);

/// Raises 42501 unless the role has it.
void require_access(Access access, Oid role);

/// For administrators: 42501 otherwise, 22023 unknown privilege, 42704 no such role.
void grant_baton(text *role, text *privilege);
void revoke_baton(text *role, text *privilege);

/// Grants again what baton.grant_baton has granted, with the functions and views of today. Returns
/// to how many roles. Refused (55000) in the script of an extension: dumps would not keep it.
int64_t renew_grants();

} // namespace baton::queue
