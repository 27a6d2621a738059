// baton.ack, nack, try_nack, release and extend: one receipt.

#include "api/arguments.h"
#include "api/receipt.h"
#include "pg/boundary.h"
#include "queue/settle.h"

namespace baton::api {
namespace {

using store::SettleItem;
using store::SettleState;

Datum ack(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "ack"};
    SettleItem item = {receipt_argument(call), false, nullptr, {}};
    queue::settle({&item, 1});
    if (item.outcome.state != SettleState::kSettled)
        queue::raise_lost(item.receipt, item.outcome);
    PG_RETURN_VOID();
}

queue::Failure failure_arguments(const Call &call) {
    enum { kReceipt, kError, kClass, kDelay };
    queue::Failure failure = {};
    failure.error = queue::sanitised_error(optional_text(call, kError));
    failure.failure = failure_class_of(required_text(call, kClass, "class"));
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
    queue::NackResult result = queue::nack(receipt, failure);
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
BATON_FUNCTION(baton_nack, baton::api::nack);
BATON_FUNCTION(baton_try_nack, baton::api::try_nack);
BATON_FUNCTION(baton_release, baton::api::release);
BATON_FUNCTION(baton_extend, baton::api::extend);
