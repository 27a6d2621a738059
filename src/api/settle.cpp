// baton.ack, ack_batch, try_ack_batch, nack, try_nack, release and extend.

#include "api/arguments.h"
#include "api/receipt.h"
#include "pg/boundary.h"
#include "queue/extension.h"
#include "queue/settle.h"

namespace baton::api {
namespace {

using store::SettleItem;
using store::SettleState;

core::Receipt receipt_argument(const Call &call) {
    (void)queue::extension();
    pg::require_writable(call.function);
    return receipt_from(required(call, 0, "receipt"));
}

int compare_receipts(const void *a, const void *b) {
    return memcmp(DatumGetPointer(*static_cast<const Datum *>(a)),
                  DatumGetPointer(*static_cast<const Datum *>(b)), core::kReceiptBytes);
}

/// The receipts of an array argument; null is none. A null element is 22004.
Elements receipts_argument(const Call &call) {
    (void)queue::extension();
    pg::require_writable(call.function);
    Elements receipts = {};
    if (!call.is_null(0))
        receipts = elements_of(call.value(0), "receipts");
    refuse_null_elements(receipts, call.function, "receipts");
    return receipts;
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

Datum ack(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "ack"};
    SettleItem item = {receipt_argument(call), false, nullptr, {}};
    queue::settle({&item, 1});
    raise_if_lost({&item, 1});
    PG_RETURN_VOID();
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

/// A subtransaction that a body may have to take back without an error.
struct Attempt {
    MemoryContext memory;
    ResourceOwner owner;
};

Attempt begin_attempt() {
    Attempt attempt = {CurrentMemoryContext, CurrentResourceOwner};
    BeginInternalSubTransaction(nullptr);
    MemoryContextSwitchTo(attempt.memory);
    return attempt;
}

void end_attempt(const Attempt &attempt, bool is_kept) {
    if (is_kept)
        ReleaseCurrentSubTransaction();
    else
        RollbackAndReleaseCurrentSubTransaction();
    MemoryContextSwitchTo(attempt.memory);
    CurrentResourceOwner = attempt.owner;
}

/// Moves the overtaken items to the end and marks them lost. Returns how many are left.
size_t set_aside_overtaken(SettleItem *items, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (items[i].outcome.state == SettleState::kOvertaken) {
            items[i].outcome.state = SettleState::kLost;
            continue;
        }
        std::swap(items[kept++], items[i]);
    }
    return kept;
}

/// Settles what can be settled; one subtransaction, taken back and repeated only when a message was
/// leased again in the midst of it.
void settle_each(std::span<SettleItem> items) {
    size_t count = items.size();
    for (;;) {
        Attempt attempt = begin_attempt();
        queue::settle({items.data(), count});
        bool is_overtaken = false;
        for (size_t i = 0; i < count; ++i)
            is_overtaken |= items[i].outcome.state == SettleState::kOvertaken;
        end_attempt(attempt, !is_overtaken);
        if (!is_overtaken)
            return;
        count = set_aside_overtaken(items.data(), count);
    }
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
    settle_each(items);
    pg_qsort(items.data(), items.size(), sizeof(SettleItem), compare_items);
    auto *results = static_cast<Datum *>(
        palloc_extended(sizeof(Datum) * static_cast<Size>(receipts.count), MCXT_ALLOC_HUGE));
    for (int i = 0; i < receipts.count; ++i)
        results[i] = BoolGetDatum(was_settled(items, receipts.values[i]));
    return PointerGetDatum(
        construct_array(results, receipts.count, BOOLOID, 1, true, TYPALIGN_CHAR));
}

queue::Failure failure_arguments(const Call &call) {
    enum { kReceipt, kError, kClass, kDelay };
    queue::Failure failure = {};
    failure.error = queue::sanitised_error(optional_text(call, kError));
    text *name = required_text(call, kClass, "class");
    std::optional<core::FailureClass> parsed = core::parse_failure_class(
        {VARDATA_ANY(name), static_cast<size_t>(VARSIZE_ANY_EXHDR(name))});
    if (!parsed)
        pg::raise_invalid(psprintf("unknown failure class \"%s\"", text_to_cstring(name)),
                          "The classes are transient, overload, ambiguous and permanent.");
    failure.failure = *parsed;
    failure.delay = optional_duration(call, kDelay, "delay", 0, kLongest);
    return failure;
}

Datum text_result(const char *value) {
    return CStringGetTextDatum(value);
}

Datum nack(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "nack"};
    core::Receipt receipt = receipt_argument(call);
    queue::NackResult result = queue::nack(receipt, failure_arguments(call));
    if (result.outcome.state != SettleState::kSettled)
        queue::raise_lost(receipt, result.outcome);
    return text_result(result.is_dead ? "dead" : "retry");
}

Datum try_nack(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "try_nack"};
    core::Receipt receipt = receipt_argument(call);
    queue::Failure failure = failure_arguments(call);
    Attempt attempt = begin_attempt();
    queue::NackResult result = queue::nack(receipt, failure);
    end_attempt(attempt, result.outcome.state != SettleState::kOvertaken);
    if (result.outcome.state != SettleState::kSettled)
        return text_result("lost");
    return text_result(result.is_dead ? "dead" : "retry");
}

Datum release(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "release"};
    core::Receipt receipt = receipt_argument(call);
    store::SettleOutcome outcome = queue::release(receipt);
    if (outcome.state != SettleState::kSettled)
        queue::raise_lost(receipt, outcome);
    PG_RETURN_VOID();
}

Datum extend(FunctionCallInfo fcinfo) {
    constexpr int64_t kShortest = 1000;
    Call call = {fcinfo, "extend"};
    core::Receipt receipt = receipt_argument(call);
    std::optional<int64_t> timeout =
        optional_duration(call, 1, "visibility_timeout", kShortest, kLongest);
    store::SettleOutcome outcome = {};
    std::optional<int64_t> end = queue::extend(receipt, timeout, outcome);
    if (!end)
        queue::raise_lost(receipt, outcome);
    PG_RETURN_TIMESTAMPTZ(*end);
}

} // namespace
} // namespace baton::api

BATON_FUNCTION(baton_ack, baton::api::ack);
BATON_FUNCTION(baton_ack_batch, baton::api::ack_batch);
BATON_FUNCTION(baton_try_ack_batch, baton::api::try_ack_batch);
BATON_FUNCTION(baton_nack, baton::api::nack);
BATON_FUNCTION(baton_try_nack, baton::api::try_nack);
BATON_FUNCTION(baton_release, baton::api::release);
BATON_FUNCTION(baton_extend, baton::api::extend);
