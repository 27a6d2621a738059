// Scans over whole chains.

#include "queue/row_reader.h"

#include "pg/clock.h"
#include "pg/error.h"
#include "queue/settle.h"
#include "store/claim.h"

namespace baton::queue {
namespace {

constexpr int64_t kTakenOverFor = 5 * pg::kMicrosPerSecond;

/// Takes over and deletes the rows of one block. Returns how many.
int64_t delete_block(const store::Segment &segment, BlockNumber block, bool include_leased) {
    store::ClaimedRow rows[MaxHeapTuplesPerPage];
    store::ClaimedRows found = {};
    found.rows = rows;
    found.limit = found.capacity = MaxHeapTuplesPerPage;
    store::ClaimRequest request = {};
    request.kind = include_leased ? store::ClaimKind::kTakeOverLeased : store::ClaimKind::kTakeOver;
    request.policy.visibility_timeout = kTakenOverFor;
    request.now = pg::clock_now();
    (void)store::claim_block(segment, block, request, found, true);
    store::SettleItem items[MaxHeapTuplesPerPage];
    store::SettleItem *pointers[MaxHeapTuplesPerPage];
    for (int i = 0; i < found.count; ++i) {
        items[i] = {rows[i].receipt, false, nullptr, {}};
        pointers[i] = &items[i];
        heap_freetuple(rows[i].tuple);
    }
    store::settle_block(segment, block, {pointers, static_cast<size_t>(found.count)},
                        store::Hold::kNone);
    int64_t deleted = 0;
    for (int i = 0; i < found.count; ++i)
        deleted += items[i].outcome.state == store::SettleState::kSettled ? 1 : 0;
    return deleted;
}

} // namespace

void visit_rows(const QueueInfo &queue, RowVisitor visit, void *argument) {
    Chain chain = chain_of(queue.id);
    bool goes_on = true;
    for (int i = 0; i < chain.count && goes_on; ++i) {
        Relation relation = try_relation_open(chain.segments[i], AccessShareLock);
        if (!relation)
            continue;
        if (!store::has_storage(relation)) {
            relation_close(relation, AccessShareLock);
            continue;
        }
        TableScanDesc scan = heap_beginscan(relation, GetActiveSnapshot(), 0, nullptr, nullptr,
                                            SO_TYPE_SEQSCAN | SO_ALLOW_PAGEMODE);
        HeapTuple row = nullptr;
        while (goes_on && (row = heap_getnext(scan, ForwardScanDirection)) != nullptr)
            goes_on = visit(row, relation, argument);
        heap_endscan(scan);
        relation_close(relation, AccessShareLock);
    }
}

bool has_rows(Oid segment) {
    Relation relation = try_relation_open(segment, AccessShareLock);
    if (!relation)
        return false;
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    TableScanDesc scan = heap_beginscan(relation, snapshot, 0, nullptr, nullptr,
                                        SO_TYPE_SEQSCAN | SO_ALLOW_PAGEMODE);
    bool has_any = heap_getnext(scan, ForwardScanDirection) != nullptr;
    heap_endscan(scan);
    UnregisterSnapshot(snapshot);
    relation_close(relation, AccessShareLock);
    return has_any;
}

int64_t delete_rows(const QueueInfo &queue, bool include_leased) {
    int64_t deleted = 0;
    Chain chain = chain_of(queue.id);
    for (int i = 0; i < chain.count; ++i) {
        store::Segment segment = store::open_segment(chain.segments[i], queue.id);
        if (!segment.relation)
            continue;
        BlockNumber nblocks = RelationGetNumberOfBlocks(segment.relation);
        for (BlockNumber block = 0; block < nblocks; ++block) {
            CHECK_FOR_INTERRUPTS();
            deleted += delete_block(segment, block, include_leased);
        }
        store::close_segment(segment, false);
    }
    return deleted;
}

} // namespace baton::queue
