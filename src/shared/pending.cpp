// Per-backend list of what the transaction touched, by subtransaction level, and the callbacks that
// act on it.

#include "shared/pending.h"

#include "core/block_ranges.h"
#include "pg/clock.h"
#include "shared/control.h"
#include "shared/prepared.h"
#include "shared/roster.h"

namespace baton::shared {
namespace {

using Ranges = core::BlockRanges<8>;

struct Entry {
    SegmentKey key;
    uint32_t queue;
    int nest;        // subtransaction level that the entry belongs to
    bool is_changed; // the queue: everybody who waits is woken
    bool is_forgotten_at_commit;
    uint64_t inserted_rows;
    uint64_t deleted_rows;
    Ranges inserted;
    Ranges deleted;
    Ranges emptied;
};

static_assert(std::is_trivially_destructible_v<Entry>);

constexpr uint64_t kEverybody = std::numeric_limits<uint64_t>::max();

constinit Entry *entries_ = nullptr; // grown when something is noted, never in a callback
constinit int count_ = 0;
constinit int capacity_ = 0;
constinit uint32_t work_ = 0;
constexpr int64_t kNothingLater = std::numeric_limits<int64_t>::max();
constinit int64_t later_due_ = kNothingLater; // the earliest that this transaction put off
constinit TransactionId preparing_ = InvalidTransactionId;
constinit bool is_waiting_ = false;
constinit QueueKey waiting_ = {};

Entry *add_entry(const SegmentKey &key, uint32_t queue, int nest) {
    if (count_ == capacity_) {
        int larger = capacity_ == 0 ? 16 : capacity_ * 2;
        Size bytes = sizeof(Entry) * static_cast<Size>(larger);
        entries_ = static_cast<Entry *>(entries_ ? repalloc_huge(entries_, bytes)
                                                 : MemoryContextAllocHuge(TopMemoryContext, bytes));
        capacity_ = larger;
    }
    Entry *entry = &entries_[count_++];
    *entry = Entry{};
    entry->key = key;
    entry->queue = queue;
    entry->nest = nest;
    return entry;
}

Entry *entry_for(const SegmentKey &key, uint32_t queue) {
    int nest = GetCurrentTransactionNestLevel();
    for (int i = count_; --i >= 0 && entries_[i].nest == nest;)
        if (entries_[i].key == key && entries_[i].queue == queue)
            return &entries_[i];
    return add_entry(key, queue, nest);
}

void mark(const SegmentKey &key, const Ranges &ranges) {
    for (const auto &range : ranges.ranges())
        mark_look_now(key, range.first, range.last);
}

void tell_consumers(const Entry &entry, uint64_t messages) {
    if (messages == 0)
        return;
    if (entry.queue == kOutboxQueue)
        wake_worker(MyDatabaseId, kWorkRelay);
    else
        signal_queue({MyDatabaseId, entry.queue}, messages);
}

void act_on_commit(const Entry &entry) {
    if (entry.is_forgotten_at_commit) {
        forget_segment(entry.key);
        return;
    }
    if (entry.is_changed)
        signal_queue({MyDatabaseId, entry.queue}, kEverybody);
    mark(entry.key, entry.emptied);
    mark(entry.key, entry.inserted);
    tell_consumers(entry, entry.inserted_rows);
}

void act_on_abort(const Entry &entry) {
    mark(entry.key, entry.inserted); // their blocks are dead now
    mark(entry.key, entry.deleted);
    tell_consumers(entry, entry.deleted_rows);
}

void hand_over_ranges(const Entry &entry, const Ranges &ranges, uint64_t rows) {
    for (const auto &range : ranges.ranges())
        remember_prepared({preparing_, entry.key, entry.queue, range.first, range.last, rows});
}

/// The outcome of a prepared transaction comes from another session; the worker watches for it.
void hand_over_prepared(const Entry &entry) {
    if (!TransactionIdIsValid(preparing_))
        return;
    if (entry.is_changed) // of no segment, so nothing is marked
        remember_prepared({preparing_, entry.key, entry.queue, 0, 0, kEverybody});
    hand_over_ranges(entry, entry.inserted, entry.inserted_rows);
    hand_over_ranges(entry, entry.deleted, entry.deleted_rows);
    wake_worker(MyDatabaseId, kWorkPrepared);
}

void finish(void (*act)(const Entry &)) {
    for (int i = 0; i < count_; ++i)
        act(entries_[i]);
    count_ = 0;
}

void tell_of_later() {
    if (later_due_ == kNothingLater)
        return;
    work_ |= kWorkDelayed;
    if (later_due_ <= pg::clock_now())
        work_ |= kWorkOverdue; // others of this transaction may be due later
    later_due_ = kNothingLater;
}

bool stop_waiting() {
    if (!is_waiting_)
        return false;
    is_waiting_ = false;
    leave_wait(waiting_);
    return true;
}

/// A waiter that ends by an error may have consumed a signal that was meant for whoever takes the
/// message.
void give_up_waiting() {
    if (stop_waiting())
        signal_queue(waiting_, 1);
}

/// Both outlive the subtransaction: one entry per segment, however many subtransactions there are.
void merge(Entry &to, const Entry &from) {
    to.is_forgotten_at_commit |= from.is_forgotten_at_commit;
    to.inserted_rows += from.inserted_rows;
    to.deleted_rows += from.deleted_rows;
    to.inserted.merge(from.inserted);
    to.deleted.merge(from.deleted);
    to.emptied.merge(from.emptied);
}

Entry *entry_among(int from, int to, const SegmentKey &key) {
    for (int i = from; i < to; ++i)
        if (entries_[i].key == key)
            return &entries_[i];
    return nullptr;
}

/// The subtransaction's entries become its parent's.
void hand_up(int nest) {
    int end = count_;
    while (end > 0 && entries_[end - 1].nest >= nest)
        --end;
    int first = end;
    while (first > 0 && entries_[first - 1].nest == nest - 1)
        --first;
    int kept = end;
    for (int i = end; i < count_; ++i) {
        Entry *parent = entry_among(first, kept, entries_[i].key);
        if (parent) {
            merge(*parent, entries_[i]);
            continue;
        }
        entries_[kept] = entries_[i];
        entries_[kept++].nest = nest - 1;
    }
    count_ = kept;
}

extern "C" void baton_at_transaction_end(XactEvent event, void *) {
    switch (event) {
    case XACT_EVENT_COMMIT:
        finish(act_on_commit);
        tell_of_later();
        if (work_ != 0)
            wake_worker(MyDatabaseId, work_);
        work_ = 0;
        break;
    case XACT_EVENT_ABORT:
        give_up_waiting();
        finish(act_on_abort);
        later_due_ = kNothingLater;
        work_ = 0;
        break;
    case XACT_EVENT_PRE_PREPARE:
        preparing_ = GetTopTransactionIdIfAny();
        break;
    case XACT_EVENT_PREPARE:
        finish(hand_over_prepared);
        later_due_ = kNothingLater;
        work_ = 0;
        break;
    default:
        break;
    }
}

extern "C" void baton_at_subtransaction_end(SubXactEvent event, SubTransactionId, SubTransactionId,
                                            void *) {
    int nest = GetCurrentTransactionNestLevel();
    if (event == SUBXACT_EVENT_COMMIT_SUB) {
        hand_up(nest);
    } else if (event == SUBXACT_EVENT_ABORT_SUB) {
        give_up_waiting();
        while (count_ > 0 && entries_[count_ - 1].nest >= nest)
            act_on_abort(entries_[--count_]);
    }
}

} // namespace

void install_pending() {
    RegisterXactCallback(baton_at_transaction_end, nullptr);
    RegisterSubXactCallback(baton_at_subtransaction_end, nullptr);
}

void note_inserted(const SegmentKey &key, uint32_t queue, uint32_t lo, uint32_t hi, uint64_t rows) {
    Entry *entry = entry_for(key, queue);
    entry->inserted.add(lo, hi);
    entry->inserted_rows += rows;
}

void note_deleted(const SegmentKey &key, uint32_t queue, uint32_t block, uint16_t rows,
                  bool is_last) {
    Entry *entry = entry_for(key, queue);
    entry->deleted.add(block);
    entry->deleted_rows += rows;
    if (is_last)
        entry->emptied.add(block);
}

void note_forget_at_commit(const SegmentKey &key, uint32_t queue) {
    entry_for(key, queue)->is_forgotten_at_commit = true;
}

void note_changed(uint32_t queue) {
    entry_for({MyDatabaseId, InvalidOid}, queue)->is_changed = true;
}

void note_work(uint32_t work) {
    work_ |= work;
}

void note_later(int64_t due_at) {
    later_due_ = std::min(later_due_, due_at);
}

void note_waiting(const QueueKey &key) {
    waiting_ = key;
    is_waiting_ = true;
}

void note_not_waiting() {
    (void)stop_waiting();
}

} // namespace baton::shared
