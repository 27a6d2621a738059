// In-place edits of one row under its page's exclusive lock, as one generic WAL record.

#include "store/lease.h"

#include "shared/pending.h"
#include "pg/random.h"
#include "shared/ready_map.h"
#include "store/row.h"
#include "store/row_scan.h"

namespace baton::store {
namespace {

void end_receipt(RowControl *row, uint32_t nonce) {
    ++row->token;
    row->nonce = static_cast<int32_t>(nonce);
}

void apply(RowControl *row, const LeaseEdit &edit) {
    row->visible_at = edit.visible_at;
    switch (edit.kind) {
    case EditKind::kExtend:
        row->leased_at = edit.now;
        break;
    case EditKind::kRelease:
        row->attempts = std::max(row->attempts - 1, 0);
        [[fallthrough]];
    case EditKind::kRetry:
        row->leased_at = 0;
        end_receipt(row, 0);
        break;
    case EditKind::kTakeBack:
        row->leased_at = 0;
        row->flags |= kTakenAway;
        end_receipt(row, 0);
        break;
    case EditKind::kTakeOver:
        row->leased_at = edit.now;
        row->flags |= kTakenAway;
        end_receipt(row, pg::random_nonce());
        break;
    }
}

RowControl *control_in(Page image, OffsetNumber offset) {
    ItemId item = PageGetItemId(image, offset);
    return control_of(reinterpret_cast<HeapTupleHeader>(PageGetItem(image, item)));
}

void write(const Segment &segment, Buffer buffer, core::Receipt &receipt, const LeaseEdit &edit) {
    GenericXLogState *record = GenericXLogStart(segment.relation);
    RowControl *row = control_in(GenericXLogRegisterBuffer(record, buffer, 0), receipt.offset);
    apply(row, edit);
    receipt.token = static_cast<uint32_t>(row->token);
    receipt.nonce = static_cast<uint32_t>(row->nonce);
    GenericXLogFinish(record);
}

bool is_given_back(EditKind kind) {
    return kind == EditKind::kRetry || kind == EditKind::kRelease;
}

void tell(const Segment &segment, BlockNumber block, uint64_t rows) {
    shared::mark_look_now(segment.key, block, block);
    shared::signal_queue({segment.key.database, segment.queue}, rows);
}

bool is_block_missing(const Segment &segment, const core::Receipt &receipt) {
    return receipt.block >= RelationGetNumberOfBlocks(segment.relation);
}

constexpr SettleOutcome kUnknown = {SettleState::kLost, pg::LostReason::kUnknown};

} // namespace

SettleOutcome edit_lease(const Segment &segment, core::Receipt &receipt, const LeaseEdit &edit) {
    if (is_block_missing(segment, receipt))
        return kUnknown;
    Buffer buffer = ReadBuffer(segment.relation, receipt.block);
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    HeapTupleData tuple;
    SettleOutcome outcome = check_receipt(segment, buffer, receipt, &tuple);
    bool is_done = outcome.state == SettleState::kSettled;
    if (is_done)
        write(segment, buffer, receipt, edit);
    UnlockReleaseBuffer(buffer);
    if (is_done && is_given_back(edit.kind))
        tell(segment, receipt.block, 1);
    return outcome;
}

int release_consumers_in_block(const Segment &segment, BlockNumber block,
                               std::span<const int32_t> consumers, int64_t now) {
    OffsetNumber offsets[MaxHeapTuplesPerPage];
    int count = 0;
    Buffer buffer = ReadBuffer(segment.relation, block);
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    RowScan scan = begin_row_scan(segment.relation, buffer);
    while (next_row(scan)) {
        const RowControl &row = *control_of(scan.tuple.t_data);
        bool is_theirs =
            std::find(consumers.begin(), consumers.end(), row.consumer) != consumers.end();
        if (scan.state == HEAPTUPLE_LIVE && is_theirs && row.nonce != 0 && row.visible_at > now)
            offsets[count++] = scan.offset;
    }
    if (count > 0) {
        GenericXLogState *record = GenericXLogStart(segment.relation);
        Page image = GenericXLogRegisterBuffer(record, buffer, 0);
        for (int i = 0; i < count; ++i)
            apply(control_in(image, offsets[i]), {EditKind::kTakeBack, now, now});
        GenericXLogFinish(record);
    }
    UnlockReleaseBuffer(buffer);
    if (count > 0)
        tell(segment, block, static_cast<uint64_t>(count));
    return count;
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
