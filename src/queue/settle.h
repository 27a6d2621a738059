// Settling receipts: ack, nack, release and extend, over all segments of all queues.
#pragma once

#include "core/receipt.h"
#include "pg/prelude.h"
#include "queue/dead_letter.h"
#include "queue/queue_info.h"
#include "store/settle.h"

namespace baton::queue {

/// Where a receipt's segment is. segment.relation is nullptr if it is unknown.
struct Place {
    std::optional<QueueInfo> queue;
    store::Segment segment;
};

/// Finds and opens the segment of a receipt after checking that the current role may consume from
/// its queue (42501).
Place open_place(const core::Receipt &receipt);

/// Deletes the messages of all receipts in the caller's transaction. Each item's outcome tells;
/// with kOvertaken anywhere the caller must raise or roll back. Receipts must be different.
void settle(std::span<store::SettleItem> items);

/// Raises BT001 for an outcome that is not kSettled; looks whether the message is a dead letter.
[[noreturn]] void raise_lost(const core::Receipt &receipt, const store::SettleOutcome &outcome);

/// Extends the lease to now + timeout (by default the queue's). Returns its end; nothing if it is
/// lost (then `outcome` says why).
std::optional<int64_t> extend(const core::Receipt &receipt, std::optional<int64_t> timeout,
                              store::SettleOutcome &outcome);

/// Gives the message back at once, the attempt uncounted.
store::SettleOutcome release(const core::Receipt &receipt);

/// What a consumer says of a failed attempt.
struct Failure {
    core::FailureClass failure;
    text *error;
    std::optional<int64_t> delay; // microseconds
};

/// Moves the message that the receipt names to the dead letters, in the caller's transaction.
store::SettleOutcome bury(const Place &place, const core::Receipt &receipt, const Death &death);

struct NackResult {
    store::SettleOutcome outcome;
    bool is_dead;
};

/// Retry, at once and whatever becomes of the transaction, or dead letter in the caller's
/// transaction.
NackResult nack(const core::Receipt &receipt, const Failure &failure);

} // namespace baton::queue
