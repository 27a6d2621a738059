// Blocks that prepared transactions inserted into or deleted from. Their outcome comes from another
// session, without any callback, so the database's worker watches for it.
#pragma once

#include "pg/prelude.h"
#include "shared/ready_map.h"

namespace baton::shared {

/// One range of blocks of one prepared transaction.
struct PreparedRange {
    TransactionId xid;
    SegmentKey key;
    uint32_t queue;
    uint32_t first;
    uint32_t last;
    uint64_t rows; // to wake consumers for
};

Size prepared_size();
void request_prepared_locks();
void init_prepared(bool is_found);

/// Remembers a range; without room it is left to the safety net of its blocks. Cannot fail: safe in
/// callbacks.
void remember_prepared(const PreparedRange &range);

/// Takes the ranges of transactions that have ended and makes them known to the ready map and to
/// waiting consumers. Returns how many ranges of this database are left.
int resolve_prepared();

} // namespace baton::shared
