// Claiming: leasing the ready rows of one block in place.
#pragma once

#include "core/receipt.h"
#include "core/row_verdict.h"
#include "pg/prelude.h"
#include "store/segment.h"

namespace baton::store {

/// What the queue says about its rows.
struct ClaimPolicy {
    core::RetryPolicy retry;
    int64_t visibility_timeout; // lease length, microseconds
};

/// The policy for one row that carries options of its own (flag kHasOptions). Must not look at
/// other pages.
using RowPolicy = ClaimPolicy (*)(HeapTuple tuple, TupleDesc columns, const void *argument);

enum class ClaimKind : uint8_t {
    kDeliver,        // lease ready rows: an attempt begins
    kPop,            // the same, but until the retry after a rollback: the caller deletes them
    kLook,           // hand out ready rows as they are; the caller deletes them in its transaction
    kTakeOver,       // hold every row that nobody has leased, delayed ones too, without an attempt
    kTakeOverLeased, // the same with leased rows; their consumers are fenced off
};

/// Decides about a ready row: 0 = take it, else the time (microseconds) to look at it again.
using RowFilter = int64_t (*)(HeapTuple tuple, TupleDesc columns, void *argument);

struct ClaimRequest {
    ClaimKind kind;
    ClaimPolicy policy; // of rows without options
    int64_t now;
    int32_t consumer;
    Snapshot seen_by;     // only rows that this snapshot sees; nullptr = every committed row
    RowPolicy row_policy; // nullptr: options of rows are ignored
    const void *row_policy_argument;
    RowFilter filter; // must not fail or look at other pages; nullptr = take all
    void *filter_argument;
};

struct ClaimedRow {
    HeapTuple tuple; // a copy, with the new control words, in the caller's memory context
    core::Receipt receipt;
};

/// A row that must not be delivered again.
struct BuryRow {
    HeapTuple tuple;       // a copy
    core::Receipt receipt; // names the row in its present state
    core::DeadReason reason;
};

/// Rows found so far; arrays are made by the caller.
struct ClaimedRows {
    ClaimedRow *rows;
    int count;
    int capacity;
    int limit;
    BuryRow *buried;
    int buried_count;
    int buried_limit;
};

/// Leases ready rows of the block until `found` is full; tells the ready map what is left.
/// Takes effect at once, whatever becomes of the transaction. An error leaves the block to be
/// looked at again. False if the block is busy and `can_wait` is false: then nothing was done.
bool claim_block(const Segment &segment, BlockNumber block, const ClaimRequest &request,
                 ClaimedRows &found, bool can_wait);

/// The receipt that names a row in its present state.
core::Receipt receipt_of(const Segment &segment, HeapTuple tuple);

} // namespace baton::store
