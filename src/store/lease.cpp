// In-place edits of one row under its page's exclusive lock, as one generic WAL record.

#include "store/lease.h"

#include "shared/pending.h"
#include "shared/ready_map.h"
#include "store/row.h"

namespace baton::store {
namespace {

void apply(RowControl *row, const LeaseEdit &edit) {
    row->visible_at = edit.visible_at;
    if (edit.is_attempt_uncounted && row->attempts > 0)
        --row->attempts;
    if (edit.is_given_back) {
        ++row->token;
        row->nonce = 0;
        row->leased_at = 0;
    } else {
        row->leased_at = edit.now;
    }
}

void write(const Segment &segment, Buffer buffer, OffsetNumber offset, const LeaseEdit &edit) {
    GenericXLogState *record = GenericXLogStart(segment.relation);
    Page image = GenericXLogRegisterBuffer(record, buffer, 0);
    auto *header =
        reinterpret_cast<HeapTupleHeader>(PageGetItem(image, PageGetItemId(image, offset)));
    apply(control_of(header), edit);
    GenericXLogFinish(record);
}

bool is_block_missing(const Segment &segment, const core::Receipt &receipt) {
    return receipt.block >= RelationGetNumberOfBlocks(segment.relation);
}

constexpr SettleOutcome kUnknown = {SettleState::kLost, pg::LostReason::kUnknown};

} // namespace

SettleOutcome edit_lease(const Segment &segment, const core::Receipt &receipt,
                         const LeaseEdit &edit) {
    if (is_block_missing(segment, receipt))
        return kUnknown;
    Buffer buffer = ReadBuffer(segment.relation, receipt.block);
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    HeapTupleData tuple;
    SettleOutcome outcome = check_receipt(segment, buffer, receipt, &tuple);
    if (outcome.state == SettleState::kSettled)
        write(segment, buffer, receipt.offset, edit);
    UnlockReleaseBuffer(buffer);
    if (outcome.state == SettleState::kSettled && edit.is_given_back) {
        shared::mark_look_now(segment.key, receipt.block, receipt.block);
        shared::signal_queue({segment.key.database, segment.queue}, 1);
    }
    return outcome;
}

SettleOutcome read_leased(const Segment &segment, const core::Receipt &receipt, HeapTuple *copy) {
    if (is_block_missing(segment, receipt))
        return kUnknown;
    Buffer buffer = ReadBuffer(segment.relation, receipt.block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    HeapTupleData tuple;
    SettleOutcome outcome = check_receipt(segment, buffer, receipt, &tuple);
    if (outcome.state == SettleState::kSettled)
        *copy = heap_copytuple(&tuple);
    UnlockReleaseBuffer(buffer);
    return outcome;
}

} // namespace baton::store
