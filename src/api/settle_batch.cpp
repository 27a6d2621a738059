// baton.ack_batch, try_ack_batch, nack_batch, extend_batch and release_batch: many receipts in one
// call, without subtransactions.

#include "api/arguments.h"
#include "api/receipt.h"
#include "pg/boundary.h"
#include "queue/settle.h"

namespace baton::api {
namespace {

using store::SettleItem;
using store::SettleState;

int compare_receipts(const void *a, const void *b) {
    return memcmp(DatumGetPointer(*static_cast<const Datum *>(a)),
                  DatumGetPointer(*static_cast<const Datum *>(b)), core::kReceiptBytes);
}

std::span<SettleItem> items_for(const Datum *receipts, int count) {
    auto *items = static_cast<SettleItem *>(palloc_extended(
        sizeof(SettleItem) * static_cast<Size>(std::max(count, 1)), MCXT_ALLOC_HUGE));
    for (int i = 0; i < count; ++i)
        items[i] = {receipt_from(receipts[i]), false, nullptr, {}};
    return {items, static_cast<size_t>(count)};
}

/// Sorts and drops repeats: a receipt twice counts once. `sorted` has room for all.
int distinct(const Elements &receipts, Datum *sorted) {
    memcpy(sorted, receipts.values, sizeof(Datum) * static_cast<Size>(receipts.count));
    pg_qsort(sorted, static_cast<size_t>(receipts.count), sizeof(Datum), compare_receipts);
    int count = 0;
    for (int i = 0; i < receipts.count; ++i)
        if (count == 0 || compare_receipts(&sorted[count - 1], &sorted[i]) != 0)
            sorted[count++] = sorted[i];
    return count;
}

Datum *distinct_receipts(const Elements &receipts, int *count) {
    auto *sorted = static_cast<Datum *>(palloc_extended(
        sizeof(Datum) * static_cast<Size>(std::max(receipts.count, 1)), MCXT_ALLOC_HUGE));
    *count = receipts.count > 0 ? distinct(receipts, sorted) : 0;
    return sorted;
}

void raise_if_lost(std::span<SettleItem> items) {
    for (const SettleItem &item : items)
        if (item.outcome.state != SettleState::kSettled)
            queue::raise_lost(item.receipt, item.outcome);
}

Datum ack_batch(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "ack_batch"};
    Elements receipts = receipts_argument(call);
    int count = 0;
    Datum *sorted = distinct_receipts(receipts, &count);
    std::span<SettleItem> items = items_for(sorted, count);
    queue::settle(items);
    raise_if_lost(items);
    PG_RETURN_INT64(count);
}

/// A deletion that came too late, since it had to wait while the lease ran out, must be undone.
void raise_if_overtaken(std::span<SettleItem> items) {
    for (const SettleItem &item : items)
        if (item.outcome.state == SettleState::kOvertaken)
            queue::raise_lost(item.receipt, item.outcome);
}

bool is_before(const SettleItem &a, const SettleItem &b) {
    return a.receipt < b.receipt;
}

int compare_items(const void *a, const void *b) {
    const auto &left = *static_cast<const SettleItem *>(a);
    const auto &right = *static_cast<const SettleItem *>(b);
    return is_before(left, right) ? -1 : is_before(right, left) ? 1 : 0;
}

/// `items` are sorted by receipt.
bool was_settled(std::span<SettleItem> items, Datum receipt) {
    SettleItem wanted = {receipt_from(receipt), false, nullptr, {}};
    auto *found = std::lower_bound(items.data(), items.data() + items.size(), wanted, is_before);
    return found != items.data() + items.size() && found->receipt == wanted.receipt &&
           found->outcome.state == SettleState::kSettled;
}

Datum try_ack_batch(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "try_ack_batch"};
    Elements receipts = receipts_argument(call);
    if (receipts.count == 0)
        return PointerGetDatum(construct_empty_array(BOOLOID));
    int count = 0;
    Datum *sorted = distinct_receipts(receipts, &count);
    std::span<SettleItem> items = items_for(sorted, count);
    queue::settle(items);
    raise_if_overtaken(items);
    pg_qsort(items.data(), items.size(), sizeof(SettleItem), compare_items);
    auto *results = static_cast<Datum *>(
        palloc_extended(sizeof(Datum) * static_cast<Size>(receipts.count), MCXT_ALLOC_HUGE));
    for (int i = 0; i < receipts.count; ++i)
        results[i] = BoolGetDatum(was_settled(items, receipts.values[i]));
    return PointerGetDatum(
        construct_array(results, receipts.count, BOOLOID, 1, true, TYPALIGN_CHAR));
}

