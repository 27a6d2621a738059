// baton.receive and baton.wait.

#include "api/arguments.h"
#include "api/receipt.h"
#include "pg/boundary.h"
#include "pg/settings.h"
#include "queue/extension.h"
#include "queue/receive.h"
#include "store/row.h"

namespace baton::api {
namespace {

constexpr int kMessageColumns = 12;
constexpr int64_t kShortestLease = 1000; // microseconds

Datum attribute(HeapTuple row, TupleDesc columns, store::RowAttribute number, bool *is_null) {
    return heap_getattr(row, number, columns, is_null);
}

/// Fills a baton.message (sql/modules/10_types.sql).
void put_message(const store::ClaimedRow &claimed, TupleDesc row_type, void *argument) {
    auto *result = static_cast<ReturnSetInfo *>(argument);
    Datum values[kMessageColumns];
    bool nulls[kMessageColumns] = {};
    const store::RowControl &control = *store::control_of(claimed.tuple->t_data);
    values[0] = UUIDPGetDatum(reinterpret_cast<const pg_uuid_t *>(control.id));
    values[1] = datum_from(claimed.receipt);
    values[2] = Int32GetDatum(control.attempts);
    values[3] = Int32GetDatum(control.round);
    values[4] = attribute(claimed.tuple, row_type, store::kPayload, &nulls[4]);
    values[5] = attribute(claimed.tuple, row_type, store::kHeaders, &nulls[5]);
    values[6] = attribute(claimed.tuple, row_type, store::kKey, &nulls[6]);
    values[7] = attribute(claimed.tuple, row_type, store::kTopic, &nulls[7]);
    values[8] = Int32GetDatum(control.priority);
    values[9] = TimestampTzGetDatum(control.enqueued_at);
    values[10] = TimestampTzGetDatum(control.visible_at);
    values[11] = attribute(claimed.tuple, row_type, store::kBody, &nulls[11]);
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

int64_t wait_of(const Call &call, int i, const char *argument) {
    std::optional<int64_t> wait = optional_duration(call, i, argument, 0, kLongest);
    int64_t most = int64_t{pg::settings.max_wait_ms} * 1000;
    return std::min(wait.value_or(0), most);
}

queue::QueueInfo queue_to_receive_from(const Call &call) {
    (void)queue::extension();
    pg::require_writable(call.function);
    queue::QueueInfo queue = queue::find_queue(required_text(call, 0, "queue"));
    queue::require_privilege(queue, queue::Privilege::kConsume);
    return queue;
}

/// A wait under one snapshot: messages that it does not see would end it again and again.
void refuse_wait_with_snapshot(const Call &call, const char *hint) {
    if (!IsolationUsesXactSnapshot())
        return;
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("baton.%s cannot wait in a transaction of this isolation level", call.function),
             errdetail("Messages sent after the transaction's snapshot would never be seen."),
             errhint("%s", hint)));
}

/// Receives and returns the messages as a set.
Datum receive_set(const Call &call, const queue::QueueInfo &queue,
                  const queue::ReceiveRequest &request) {
    if (request.wait > 0)
        refuse_wait_with_snapshot(call, "Use READ COMMITTED, or call without wait.");
    InitMaterializedSRF(call.info, 0);
    queue::receive(queue, request, put_message, call.info->resultinfo);
    return static_cast<Datum>(0);
}

// receive(queue, max_messages, visibility_timeout, wait, consumer, consumer_version)
Datum receive(FunctionCallInfo fcinfo) {
    enum { kQueue, kMaxMessages, kVisibilityTimeout, kWait, kConsumer, kConsumerVersion };
    Call call = {fcinfo, "receive"};
    queue::QueueInfo queue = queue_to_receive_from(call);
    queue::ReceiveRequest request = {};
    request.max_messages = required_count(call, kMaxMessages, "max_messages");
    request.visibility_timeout =
        optional_duration(call, kVisibilityTimeout, "visibility_timeout", kShortestLease, kLongest);
    request.wait = wait_of(call, kWait, "wait");
    request.consumer = optional_text(call, kConsumer);
    request.consumer_version = optional_text(call, kConsumerVersion);
    return receive_set(call, queue, request);
}

// pop(queue, max_messages, wait, consumer, consumer_version)
Datum pop(FunctionCallInfo fcinfo) {
    enum { kQueue, kMaxMessages, kWait, kConsumer, kConsumerVersion };
    Call call = {fcinfo, "pop"};
    queue::QueueInfo queue = queue_to_receive_from(call);
    queue::ReceiveRequest request = {};
    request.is_pop = true;
    request.max_messages = required_count(call, kMaxMessages, "max_messages");
    request.wait = wait_of(call, kWait, "wait");
    request.consumer = optional_text(call, kConsumer);
    request.consumer_version = optional_text(call, kConsumerVersion);
    return receive_set(call, queue, request);
}

/// True for a CALL that might commit: outside of a transaction block, not in a function.
bool is_free_call(FunctionCallInfo fcinfo) {
    return fcinfo->context && IsA(fcinfo->context, CallContext) &&
           !reinterpret_cast<CallContext *>(fcinfo->context)->atomic;
}

// wait(queue, timeout)
Datum wait(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "wait"};
    (void)queue::extension();
    if (RecoveryInProgress())
        pg::require_writable(call.function);
    queue::QueueInfo queue = queue::find_queue(required_text(call, 0, "queue"));
    queue::require_privilege(queue, queue::Privilege::kConsume);
    (void)required(call, 1, "timeout");
    int64_t timeout = wait_of(call, 1, "timeout");
    if (timeout > 0)
        refuse_wait_with_snapshot(call, "Use READ COMMITTED.");
    bool is_free = is_free_call(fcinfo);
    if (is_free)
        ForgetPortalSnapshots(); // as COMMIT would: they would hold every vacuum's horizon back
    (void)queue::wait_for_message(queue, timeout);
    if (is_free)
        EnsurePortalSnapshotExists();
    PG_RETURN_VOID();
}

} // namespace
} // namespace baton::api

BATON_FUNCTION(baton_receive, baton::api::receive);
BATON_FUNCTION(baton_pop, baton::api::pop);
BATON_FUNCTION(baton_wait, baton::api::wait);
