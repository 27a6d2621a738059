// Fenced deletion.

#include "store/settle.h"

#include "pg/clock.h"
#include "shared/pending.h"
#include "store/row.h"
#include "store/row_scan.h"

namespace baton::store {
namespace {

using pg::LostReason;

constexpr SettleOutcome kHeld = {SettleState::kSettled, LostReason::kUnknown};

SettleOutcome lost(LostReason reason) {
    return {SettleState::kLost, reason};
}

/// Token and nonce against the row's: each giving back raises the token once and clears the nonce,
/// each lease raises the token and draws a new nonce; an operator's doing is flagged.
SettleOutcome compare(const RowControl &row, const core::Receipt &receipt) {
    auto token = static_cast<uint32_t>(row.token);
    if (token == receipt.token && static_cast<uint32_t>(row.nonce) == receipt.nonce)
        return kHeld;
    if (token == receipt.token + 1 && (row.flags & kTakenAway))
        return lost(LostReason::kTakenAway);
    if (token == receipt.token + 1 && row.nonce == 0)
        return lost(LostReason::kSettled);
    if (token > receipt.token)
        return lost(LostReason::kLeasedAgain);
    return lost(LostReason::kUnknown);
}

bool is_only_locked(HeapTupleHeader header) {
    return !(header->t_infomask & HEAP_XMAX_INVALID) &&
           HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask);
}

SettleOutcome outcome_of(TM_Result result) {
    switch (result) {
    case TM_Ok:
        return kHeld;
    case TM_SelfModified:
        return lost(LostReason::kSettled);
    case TM_BeingModified:
    case TM_WouldBlock:
        return lost(LostReason::kBeingSettled);
    case TM_Deleted:
    case TM_Updated:
        return lost(LostReason::kSettled);
    case TM_Invisible:
        break;
    }
    return lost(LostReason::kUnknown);
}

void delete_row(const Segment &segment, SettleItem &item, bool wait) {
    ItemPointerData tid;
    ItemPointerSet(&tid, item.receipt.block, item.receipt.offset);
    TM_FailureData failure;
    TM_Result result = heap_delete(segment.relation, &tid, GetCurrentCommandId(true),
                                   InvalidSnapshot, wait, &failure, false);
    item.outcome = outcome_of(result);
}

/// After our deletion nobody leases the row any more: what it says now is what we deleted.
void check_again(Buffer buffer, SettleItem &item) {
    ItemId id = PageGetItemId(BufferGetPage(buffer), item.receipt.offset);
    auto *header = reinterpret_cast<HeapTupleHeader>(PageGetItem(BufferGetPage(buffer), id));
    SettleOutcome now = compare(*control_of(header), item.receipt);
    if (now.state != SettleState::kSettled)
        item.outcome = {SettleState::kOvertaken, now.reason};
}

struct Checked {
    int held;
    bool is_short; // a lease ends soon
};

/// Checks all items under a share lock; `must_wait` where somebody only locks the row.
Checked check_all(const Segment &segment, Buffer buffer, std::span<SettleItem *> items,
                  bool *must_wait, int64_t soon) {
    Checked checked = {0, false};
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    for (size_t i = 0; i < items.size(); ++i) {
        HeapTupleData tuple;
        items[i]->outcome = check_receipt(segment, buffer, items[i]->receipt, &tuple);
        if (items[i]->outcome.state != SettleState::kSettled)
            continue;
        ++checked.held;
        checked.is_short |= control_of(tuple.t_data)->visible_at < soon;
        must_wait[i] = is_only_locked(tuple.t_data);
        if (items[i]->is_copy_wanted)
            items[i]->copy = heap_copytuple(&tuple);
    }
    LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
    return checked;
}

/// Extends short leases in one record; what was lost meanwhile becomes so.
void hold_short(const Segment &segment, Buffer buffer, std::span<SettleItem *> items,
                int64_t soon) {
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    GenericXLogState *record = GenericXLogStart(segment.relation);
    Page image = GenericXLogRegisterBuffer(record, buffer, 0);
    for (auto *item : items) {
        HeapTupleData tuple;
        if (item->outcome.state != SettleState::kSettled)
            continue;
        item->outcome = check_receipt(segment, buffer, item->receipt, &tuple);
        if (item->outcome.state != SettleState::kSettled)
            continue;
        ItemId id = PageGetItemId(image, item->receipt.offset);
        RowControl *row = control_of(reinterpret_cast<HeapTupleHeader>(PageGetItem(image, id)));
        row->visible_at = std::max(row->visible_at, soon);
    }
    GenericXLogFinish(record);
    LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
}

void delete_all(const Segment &segment, Buffer buffer, std::span<SettleItem *> items,
                const bool *must_wait) {
    uint16_t deleted = 0;
    for (size_t i = 0; i < items.size(); ++i)
        if (items[i]->outcome.state == SettleState::kSettled)
            delete_row(segment, *items[i], must_wait[i]);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    for (auto *item : items)
        if (item->outcome.state == SettleState::kSettled) {
            check_again(buffer, *item);
            ++deleted;
        }
    LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
    BlockNumber block = BufferGetBlockNumber(buffer);
    if (deleted > 0 && shared::note_settled(segment.key, block, deleted))
        shared::note_deleted(segment.key, segment.queue, block, 0, true);
}

} // namespace

