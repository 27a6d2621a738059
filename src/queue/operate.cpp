// Finds messages by scanning, takes them over in place, then settles them like any other.

#include "queue/operate.h"

#include "core/lease_clock.h"
#include "core/micros.h"
#include "pg/clock.h"
#include "queue/consumer.h"
#include "queue/extension.h"
#include "queue/later.h"
#include "queue/row_reader.h"
#include "queue/settle.h"
#include "store/lease.h"
#include "store/row.h"

namespace baton::queue {
namespace {

constexpr int64_t kTakenOverFor = 5 * pg::kMicrosPerSecond;

struct Search {
    uint32_t queue;
    const pg_uuid_t *id;
    std::optional<core::Receipt> receipt;
    bool is_leased;
};

bool match_id(HeapTuple row, Relation segment, void *argument) {
    auto &search = *static_cast<Search *>(argument);
    const store::RowControl &control = *store::control_of(row->t_data);
    if (memcmp(control.id, search.id->data, UUID_LEN) != 0)
        return true;
    int64_t now = pg::clock_now();
    search.is_leased = control.nonce != 0 &&
                       core::effective_lease_end(control.leased_at, control.visible_at, now) > now;
    store::Segment named = {segment, {MyDatabaseId, pg::file_number(segment)}, search.queue};
    search.receipt = store::receipt_of(named, row);
    return false;
}

/// Takes the message over, so that no consumer gets it meanwhile. False if it is not there, or is
/// leased and that does not do.
bool take_over(const QueueInfo &queue, const pg_uuid_t *id, bool with_leased, Place *place,
               core::Receipt *receipt) {
    Search search = {queue.id, id, std::nullopt, false};
    visit_rows(queue, match_id, &search);
    if (!search.receipt || (search.is_leased && !with_leased))
        return false;
    *place = open_place(*search.receipt);
    if (!place->segment.relation)
        return false;
    int64_t now = pg::clock_now();
    *receipt = *search.receipt;
    store::LeaseEdit edit = {store::EditKind::kTakeOver, now, core::add_micros(now, kTakenOverFor)};
    if (store::edit_lease(place->segment, *receipt, edit).state == store::SettleState::kSettled)
        return true;
    store::close_segment(place->segment, false); // it changed meanwhile
    return false;
}

struct LaterSearch {
    const pg_uuid_t *id;
    ItemPointerData tid;
    HeapTuple copy; // or nullptr: not found
};

bool match_later(HeapTuple row, Relation, void *argument) {
    auto &search = *static_cast<LaterSearch *>(argument);
    if (memcmp(store::control_of(row->t_data)->id, search.id->data, UUID_LEN) != 0)
        return true;
    search.tid = row->t_self;
    search.copy = heap_copytuple(row);
    return false;
}

/// Deletes a message that waits for its time. False if there is none of that id.
bool take_from_later(const QueueInfo &queue, const pg_uuid_t *id, HeapTuple *row) {
    LaterSearch search = {id, {}, nullptr};
    visit_later(queue, match_later, &search);
    *row = search.copy;
    return search.copy && delete_later(&search.tid);
}

} // namespace

bool cancel(const QueueInfo &queue, const pg_uuid_t *id) {
    Place place;
    core::Receipt receipt;
    HeapTuple row = nullptr;
    if (take_from_later(queue, id, &row))
        return true;
    if (!take_over(queue, id, false, &place, &receipt))
        return false;
    store::SettleItem item = {receipt, false, nullptr, {}};
    store::SettleItem *items[] = {&item};
    store::settle_block(place.segment, receipt.block, items, store::Hold::kNone);
    store::close_segment(place.segment, false);
    if (item.outcome.state == store::SettleState::kOvertaken)
        pg::raise_lease_lost(item.outcome.reason);
    return item.outcome.state == store::SettleState::kSettled;
}

bool bury_message(const QueueInfo &queue, const pg_uuid_t *id, const Death &death) {
    Place place;
    core::Receipt receipt;
    HeapTuple row = nullptr;
    if (take_from_later(queue, id, &row)) {
        keep_dead_letter(queue, row, row_type(), death);
        return true;
    }
    if (!take_over(queue, id, true, &place, &receipt))
        return false;
    store::SettleOutcome outcome = bury(place, receipt, death);
    store::close_segment(place.segment, false);
    return outcome.state == store::SettleState::kSettled;
}

int64_t release_consumer(const QueueInfo &queue, text *consumer) {
    constexpr int kMostVersions = 1024;
    int32_t numbers[kMostVersions];
    int count = consumer_numbers(consumer, numbers, kMostVersions);
    std::span<const int32_t> consumers{numbers, static_cast<size_t>(count)};
    int64_t released = 0;
    int64_t now = pg::clock_now();
    Chain chain = chain_of(queue.id);
    for (int i = 0; i < chain.count; ++i) {
        store::Segment segment = store::open_segment(chain.segments[i], queue.id);
        if (!segment.relation)
            continue;
        BlockNumber nblocks = RelationGetNumberOfBlocks(segment.relation);
        for (BlockNumber block = 0; block < nblocks; ++block) {
            CHECK_FOR_INTERRUPTS();
            released += store::release_consumers_in_block(segment, block, consumers, now);
        }
        store::close_segment(segment, true);
    }
    return released;
}

} // namespace baton::queue
