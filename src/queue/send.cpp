// Finds the segment to append to, by retrying when the chain changed before its lock was granted.

#include "queue/send.h"

#include "pg/error.h"
#include "pg/random.h"
#include "queue/extension.h"
#include "queue/later.h"
#include "shared/queue_state.h"
#include "store/segment.h"

namespace baton::queue {
namespace {

/// The last segment of the chain, locked. The lock may have been waited for behind the emptying of
/// the segment, so the chain is read again after it is granted: getting the lock accepts the news
/// of every change committed before.
store::Segment open_current(const QueueInfo &queue) {
    constexpr int kAttempts = 100;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        Chain chain = chain_of(queue.id);
        if (chain.count == 0)
            break;
        Oid current = chain.segments[chain.count - 1];
        store::Segment segment = store::open_segment(current, queue.id);
        if (segment.relation) {
            Chain again = chain_of(queue.id);
            if (again.count > 0 && again.segments[again.count - 1] == current)
                return segment;
            store::close_segment(segment, true);
        }
        CHECK_FOR_INTERRUPTS();
    }
    if (queue.id != shared::kOutboxQueue && !find_queue_by_id(queue.id))
        pg::raise_no_such_queue(NameStr(queue.name));
    ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR),
                    errmsg("queue \"%s\" has no segment to append to", NameStr(queue.name))));
    pg_unreachable();
}

/// An unlogged segment is empty after a crash and keeps its number of storage, so places come
/// again. Tokens that begin anywhere keep receipts from before the crash from meeting messages sent
/// after it: together with the nonce that is 62 random bits.
void draw_tokens(store::RowValues *rows, int count) {
    constexpr uint64_t kFirstTokens = uint64_t{1} << 30; // as many leases are left to count
    for (int i = 0; i < count; ++i)
        rows[i].set(store::kToken,
                    Int32GetDatum(static_cast<int32_t>(pg::random_bits() % kFirstTokens)));
}

} // namespace

void append(const QueueInfo &queue, store::RowValues *rows, int count) {
    if (count == 0)
        return;
    store::Segment segment = open_current(queue);
    if (queue.settings.is_unlogged)
        draw_tokens(rows, count);
    auto *tuples = static_cast<HeapTuple *>(palloc(sizeof(HeapTuple) * static_cast<Size>(count)));
    for (int i = 0; i < count; ++i)
        tuples[i] =
            heap_form_tuple(RelationGetDescr(segment.relation), rows[i].values, rows[i].nulls);
    store::append_rows(segment, tuples, count, queue.id == shared::kOutboxQueue);
    for (int i = 0; i < count; ++i)
        heap_freetuple(tuples[i]);
    pfree(tuples);
    store::close_segment(segment, false);
}

bool can_append(uint32_t queue) {
    Chain chain = chain_of(queue);
    return chain.count == 0 ||
           ConditionalLockRelationOid(chain.segments[chain.count - 1], store::kSegmentLock);
}

void send_rows(const QueueInfo &queue, store::RowValues *rows, int count, int64_t due_at,
               int64_t now) {
    if (is_for_later(due_at, now))
        append_later(queue, rows, count);
    else
        append(queue, rows, count);
}

} // namespace baton::queue
