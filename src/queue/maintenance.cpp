// Walks over all queues of the database.

#include "queue/maintenance.h"

#include "pg/sql.h"
#include "queue/extension.h"
#include "queue/queue_ids.h"
#include "queue/queue_info.h"
#include "queue/segments.h"
#include "shared/queue_state.h"
#include "store/row_scan.h"
#include "store/segment.h"
#include "store/turnover.h"

namespace baton::queue {
namespace {

bool is_over_limit(uint32_t queue, Oid relid) {
    store::Segment segment = store::open_segment_if_free(relid, queue);
    if (!segment.relation)
        return false;
    bool is_over = store::is_full(RelationGetNumberOfBlocks(segment.relation));
    store::close_segment(segment, true);
    return is_over;
}

/// Keeps the queue from being dropped until the end of the transaction. False if it is gone or
/// somebody changes it just now: then another round will do.
bool hold_queue(uint32_t queue) {
    if (queue == shared::kOutboxQueue)
        return true;
    pg::SqlArgument arguments[] = {{INT4OID, UInt32GetDatum(queue), false}};
    return pg::run_sql("SELECT FROM baton._queue WHERE id = $1 FOR KEY SHARE SKIP LOCKED",
                       arguments) == 1;
}

bool extend(uint32_t queue) {
    std::optional<QueueInfo> info =
        queue == shared::kOutboxQueue ? outbox() : find_queue_by_id(queue);
    if (!info)
        return false;
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    bool is_held = hold_queue(queue);
    if (is_held)
        add_segment(queue, info->settings.is_unlogged);
    pg::end_sql(session);
    leave(caller);
    CommandCounterIncrement();
    return is_held;
}

int32_t slot_of(uint32_t queue, Oid segment) {
    char *name = get_rel_name(segment);
    int32_t slot = 0;
    if (!name || sscanf(name, psprintf("q%u_%%d", queue), &slot) != 1)
        return 0;
    return slot;
}

/// Looks at the place where a live row is likeliest, so that a segment in use costs one page.
bool is_alive_at_low_mark(const store::Segment &segment) {
    Relation relation = segment.relation;
    BlockNumber block = shared::peek_segment(segment.key).low_block;
    if (block >= RelationGetNumberOfBlocks(relation))
        return false;
    Buffer buffer = ReadBuffer(relation, block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    store::RowScan scan = store::begin_row_scan(relation, buffer);
    bool is_alive = store::next_row(scan);
    UnlockReleaseBuffer(buffer);
    return is_alive;
}

/// Without any lock that others would wait for: whether the segment is dead to everybody
/// (kEmptied), to this moment but not to some snapshot (kLater), or not at all (kNothing).
Turnover outlook(uint32_t queue, Oid relid) {
    store::Segment segment = store::open_segment_if_free(relid, queue);
    if (!segment.relation)
        return Turnover::kNothing;
    Turnover result = Turnover::kNothing;
    if (!is_alive_at_low_mark(segment) && slot_of(queue, relid) != 0)
        result = store::is_dead_to_all(segment.relation) ? Turnover::kEmptied : Turnover::kLater;
    store::close_segment(segment, true);
    return result;
}

Turnover turn_over(uint32_t queue, Oid segment) {
    Turnover expected = outlook(queue, segment);
    if (expected != Turnover::kEmptied)
        return expected;
    int32_t slot = slot_of(queue, segment);
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    Turnover result = Turnover::kLater;
    if (hold_queue(queue) && store::empty_segment(segment, queue) == store::EmptyResult::kEmptied) {
        retire_segment(queue, slot);
        result = Turnover::kEmptied;
    }
    pg::end_sql(session);
    leave(caller);
    CommandCounterIncrement();
    return result;
}

/// Blocks that the map believes dead and that hold a row.
int sweep_segment(const store::Segment &segment) {
    int found = 0;
    BlockNumber nblocks = RelationGetNumberOfBlocks(segment.relation);
    for (BlockNumber block = 0; block < nblocks; ++block) {
        CHECK_FOR_INTERRUPTS();
        if (!shared::is_believed_dead(segment.key, block))
            continue;
        Buffer buffer = ReadBuffer(segment.relation, block);
        LockBuffer(buffer, BUFFER_LOCK_SHARE);
        store::RowScan scan = store::begin_row_scan(segment.relation, buffer);
        bool has_row = store::next_row(scan);
        UnlockReleaseBuffer(buffer);
        if (!has_row)
            continue;
        shared::mark_look_now(segment.key, block, block);
        shared::signal_queue({segment.key.database, segment.queue}, 1);
        ++found;
    }
    return found;
}

} // namespace

int extend_chains() {
    int extended = 0;
    QueueIds queues = all_queues();
    for (int i = 0; i < queues.count; ++i) {
        CHECK_FOR_INTERRUPTS();
        Chain chain = chain_of(queues.ids[i]);
        if (chain.count > 0 && is_over_limit(queues.ids[i], chain.segments[chain.count - 1]) &&
            extend(queues.ids[i]))
            ++extended;
    }
    return extended;
}

Turnover turn_over_one() {
    Turnover result = Turnover::kNothing;
    QueueIds queues = all_queues();
    for (int i = 0; i < queues.count; ++i) {
        CHECK_FOR_INTERRUPTS();
        Chain chain = chain_of(queues.ids[i]);
        for (int j = 0; j + 1 < chain.count; ++j) {
            Turnover one = turn_over(queues.ids[i], chain.segments[j]);
            if (one == Turnover::kEmptied)
                return one;
            if (one == Turnover::kLater)
                result = one;
        }
    }
    return result;
}

int sweep_one() {
    static constinit uint32_t last = 0;
    QueueIds queues = all_queues();
    uint32_t queue = queues.ids[0];
    for (int i = queues.count; --i >= 0;)
        if (queues.ids[i] > last)
            queue = queues.ids[i];
    last = queue;
    int found = 0;
    Chain chain = chain_of(queue);
    for (int i = 0; i < chain.count; ++i) {
        store::Segment segment = store::open_segment_if_free(chain.segments[i], queue);
        if (!segment.relation)
            continue;
        found += sweep_segment(segment);
        store::close_segment(segment, true);
    }
    return found;
}

} // namespace baton::queue
