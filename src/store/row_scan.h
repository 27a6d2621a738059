// Walking over the rows of one locked page, telling live from dead without a snapshot.
#pragma once

#include "core/row_verdict.h"
#include "pg/prelude.h"
#include "store/claim.h"

namespace baton::store {

struct RowScan {
    Buffer buffer;
    Page page;
    BlockNumber block;
    Oid relid;
    OffsetNumber offset; // of the current row
    OffsetNumber last;
    HeapTupleData tuple; // points into the page
    HTSV_Result state;   // of the current row
};

/// Starts before the first row. The caller holds the buffer's content lock until it has done with
/// the rows; an exclusive one if it will change them.
RowScan begin_row_scan(Relation relation, Buffer buffer);

/// Moves to the next row that is not dead. False at the end.
bool next_row(RowScan &scan);

/// The row at an offset that is known to hold one.
HeapTupleData row_at(const RowScan &scan, OffsetNumber offset);

/// What decides about a row.
core::RowFacts facts_of(Relation relation, HeapTupleData &tuple, const core::RetryPolicy &retry);

} // namespace baton::store
