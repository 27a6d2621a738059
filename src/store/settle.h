// Settling: deleting rows in the caller's transaction, fenced by their receipts.
#pragma once

#include "core/receipt.h"
#include "pg/error.h"
#include "pg/prelude.h"
#include "store/row.h"
#include "store/segment.h"

namespace baton::store {

enum class SettleState : uint8_t {
    kSettled,   // deleted by this transaction
    kLost,      // nothing changed; see reason
    kOvertaken, // deleted, but leased again in between: the caller must raise
};

struct SettleOutcome {
    SettleState state;
    pg::LostReason reason; // unless kSettled
};

/// One row to settle. `copy`, if wanted, receives the row in the caller's memory context.
struct SettleItem {
    core::Receipt receipt;
    bool is_copy_wanted;
    HeapTuple copy;
    SettleOutcome outcome;
};

/// Whether leases that end within a second are first extended by that, so that nobody leases a row
/// between its check and its deletion. Not needed for rows that nobody leases.
enum class Hold : uint8_t { kShortLeases, kNone };

/// Deletes the rows that `items` name, all of one block of this segment, if their receipts hold.
/// Protocol: under the content lock check that the row is live and its token and nonce match (and
/// hold it); delete it (the heap takes its own locks; the pin is kept, so the item cannot be pruned
/// away); check token and nonce again, which are stable now since our deletion is on the row.
/// Another lease in between, after a second of waiting, makes the outcome kOvertaken.
void settle_block(const Segment &segment, BlockNumber block, std::span<SettleItem *> items,
                  Hold hold);

/// What is at the receipt's place: kSettled here means that the receipt holds. The caller holds the
/// content lock.
SettleOutcome check_receipt(const Segment &segment, Buffer buffer, const core::Receipt &receipt,
                            HeapTupleData *tuple);

/// The control words of the row that the receipt stood for, if it was deleted or is being so.
std::optional<RowControl> deleted_at(const Segment &segment, const core::Receipt &receipt);

} // namespace baton::store
