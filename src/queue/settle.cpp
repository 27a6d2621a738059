// Finds where receipts point to and lets the store do the rest.

#include "queue/settle.h"

#include "core/micros.h"
#include "pg/clock.h"
#include "pg/error.h"
#include "pg/random.h"
#include "queue/bury.h"
#include "queue/known_files.h"
#include "shared/pending.h"
#include "store/lease.h"
#include "store/row.h"

namespace baton::queue {
namespace {

using store::SettleItem;
using store::SettleOutcome;
using store::SettleState;

constexpr SettleOutcome kUnknown = {SettleState::kLost, pg::LostReason::kUnknown};

bool is_generation(const store::Segment &segment, const core::Receipt &receipt) {
    return segment.relation && segment.key.file == receipt.generation;
}

/// Segments whose file is known from an earlier look are tried first; then all.
store::Segment open_generation(const Chain &chain, const core::Receipt &receipt) {
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < chain.count; ++i) {
            bool is_expected = known_file(chain.segments[i]) == receipt.generation;
            if (is_expected != (pass == 0))
                continue;
            store::Segment segment = store::open_segment(chain.segments[i], receipt.queue);
            if (!segment.relation)
                continue;
            remember_file(chain.segments[i], segment.key.file);
            if (is_generation(segment, receipt))
                return segment;
            store::close_segment(segment, true);
        }
    return {nullptr, {}, receipt.queue};
}

bool is_before(const core::Receipt &a, const core::Receipt &b) {
    if (a.queue != b.queue)
        return a.queue < b.queue;
    if (a.generation != b.generation)
        return a.generation < b.generation;
    return a.block < b.block;
}

int compare_items(const void *a, const void *b) {
    const core::Receipt &left = (*static_cast<SettleItem *const *>(a))->receipt;
    const core::Receipt &right = (*static_cast<SettleItem *const *>(b))->receipt;
    return is_before(left, right) ? -1 : is_before(right, left) ? 1 : 0;
}

SettleItem **sorted(std::span<SettleItem> items) {
    auto **order = static_cast<SettleItem **>(palloc(sizeof(SettleItem *) * items.size()));
    bool is_sorted = true;
    for (size_t i = 0; i < items.size(); ++i) {
        order[i] = &items[i];
        is_sorted &= i == 0 || !is_before(items[i].receipt, items[i - 1].receipt);
    }
    if (!is_sorted)
        pg_qsort(order, items.size(), sizeof(SettleItem *), compare_items);
    return order;
}

/// Settles the items of one segment, block by block.
void settle_segment(const store::Segment &segment, std::span<SettleItem *> items) {
    for (size_t from = 0; from < items.size();) {
        size_t to = from + 1;
        while (to < items.size() && items[to]->receipt.block == items[from]->receipt.block)
            ++to;
        store::settle_block(segment, items[from]->receipt.block, items.subspan(from, to - from),
                            store::Hold::kShortLeases);
        from = to;
    }
}

QueueSettings row_settings(const Place &place, HeapTuple row) {
    return settings_for(place.queue->settings, row, RelationGetDescr(place.segment.relation));
}

/// The visibility timeout of the message itself.
int64_t own_timeout(const Place &place, const core::Receipt &receipt) {
    HeapTuple row = nullptr;
    if (store::read_leased(place.segment, receipt, &row).state != SettleState::kSettled)
        return place.queue->settings.visibility_timeout;
    return row_settings(place, row).visibility_timeout;
}

core::RetryDecision decide(const Place &place, HeapTuple row, const Failure &failure) {
    const store::RowControl &control = *store::control_of(row->t_data);
    return core::decide_retry(retry_policy(row_settings(place, row)),
                              {.failure = failure.failure,
                               .attempts = control.attempts,
                               .first_attempt_at = control.first_attempt_at,
                               .now = pg::clock_now(),
                               .requested_delay_us = failure.delay,
                               .random = pg::random_bits()});
}

SettleOutcome put_off(const Place &place, core::Receipt receipt, int64_t delay) {
    int64_t now = pg::clock_now();
    return store::edit_lease(place.segment, receipt,
                             {store::EditKind::kRetry, now, core::add_micros(now, delay)});
}

} // namespace

