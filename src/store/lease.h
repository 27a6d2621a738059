// Changing a lease in place: extend it, give the message back, or put it off for a retry.
#pragma once

#include "core/receipt.h"
#include "pg/prelude.h"
#include "store/segment.h"
#include "store/settle.h"

namespace baton::store {

/// What an edit of a held lease does; times are microseconds.
struct LeaseEdit {
    int64_t now;
    int64_t visible_at;        // new lease end, or when the message may be claimed again
    bool is_given_back;        // the receipt ends: token up, nonce cleared
    bool is_attempt_uncounted; // the attempt does not count (release)
};

/// Edits the row that the receipt holds; at once, whatever becomes of the transaction. kSettled =
/// done. `row` receives the control words as they were.
SettleOutcome edit_lease(const Segment &segment, const core::Receipt &receipt,
                         const LeaseEdit &edit);

/// Reads the row that the receipt holds; kSettled = it holds, and `copy` is the row in the caller's
/// memory context.
SettleOutcome read_leased(const Segment &segment, const core::Receipt &receipt, HeapTuple *copy);

} // namespace baton::store
