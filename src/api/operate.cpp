// baton.cancel, dead_letter, release_consumer, pause_queue and resume_queue: an operator's hand on
// what is in a queue and on its deliveries.

#include "queue/operate.h"

#include "api/arguments.h"
#include "pg/boundary.h"
#include "queue/extension.h"
#include "queue/pause.h"

namespace baton::api {
namespace {

queue::QueueInfo queue_to_manage(const Call &call) {
    (void)queue::extension();
    pg::require_writable(call.function);
    queue::QueueInfo queue = queue::find_queue(required_text(call, 0, "queue"));
    queue::require_privilege(queue, queue::Privilege::kManage);
    return queue;
}

// cancel(queue, id)
Datum cancel(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "cancel"};
    queue::QueueInfo queue = queue_to_manage(call);
    PG_RETURN_BOOL(queue::cancel(queue, DatumGetUUIDP(required(call, 1, "id"))));
}

// dead_letter(queue, id, class, error)
Datum dead_letter(FunctionCallInfo fcinfo) {
    enum { kQueue, kId, kClass, kError };
    Call call = {fcinfo, "dead_letter"};
    queue::QueueInfo queue = queue_to_manage(call);
    pg_uuid_t *id = DatumGetUUIDP(required(call, kId, "id"));
    queue::Death death = {core::DeadReason::kManual, std::nullopt,
                          queue::sanitised_error(optional_text(call, kError))};
    death.failure = failure_class_of(required_text(call, kClass, "class"));
    PG_RETURN_BOOL(queue::bury_message(queue, id, death));
}

// release_consumer(queue, consumer)
Datum release_consumer(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "release_consumer"};
    queue::QueueInfo queue = queue_to_manage(call);
    PG_RETURN_INT64(queue::release_consumer(queue, required_text(call, 1, "consumer")));
}

// pause_queue(queue, reason, until)
Datum pause_queue(FunctionCallInfo fcinfo) {
    enum { kQueue, kReason, kUntil };
    Call call = {fcinfo, "pause_queue"};
    queue::QueueInfo queue = queue_to_manage(call);
    std::optional<int64_t> until;
    if (!call.is_null(kUntil))
        until = DatumGetTimestampTz(call.value(kUntil));
    PG_RETURN_BOOL(queue::pause_queue(queue, optional_text(call, kReason), until));
}

// resume_queue(queue)
Datum resume_queue(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "resume_queue"};
    PG_RETURN_BOOL(queue::resume_queue(queue_to_manage(call)));
}

// _is_paused(paused_at, paused_until), as stored
Datum is_paused(FunctionCallInfo fcinfo) {
    core::Pause pause = {!PG_ARGISNULL(0),
                         PG_ARGISNULL(1) ? core::kUntilResumed : PG_GETARG_TIMESTAMPTZ(1)};
    PG_RETURN_BOOL(core::is_paused(pause, pg::clock_now()));
}

} // namespace
} // namespace baton::api

BATON_FUNCTION(baton_cancel, baton::api::cancel);
BATON_FUNCTION(baton_dead_letter, baton::api::dead_letter);
BATON_FUNCTION(baton_release_consumer, baton::api::release_consumer);
BATON_FUNCTION(baton_pause_queue, baton::api::pause_queue);
BATON_FUNCTION(baton_resume_queue, baton::api::resume_queue);
BATON_FUNCTION(baton_is_paused, baton::api::is_paused);