SettleOutcome check_receipt(const Segment &segment, Buffer buffer, const core::Receipt &receipt,
                            HeapTupleData *tuple) {
    RowScan scan = begin_row_scan(segment.relation, buffer);
    if (receipt.offset == InvalidOffsetNumber || receipt.offset > scan.last ||
        !ItemIdIsNormal(PageGetItemId(scan.page, receipt.offset)))
        return lost(LostReason::kUnknown);
    *tuple = row_at(scan, receipt.offset);
    TransactionId dead_after = InvalidTransactionId;
    SettleOutcome match = compare(*control_of(tuple->t_data), receipt);
    switch (HeapTupleSatisfiesVacuumHorizon(tuple, buffer, &dead_after)) {
    case HEAPTUPLE_LIVE:
        return match;
    case HEAPTUPLE_DELETE_IN_PROGRESS:
        if (match.state != SettleState::kSettled)
            return match;
        return TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(tuple->t_data))
                   ? lost(LostReason::kSettled)
                   : lost(LostReason::kBeingSettled);
    case HEAPTUPLE_RECENTLY_DEAD:
    case HEAPTUPLE_DEAD:
        return match.state == SettleState::kSettled ? lost(LostReason::kSettled) : match;
    case HEAPTUPLE_INSERT_IN_PROGRESS:
        break;
    }
    return lost(LostReason::kUnknown);
}

std::optional<RowControl> deleted_at(const Segment &segment, const core::Receipt &receipt) {
    std::optional<RowControl> control;
    if (receipt.block >= RelationGetNumberOfBlocks(segment.relation))
        return control;
    Buffer buffer = ReadBuffer(segment.relation, receipt.block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    HeapTupleData tuple = {};
    TransactionId dead_after = InvalidTransactionId;
    (void)check_receipt(segment, buffer, receipt, &tuple);
    if (tuple.t_data && static_cast<uint32_t>(control_of(tuple.t_data)->token) >= receipt.token &&
        HeapTupleSatisfiesVacuumHorizon(&tuple, buffer, &dead_after) != HEAPTUPLE_LIVE)
        control = *control_of(tuple.t_data);
    UnlockReleaseBuffer(buffer);
    return control;
}

void settle_block(const Segment &segment, BlockNumber block, std::span<SettleItem *> items,
                  Hold hold) {
    if (block >= RelationGetNumberOfBlocks(segment.relation)) {
        for (auto *item : items)
            item->outcome = lost(LostReason::kUnknown);
        return;
    }
    bool must_wait[MaxHeapTuplesPerPage];
    int64_t soon = pg::clock_now() + pg::kMicrosPerSecond;
    Buffer buffer = ReadBuffer(segment.relation, block);
    while (!items.empty()) { // forged receipts can name more rows than a page holds
        std::span<SettleItem *> some =
            items.first(std::min<size_t>(items.size(), MaxHeapTuplesPerPage));
        items = items.subspan(some.size());
        Checked checked = check_all(segment, buffer, some, must_wait, soon);
        if (checked.held == 0)
            continue;
        if (checked.is_short && hold == Hold::kShortLeases)
            hold_short(segment, buffer, some, soon);
        shared::note_deleted(segment.key, segment.queue, block, static_cast<uint16_t>(checked.held),
                             false);
        delete_all(segment, buffer, some, must_wait);
    }
    ReleaseBuffer(buffer);
}

} // namespace baton::store