Place open_place(const core::Receipt &receipt) {
    Place place = {find_queue_by_id(receipt.queue), {nullptr, {}, receipt.queue}};
    if (!place.queue)
        return place;
    if (!has_privilege(*place.queue, Privilege::kConsume))
        pg::raise_receipt_not_granted();
    place.segment = open_generation(chain_of(receipt.queue), receipt);
    return place;
}

void settle(std::span<SettleItem> items) {
    if (items.empty())
        return;
    SettleItem **order = sorted(items);
    for (size_t from = 0; from < items.size();) {
        const core::Receipt &first = order[from]->receipt;
        size_t to = from + 1;
        while (to < items.size() && order[to]->receipt.queue == first.queue &&
               order[to]->receipt.generation == first.generation)
            ++to;
        std::span<SettleItem *> some{order + from, to - from};
        Place place = open_place(first);
        if (place.segment.relation) {
            settle_segment(place.segment, some);
            store::close_segment(place.segment, false);
        } else {
            for (auto *item : some)
                item->outcome = kUnknown;
        }
        from = to;
    }
    pfree(order);
}

void raise_lost(const core::Receipt &receipt, const SettleOutcome &outcome) {
    pg::LostReason reason = outcome.reason;
    if (reason != pg::LostReason::kUnknown && reason != pg::LostReason::kBeingSettled) {
        Place place = open_place(receipt);
        std::optional<store::RowControl> row;
        if (place.segment.relation)
            row = store::deleted_at(place.segment, receipt);
        if (row && is_dead_letter(*place.queue, *row))
            reason = pg::LostReason::kDeadLetter;
    }
    pg::raise_lease_lost(reason);
}

std::optional<int64_t> extend(const core::Receipt &receipt, std::optional<int64_t> timeout,
                              SettleOutcome &outcome) {
    outcome = kUnknown;
    Place place = open_place(receipt);
    if (!place.segment.relation)
        return std::nullopt;
    int64_t now = pg::clock_now();
    int64_t length = timeout ? *timeout : own_timeout(place, receipt);
    store::LeaseEdit edit = {store::EditKind::kExtend, now, core::add_micros(now, length)};
    core::Receipt held = receipt;
    outcome = store::edit_lease(place.segment, held, edit);
    store::close_segment(place.segment, true);
    if (outcome.state != SettleState::kSettled)
        return std::nullopt;
    return edit.visible_at;
}

SettleOutcome release(const core::Receipt &receipt) {
    Place place = open_place(receipt);
    if (!place.segment.relation)
        return kUnknown;
    int64_t now = pg::clock_now();
    core::Receipt held = receipt;
    SettleOutcome outcome =
        store::edit_lease(place.segment, held, {store::EditKind::kRelease, now, now});
    store::close_segment(place.segment, true);
    return outcome;
}

NackResult nack(const core::Receipt &receipt, const Failure &failure) {
    Place place = open_place(receipt);
    if (!place.segment.relation)
        return {kUnknown, false};
    HeapTuple row = nullptr;
    SettleOutcome outcome = store::read_leased(place.segment, receipt, &row);
    if (outcome.state != SettleState::kSettled) {
        store::close_segment(place.segment, true);
        return {outcome, false};
    }
    core::RetryDecision decision = decide(place, row, failure);
    if (!decision.is_dead) {
        outcome = put_off(place, receipt, decision.delay_us);
        store::close_segment(place.segment, true);
        return {outcome, false};
    }
    outcome = bury(place, receipt, {decision.reason, failure.failure, failure.error});
    store::close_segment(place.segment, false);
    return {outcome, true};
}

SettleOutcome bury(const Place &place, const core::Receipt &receipt, const Death &death) {
    SettleItem item = {receipt, true, nullptr, kUnknown};
    SettleItem *items[] = {&item};
    store::settle_block(place.segment, receipt.block, items, store::Hold::kShortLeases);
    if (item.outcome.state == SettleState::kOvertaken)
        pg::raise_lease_lost(item.outcome.reason);
    if (item.outcome.state == SettleState::kSettled)
        keep_dead_letter(*place.queue, item.copy, RelationGetDescr(place.segment.relation), death);
    return item.outcome;
}

} // namespace baton::queue
