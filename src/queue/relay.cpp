// Takes events off the outbox's chain, groups them by target queue and appends each group at once.

#include "queue/relay.h"

#include "core/topic.h"

#include "core/micros.h"
#include "pg/clock.h"
#include "pg/settings.h"
#include "queue/low_marks.h"
#include "queue/queue_info.h"
#include "queue/send.h"
#include "queue/settle.h"
#include "queue/subscription.h"
#include "shared/pending.h"
#include "store/claim.h"
#include "store/row.h"

namespace baton::queue {
namespace {

struct Relay {
    std::span<Route> routes;
    int64_t now;
    int64_t retention;
    store::ClaimedRows found;
    int64_t next_due;
};

std::string_view topic_of(HeapTuple tuple, TupleDesc columns) {
    bool is_null = false;
    Datum topic = heap_getattr(tuple, store::kTopic, columns, &is_null);
    if (is_null)
        return {};
    auto *value =
        reinterpret_cast<text *>(DatumGetPointer(topic)); // short: never compressed or out of line
    return {VARDATA_ANY(value), static_cast<size_t>(VARSIZE_ANY_EXHDR(value))};
}

bool is_routed(std::string_view topic, std::span<const Route> routes) {
    for (const Route &candidate : routes)
        if (core::topic_matches(candidate.pattern, topic))
            return true;
    return false;
}

/// An event that nobody wants yet is looked at again when its time is over.
int64_t defer_unrouted(HeapTuple tuple, TupleDesc columns, void *argument) {
    const Relay &relay = *static_cast<Relay *>(argument);
    if (is_routed(topic_of(tuple, columns), relay.routes))
        return 0;
    int64_t until =
        core::add_micros(store::control_of(tuple->t_data)->enqueued_at, relay.retention);
    return until > relay.now ? until : 0;
}

/// After a change of the subscriptions every event is looked at again. The map outlives the worker,
/// so a new worker looks again too.
void notice_new_routes(std::span<const Route> routes) {
    static constinit bool is_known = false;
    static constinit uint64_t known = 0;
    uint64_t sum = routes.size();
    for (const Route &entry : routes) {
        sum = hash_combine64(
            sum, hash_bytes_extended(reinterpret_cast<const unsigned char *>(entry.pattern.data()),
                                     static_cast<int>(entry.pattern.size()), entry.queue));
    }
    if (is_known && sum == known)
        return;
    Chain chain = chain_of(shared::kOutboxQueue);
    for (int i = 0; i < chain.count; ++i) {
        store::Segment segment = store::open_segment(chain.segments[i], shared::kOutboxQueue);
        if (!segment.relation)
            continue;
        BlockNumber nblocks = RelationGetNumberOfBlocks(segment.relation);
        if (nblocks > 0)
            shared::mark_look_now(segment.key, 0, nblocks - 1);
        store::close_segment(segment, true);
    }
    is_known = true;
    known = sum;
}

void take_from(const store::Segment &segment, Relay &relay) {
    shared::SegmentView view = view_segment(segment);
    if (!core::is_due(view.earliest, relay.now, shared::kHorizon)) {
        relay.next_due = core::earlier(relay.next_due, view.earliest);
        return;
    }
    store::ClaimRequest request = {};
    request.kind = store::ClaimKind::kLook;
    request.policy.retry.max_attempts = PG_INT32_MAX;
    request.now = relay.now;
    request.filter = defer_unrouted;
    request.filter_argument = &relay;
    BlockNumber nblocks = RelationGetNumberOfBlocks(segment.relation);
    BlockNumber block = std::min(view.low_block, nblocks);
    while ((block = shared::next_due_block(segment.key, segment.relation, block, nblocks,
                                           relay.now)) < nblocks) {
        CHECK_FOR_INTERRUPTS();
        store::claim_block(segment, block, request, relay.found, true);
        if (relay.found.count >= relay.found.limit) {
            relay.next_due = core::kLookNow;
            return;
        }
        ++block;
    }
    relay.next_due =
        core::earlier(relay.next_due, shared::raise_marks(segment.key, segment.relation).earliest);
}

/// Deletes what was found in one segment; keeps only the rows that this transaction got.
void delete_found(const store::Segment &segment, store::ClaimedRows &found, int from) {
    int kept = from;
    for (int i = from; i < found.count;) {
        store::SettleItem items[MaxHeapTuplesPerPage];
        store::SettleItem *pointers[MaxHeapTuplesPerPage];
        uint32_t block = found.rows[i].receipt.block;
        size_t count = 0;
        int first = i;
        for (; i < found.count && found.rows[i].receipt.block == block; ++i, ++count) {
            items[count] = {found.rows[i].receipt, false, nullptr, {}};
            pointers[count] = &items[count];
        }
        store::settle_block(segment, block, {pointers, count}, store::Hold::kNone);
        for (size_t j = 0; j < count; ++j)
            if (items[j].outcome.state == store::SettleState::kSettled)
                found.rows[kept++] = found.rows[first + static_cast<int>(j)];
    }
    found.count = kept;
}

store::RowValues message_from(HeapTuple event, TupleDesc columns) {
    store::RowValues row;
    heap_deform_tuple(event, columns, row.values, row.nulls);
    return row;
}

struct Delivery {
    uint32_t queue;
    int event;
};

int compare_deliveries(const void *a, const void *b) {
    const auto &left = *static_cast<const Delivery *>(a);
    const auto &right = *static_cast<const Delivery *>(b);
    if (left.queue != right.queue)
        return left.queue < right.queue ? -1 : 1;
    return left.event - right.event;
}

/// All pairs of event and target queue, by queue and then in the outbox's order.
int plan_deliveries(const Relay &relay, int from, TupleDesc columns, Delivery **deliveries) {
    auto *queues = static_cast<uint32_t *>(
        palloc(sizeof(uint32_t) * std::max<size_t>(relay.routes.size(), 1)));
    int count = 0;
    int capacity = 64;
    *deliveries = static_cast<Delivery *>(palloc(sizeof(Delivery) * 64));
    for (int i = from; i < relay.found.count; ++i) {
        int targets = route(topic_of(relay.found.rows[i].tuple, columns), relay.routes, queues);
        if (targets == 0)
            ereport(
                LOG,
                (errmsg(
                     "baton: dropped an event that nobody subscribed to within baton.outbox_retention"),
                 errdetail("Its id is %s.",
                           DatumGetCString(DirectFunctionCall1(
                               uuid_out,
                               PointerGetDatum(
                                   store::control_of(relay.found.rows[i].tuple->t_data)->id))))));
        while (count + targets > capacity)
            *deliveries = static_cast<Delivery *>(
                repalloc_huge(*deliveries, sizeof(Delivery) * static_cast<Size>(capacity *= 2)));
        for (int j = 0; j < targets; ++j)
            (*deliveries)[count++] = {queues[j], i};
    }
    pg_qsort(*deliveries, static_cast<size_t>(count), sizeof(Delivery), compare_deliveries);
    return count;
}

void deliver(const Relay &relay, int from, TupleDesc columns) {
    Delivery *deliveries = nullptr;
    int count = plan_deliveries(relay, from, columns, &deliveries);
    auto *rows = static_cast<store::RowValues *>(palloc_extended(
        sizeof(store::RowValues) * static_cast<Size>(std::max(count, 1)), MCXT_ALLOC_HUGE));
    for (int i = 0; i < count;) {
        uint32_t target = deliveries[i].queue;
        int n = 0;
        for (; i < count && deliveries[i].queue == target; ++i)
            rows[n++] = message_from(relay.found.rows[deliveries[i].event].tuple, columns);
        std::optional<QueueInfo> queue = find_queue_by_id(target);
        if (queue) // else it was dropped, and its subscriptions with it
            append(*queue, rows, n);
    }
}

/// Takes the locks that moving needs. False if some transaction, one that drops a queue say, stands
/// in the way of one: then no event moves, since passing over some would break the order.
bool is_free(std::span<const Route> routes) {
    Chain chain = chain_of(shared::kOutboxQueue);
    for (int i = 0; i < chain.count; ++i) {
        store::Segment segment =
            store::open_segment_if_free(chain.segments[i], shared::kOutboxQueue);
        if (!segment.relation)
            return false;
        store::close_segment(segment, true);
    }
    for (const Route &entry : routes)
        if (!can_append(entry.queue))
            return false;
    return true;
}

} // namespace

RelayResult relay_batch(int limit) {
    constexpr int64_t kRetryBusyAfter = 250000;
    Relay relay = {};
    relay.routes = read_routes();
    if (!is_free(relay.routes))
        return {0, pg::clock_now() + kRetryBusyAfter};
    relay.now = pg::clock_now();
    relay.retention = int64_t{pg::settings.outbox_retention_s} * pg::kMicrosPerSecond;
    relay.next_due = core::kNever;
    relay.found.limit = limit;
    relay.found.rows = static_cast<store::ClaimedRow *>(
        palloc_extended(sizeof(store::ClaimedRow) * static_cast<Size>(limit), MCXT_ALLOC_HUGE));
    notice_new_routes(relay.routes);
    Chain chain = chain_of(shared::kOutboxQueue);
    for (int i = 0; i < chain.count && relay.found.count < limit; ++i) {
        store::Segment segment = store::open_segment(chain.segments[i], shared::kOutboxQueue);
        if (!segment.relation)
            continue;
        int from = relay.found.count;
        take_from(segment, relay);
        bool has_found = relay.found.count > from;
        delete_found(segment, relay.found, from);
        deliver(relay, from, RelationGetDescr(segment.relation));
        store::close_segment(segment, !has_found);
    }
    return {relay.found.count, relay.next_due};
}

} // namespace baton::queue