Datum array_or_empty(Datum *values, bool *nulls, int count, Oid type, int length, bool is_by_value,
                     char alignment) {
    if (count == 0)
        return PointerGetDatum(construct_empty_array(type));
    int lower = 1;
    return PointerGetDatum(
        construct_md_array(values, nulls, 1, &count, &lower, type, length, is_by_value, alignment));
}

/// Results beside the receipts, in input order.
struct Results {
    Datum *values;
    bool *nulls;
};

Results results_for(int count) {
    auto size = static_cast<Size>(std::max(count, 1));
    return {static_cast<Datum *>(palloc_extended(sizeof(Datum) * size, MCXT_ALLOC_HUGE)),
            static_cast<bool *>(palloc0(sizeof(bool) * size))};
}

/// What nack_batch is told of each receipt.
struct Failures {
    Elements errors;
    Elements classes;
    Elements delays;
};

queue::Failure failure_at(const Call &call, const Failures &failures, int i) {
    queue::Failure failure = {};
    if (failures.errors.count > 0 && !failures.errors.nulls[i])
        failure.error = queue::sanitised_error(DatumGetTextPP(failures.errors.values[i]));
    if (failures.classes.count > 0 && !failures.classes.nulls[i])
        failure.failure = failure_class_of(DatumGetTextPP(failures.classes.values[i]));
    if (failures.delays.count > 0 && !failures.delays.nulls[i])
        failure.delay =
            duration_of(failures.delays.values[i], call.function, "delays", 0, kLongest);
    return failure;
}

const char *nack_one(Datum receipt, const queue::Failure &failure) {
    queue::NackResult result = queue::nack(receipt_from(receipt), failure);
    if (result.outcome.state != SettleState::kSettled)
        return "lost";
    return result.is_dead ? "dead" : "retry";
}

// nack_batch(receipts, errors, classes, delays)
Datum nack_batch(FunctionCallInfo fcinfo) {
    enum { kReceipts, kErrors, kClasses, kDelays };
    Call call = {fcinfo, "nack_batch"};
    Elements receipts = receipts_argument(call);
    Failures failures = {elements_beside(call, kErrors, "errors", receipts.count),
                         elements_beside(call, kClasses, "classes", receipts.count),
                         elements_beside(call, kDelays, "delays", receipts.count)};
    Results results = results_for(receipts.count);
    for (int i = 0; i < receipts.count; ++i) // all are checked before the first takes effect
        (void)failure_at(call, failures, i);
    for (int i = 0; i < receipts.count; ++i)
        results.values[i] =
            CStringGetTextDatum(nack_one(receipts.values[i], failure_at(call, failures, i)));
    return array_or_empty(results.values, results.nulls, receipts.count, TEXTOID, -1, false,
                          TYPALIGN_INT);
}

// extend_batch(receipts, visibility_timeout)
Datum extend_batch(FunctionCallInfo fcinfo) {
    constexpr int64_t kShortest = 1000;
    Call call = {fcinfo, "extend_batch"};
    Elements receipts = receipts_argument(call);
    std::optional<int64_t> timeout =
        optional_duration(call, 1, "visibility_timeout", kShortest, kLongest);
    Results results = results_for(receipts.count);
    for (int i = 0; i < receipts.count; ++i) {
        store::SettleOutcome outcome = {};
        std::optional<int64_t> end =
            queue::extend(receipt_from(receipts.values[i]), timeout, outcome);
        results.nulls[i] = !end;
        results.values[i] = TimestampTzGetDatum(end.value_or(0));
    }
    return array_or_empty(results.values, results.nulls, receipts.count, TIMESTAMPTZOID, 8, true,
                          TYPALIGN_DOUBLE);
}

Datum release_batch(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "release_batch"};
    Elements receipts = receipts_argument(call);
    Results results = results_for(receipts.count);
    for (int i = 0; i < receipts.count; ++i) {
        store::SettleOutcome outcome = queue::release(receipt_from(receipts.values[i]));
        results.values[i] = BoolGetDatum(outcome.state == SettleState::kSettled);
    }
    return array_or_empty(results.values, results.nulls, receipts.count, BOOLOID, 1, true,
                          TYPALIGN_CHAR);
}

} // namespace
} // namespace baton::api

BATON_FUNCTION(baton_ack_batch, baton::api::ack_batch);
BATON_FUNCTION(baton_try_ack_batch, baton::api::try_ack_batch);
BATON_FUNCTION(baton_nack_batch, baton::api::nack_batch);
BATON_FUNCTION(baton_extend_batch, baton::api::extend_batch);
BATON_FUNCTION(baton_release_batch, baton::api::release_batch);
