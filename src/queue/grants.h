// Granting and revoking: privileges on queues and topics, and a queue's owner. Everything is
// checked for the caller, then done as the extension's owner.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

/// For the queue's owner: 42501 otherwise, 22023 unknown privilege, 42704 no such queue or role.
void grant_queue(text *queue, text *role, text *privilege);
void revoke_queue(text *queue, text *role, text *privilege);

/// For administrators. False if there was nothing to revoke.
void grant_topic(text *pattern, text *role, text *privilege);
bool revoke_topic(text *pattern, text *role, text *privilege);

/// As ALTER TABLE ... OWNER TO: for the owner, who must be able to become the new one; that one
/// must be allowed to create queues.
void alter_queue_owner(text *queue, text *role);

} // namespace baton::queue
