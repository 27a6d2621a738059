// The receive loop. Segments are closed with their lock after each look, so that a sleeping
// receiver holds nothing.

#include "queue/receive.h"

#include "core/micros.h"
#include "pg/clock.h"
#include "pg/error.h"
#include "queue/bury.h"
#include "queue/consumer.h"
#include "queue/known_files.h"
#include "queue/low_marks.h"
#include "queue/settle.h"
#include "queue/waiting.h"
#include "shared/ready_map.h"
#include "shared/roster.h"

namespace baton::queue {
namespace {

constexpr int kBuryLimit =
    100; // per call, so that a pile of dead messages costs each caller little

struct Scan {
    const QueueInfo &queue;
    store::ClaimRequest request;
    store::ClaimedRows found;
    core::ReadyWord next_due; // over all segments, or the end of the queue's pause
    bool is_paused;
    MessageSink sink;
    void *sink_argument;
};

/// Gives the rows that were claimed since `from` away, one at a time, so that only one large
/// message is in memory at a time. Values out of line are read while the segment is locked.
void hand_out(const store::Segment &segment, Scan &scan, int from) {
    TupleDesc columns = RelationGetDescr(segment.relation);
    for (int i = from; i < scan.found.count; ++i) {
        CHECK_FOR_INTERRUPTS();
        store::ClaimedRow &row = scan.found.rows[i];
        HeapTuple claimed = row.tuple;
        bool is_external = HeapTupleHasExternal(claimed);
        if (is_external)
            row.tuple = toast_flatten_tuple(claimed, columns);
        scan.sink(row, columns, scan.sink_argument);
        if (is_external)
            heap_freetuple(row.tuple);
        heap_freetuple(claimed);
        row.tuple = nullptr;
    }
}

bool is_enough(const Scan &scan) {
    return scan.found.count >= scan.found.limit ||
           scan.found.buried_count >= scan.found.buried_limit;
}

/// Makes room for what one page can add; max_messages can be any number, so the array grows with
/// what is found.
void reserve_page(store::ClaimedRows &found) {
    int wanted = std::min(found.limit, found.count + static_cast<int>(MaxHeapTuplesPerPage));
    if (wanted <= found.capacity)
        return;
    found.capacity = std::min(found.limit, std::max(wanted, found.capacity * 2));
    Size bytes = sizeof(store::ClaimedRow) * static_cast<Size>(found.capacity);
    found.rows = static_cast<store::ClaimedRow *>(
        found.rows ? repalloc_huge(found.rows, bytes)
                   : MemoryContextAllocHuge(CurrentMemoryContext, bytes));
}

enum class Sweep : uint8_t {
    kDone,   // every due block was looked at
    kEnough, // it ended early, at `block`
    kBusy,   // blocks were passed over since others work on them
};

/// Claims block by block, from `block` on.
Sweep sweep(const store::Segment &segment, Scan &scan, BlockNumber &block, BlockNumber nblocks,
            bool can_wait) {
    Sweep result = Sweep::kDone;
    for (;; ++block) {
        block =
            shared::next_due_block(segment.key, segment.relation, block, nblocks, scan.request.now);
        if (block >= nblocks)
            return result;
        CHECK_FOR_INTERRUPTS();
        reserve_page(scan.found);
        if (!store::claim_block(segment, block, scan.request, scan.found, can_wait))
            result = Sweep::kBusy;
        if (is_enough(scan))
            return Sweep::kEnough;
    }
}

/// Claims from one segment, from its low mark on. Blocks that others work on are left to them,
/// unless there is nothing else.
void scan_open_segment(const store::Segment &segment, Scan &scan, const shared::SegmentView &view) {
    BlockNumber nblocks = RelationGetNumberOfBlocks(segment.relation);
    BlockNumber low = std::min(view.low_block, nblocks);
    BlockNumber block = low;
    Sweep result = sweep(segment, scan, block, nblocks, false);
    if (result == Sweep::kBusy && scan.found.count == 0) {
        block = low;
        result = sweep(segment, scan, block, nblocks, true);
    }
    if (result == Sweep::kDone) {
        scan.next_due = core::earlier(scan.next_due,
                                      shared::raise_marks(segment.key, segment.relation).earliest);
        return;
    }
    shared::raise_low_mark(segment.key, block);
    scan.next_due = core::kLookNow;
}

/// Segments that the map knows to hold nothing due are not even opened, so that the emptying of
/// dead ones finds them free.
bool is_skipped(Oid relid, Scan &scan) {
    pg::FileNumber file = known_file(relid);
    if (!OidIsValid(file))
        return false;
    core::ReadyWord earliest = shared::peek_segment({MyDatabaseId, file}).earliest;
    if (core::is_due(earliest, scan.request.now, shared::kHorizon))
        return false;
    scan.next_due = core::earlier(scan.next_due, earliest);
    return true;
}

/// False if there was no need to look.
bool scan_segment(Oid relid, Scan &scan) {
    if (is_skipped(relid, scan))
        return false;
    store::Segment segment = store::open_segment(relid, scan.queue.id);
    if (!segment.relation)
        return false; // dropped meanwhile; the chain will tell
    remember_file(relid, segment.key.file);
    shared::SegmentView view = view_segment(segment);
    int before = scan.found.count;
    int buried_before = scan.found.buried_count;
    if (core::is_due(view.earliest, scan.request.now, shared::kHorizon))
        scan_open_segment(segment, scan, view);
    else
        scan.next_due = core::earlier(scan.next_due, view.earliest);
    hand_out(segment, scan, before);
    bool is_transactional = scan.found.buried_count > buried_before;
    store::close_segment(segment, !is_transactional);
    return true;
}

/// A segment that has a successor and holds nothing any more can be emptied.
void offer_for_turnover(Oid relid) {
    pg::FileNumber file = known_file(relid);
    if (OidIsValid(file) && shared::peek_segment({MyDatabaseId, file}).earliest == core::kNever)
        shared::wake_worker(MyDatabaseId, shared::kWorkTurnover);
}

void scan_chain(Scan &scan) {
    Chain chain = chain_of(scan.queue.id);
    scan.next_due = core::kNever;
    for (int i = 0; i < chain.count && !is_enough(scan); ++i) {
        bool was_scanned = scan_segment(chain.segments[i], scan);
        if (was_scanned && i + 1 < chain.count)
            offer_for_turnover(chain.segments[i]);
    }
}

/// Whether the queue is paused at `now`, and until when. Also accepts the news of the catalog,
/// which a look at segments that are skipped would not: it takes no lock.
bool is_paused(const QueueInfo &queue, int64_t now, core::ReadyWord &until) {
    core::Pause pause = current_pause(queue.id);
    until = pause.until;
    return core::is_paused(pause, now);
}

/// One look at the queue.
void look(Scan &scan) {
    scan.request.now = pg::clock_now();
    shared::heed_clock(scan.request.now);
    scan.is_paused = is_paused(scan.queue, scan.request.now, scan.next_due);
    if (scan.is_paused)
        return;
    scan_chain(scan);
    bury_found({scan.found.buried, static_cast<size_t>(scan.found.buried_count)});
}

Snapshot snapshot_to_obey() {
    return IsolationUsesXactSnapshot() ? GetActiveSnapshot() : nullptr;
}

store::ClaimedRows make_results(int limit) {
    store::ClaimedRows found = {};
    found.limit = limit;
    found.buried_limit = kBuryLimit;
    found.buried = static_cast<store::BuryRow *>(palloc(sizeof(store::BuryRow) * kBuryLimit));
    return found;
}

/// Whether the map has anything due in the segment.
bool is_segment_due(Oid relid, uint32_t queue, int64_t now, core::ReadyWord &next_due) {
    pg::FileNumber file = known_file(relid);
    if (OidIsValid(file)) {
        core::ReadyWord earliest = shared::peek_segment({MyDatabaseId, file}).earliest;
        next_due = core::earlier(next_due, earliest);
        if (!core::is_due(earliest, now, shared::kHorizon))
            return false;
    }
    store::Segment segment = store::open_segment(relid, queue);
    if (!segment.relation)
        return false;
    remember_file(relid, segment.key.file);
    BlockNumber nblocks = RelationGetNumberOfBlocks(segment.relation);
    BlockNumber from = std::min(view_segment(segment).low_block, nblocks);
    bool is_due =
        shared::next_due_block(segment.key, segment.relation, from, nblocks, now) < nblocks;
    if (!is_due)
        next_due =
            core::earlier(next_due, shared::raise_marks(segment.key, segment.relation).earliest);
    store::close_segment(segment, true);
    return is_due;
}

bool is_queue_due(const QueueInfo &queue, core::ReadyWord &next_due) {
    Chain chain = chain_of(queue.id);
    bool is_due = false;
    int64_t now = pg::clock_now();
    shared::heed_clock(now);
    next_due = core::kNever;
    for (int i = 0; i < chain.count && !is_due; ++i)
        is_due = is_segment_due(chain.segments[i], queue.id, now, next_due);
    return is_due;
}

store::ClaimPolicy claim_policy(const QueueSettings &settings,
                                const std::optional<int64_t> &visibility_timeout) {
    return {retry_policy(settings), visibility_timeout.value_or(settings.visibility_timeout)};
}

struct RowPolicyArgument {
    const QueueSettings &settings;
    std::optional<int64_t> visibility_timeout; // as the receiver asked; goes before the message's
};

store::ClaimPolicy policy_of_row(HeapTuple tuple, TupleDesc columns, const void *argument) {
    const auto &queue = *static_cast<const RowPolicyArgument *>(argument);
    return claim_policy(settings_for(queue.settings, tuple, columns), queue.visibility_timeout);
}

/// While the caller slept the queue may have been dropped or the privilege revoked.
void check_again(const QueueInfo &queue) {
    AcceptInvalidationMessages();
    if (!find_queue_by_id(queue.id))
        pg::raise_no_such_queue(NameStr(queue.name));
    require_privilege(queue, Privilege::kConsume);
}

/// Deletes what was popped. Nobody can have leased it again yet.
void consume(std::span<store::ClaimedRow> rows) {
    auto *items = static_cast<store::SettleItem *>(
        palloc(sizeof(store::SettleItem) * std::max<size_t>(rows.size(), 1)));
    for (size_t i = 0; i < rows.size(); ++i)
        items[i] = {rows[i].receipt, false, nullptr, {}};
    settle({items, rows.size()});
    for (size_t i = 0; i < rows.size(); ++i)
        if (items[i].outcome.state != store::SettleState::kSettled)
            raise_lost(items[i].receipt, items[i].outcome);
    pfree(items);
}

} // namespace

bool wait_for_message(const QueueInfo &queue, int64_t wait) {
    Waiting waiting = begin_waiting(queue, wait);
    core::ReadyWord next_due = core::kNever;
    bool is_due = false;
    bool is_held = false;
    do {
        is_held = is_paused(queue, pg::clock_now(), next_due);
        is_due = !is_held && is_queue_due(queue, next_due);
    } while (!is_due && wait_more(waiting, next_due));
    end_waiting(waiting, is_due || is_held); // the message is for whoever receives it
    return is_due;
}

void receive(const QueueInfo &queue, const ReceiveRequest &request, MessageSink sink,
             void *sink_argument) {
    constexpr int kMostRows = 100000; // one call's rows must fit into memory
    int limit = std::min(request.max_messages, kMostRows);
    Scan scan = {queue, {}, make_results(limit), core::kNever, false, sink, sink_argument};
    scan.request.kind = request.is_pop ? store::ClaimKind::kPop : store::ClaimKind::kDeliver;
    scan.request.policy = claim_policy(queue.settings, request.visibility_timeout);
    RowPolicyArgument row_policy = {queue.settings, request.visibility_timeout};
    scan.request.row_policy = policy_of_row;
    scan.request.row_policy_argument = &row_policy;
    scan.request.consumer = consumer_number(request.consumer, request.consumer_version);
    scan.request.seen_by = snapshot_to_obey();
    Waiting waiting = begin_waiting(queue, request.wait);
    for (;;) {
        if (waiting.is_registered)
            check_again(queue);
        look(scan);
        if (scan.found.count > 0 || scan.found.buried_count > 0 ||
            !wait_more(waiting, scan.next_due))
            break;
    }
    end_waiting(waiting, scan.is_paused || (scan.found.count == 0 && scan.found.buried_count > 0));
    if (request.is_pop && scan.found.count > 0) {
        consume({scan.found.rows, static_cast<size_t>(scan.found.count)});
        ForceSyncCommit(); // else a crash would deliver again what its transaction consumed
    }
}

} // namespace baton::queue
