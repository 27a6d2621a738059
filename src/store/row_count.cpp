// Block by block under share locks.

#include "store/row_count.h"

#include "store/row_scan.h"

namespace baton::store {
namespace {

int64_t count_block(Relation relation, BlockNumber block) {
    int64_t count = 0;
    Buffer buffer = ReadBuffer(relation, block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    RowScan scan = begin_row_scan(relation, buffer);
    while (next_row(scan))
        count += scan.state == HEAPTUPLE_LIVE || scan.state == HEAPTUPLE_DELETE_IN_PROGRESS;
    UnlockReleaseBuffer(buffer);
    return count;
}

} // namespace

int64_t count_rows(Relation relation, BlockNumber from) {
    int64_t count = 0;
    BlockNumber nblocks = RelationGetNumberOfBlocks(relation);
    for (BlockNumber block = from; block < nblocks; ++block) {
        CHECK_FOR_INTERRUPTS();
        count += count_block(relation, block);
    }
    return count;
}

} // namespace baton::store
