// Changing a lease in place: extend it, give the message back, or put it off for a retry.
#pragma once

#include "core/receipt.h"
#include "pg/prelude.h"
#include "store/segment.h"
#include "store/settle.h"

namespace baton::store {

enum class EditKind : uint8_t {
    kExtend,   // a new end
    kRetry,    // given back: the receipt ends (token up, nonce cleared)
    kRelease,  // given back, the attempt does not count
    kTakeBack, // given back by an operator, not by its consumer
    kTakeOver, // the receipt ends, and a new one holds the row
};

/// What an edit of a row does; times are microseconds.
struct LeaseEdit {
    EditKind kind;
    int64_t now;
    int64_t visible_at; // new lease end, or when the message may be claimed again
};

/// Edits the row that the receipt names; at once, whatever becomes of the transaction. kSettled =
/// done; then the receipt names the row as it is now.
SettleOutcome edit_lease(const Segment &segment, core::Receipt &receipt, const LeaseEdit &edit);

/// Gives back all leases of the block that a consumer with one of these numbers holds. Returns how
/// many.
int release_consumers_in_block(const Segment &segment, BlockNumber block,
                               std::span<const int32_t> consumers, int64_t now);

/// Reads the row that the receipt holds; kSettled = it holds, and `copy` is the row in the caller's
/// memory context.
SettleOutcome read_leased(const Segment &segment, const core::Receipt &receipt, HeapTuple *copy);

} // namespace baton::store
