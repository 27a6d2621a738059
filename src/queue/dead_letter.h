// Dead letters: rows of baton._dead_letter, written directly (no trigger, no plan) in the caller's
// transaction.
#pragma once

#include "core/retry.h"
#include "pg/prelude.h"
#include "queue/queue_info.h"
#include "store/row.h"

namespace baton::queue {

/// How a message came to its end.
struct Death {
    core::DeadReason reason;
    std::optional<core::FailureClass> failure; // as the consumer classed it
    text *error;                               // sanitised; nullptr = none
};

/// Keeps a copy of the row as a dead letter. `columns` describes the row; its TOAST table must
/// still be locked.
void keep_dead_letter(const QueueInfo &queue, HeapTuple row, TupleDesc columns, const Death &death);

/// True if this round of the message ended in the queue's dead letters.
bool is_dead_letter(const QueueInfo &queue, const store::RowControl &row);

/// An error text as it may be stored: control characters replaced, at most 4000 bytes, valid in the
/// encoding.
text *sanitised_error(text *error);

} // namespace baton::queue
