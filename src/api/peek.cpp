// baton.peek and the select side of baton.outbox: looking at messages without taking them.

#include "api/arguments.h"
#include "core/lease_clock.h"
#include "pg/boundary.h"
#include "queue/consumer.h"
#include "queue/extension.h"
#include "queue/later.h"
#include "queue/row_reader.h"
#include "queue/topic_right.h"
#include "store/row.h"

namespace baton::api {
namespace {

constexpr int kPeekColumns = 16;

struct Peek {
    ReturnSetInfo *result;
    int64_t now;
    int left;
    const pg_uuid_t *id; // nullptr = any
    text *key;           // nullptr = any
    bool is_leased_only;
};

const char *state_of(const store::RowControl &control, int64_t now) {
    int64_t due_at = core::effective_lease_end(control.leased_at, control.visible_at, now);
    if (due_at <= now)
        return "ready";
    return control.nonce != 0 ? "leased" : "delayed";
}

bool is_wanted(const Peek &peek, HeapTuple row, Relation segment) {
    const store::RowControl &control = *store::control_of(row->t_data);
    if (peek.id && memcmp(control.id, peek.id->data, UUID_LEN) != 0)
        return false;
    if (peek.is_leased_only && strcmp(state_of(control, peek.now), "leased") != 0)
        return false;
    if (!peek.key)
        return true;
    bool is_null = false;
    Datum key = heap_getattr(row, store::kKey, RelationGetDescr(segment), &is_null);
    return !is_null && DatumGetBool(DirectFunctionCall2Coll(texteq, C_COLLATION_OID, key,
                                                            PointerGetDatum(peek.key)));
}

void set_time(Datum *value, bool *is_null, int64_t micros) {
    *is_null = micros == 0;
    *value = TimestampTzGetDatum(micros);
}

/// The row type is baton.stored_message (sql/modules/10_types.sql).
bool put_row(HeapTuple row, Relation segment, void *argument) {
    auto &peek = *static_cast<Peek *>(argument);
    if (!is_wanted(peek, row, segment))
        return true;
    constexpr store::RowAttribute kCopied[] = {store::kPayload, store::kHeaders, store::kKey,
                                               store::kTopic,   store::kBody,    store::kExpiresAt};
    Datum values[kPeekColumns];
    bool nulls[kPeekColumns] = {};
    store::RowControl control = *store::control_of(row->t_data); // may be changing
    values[0] = UUIDPGetDatum(reinterpret_cast<pg_uuid_t *>(control.id));
    values[1] = CStringGetTextDatum(state_of(control, peek.now));
    values[2] = Int32GetDatum(control.attempts);
    values[3] = Int32GetDatum(control.round);
    for (int i = 0; i < 6; ++i)
        values[4 + i] = heap_getattr(row, kCopied[i], RelationGetDescr(segment), &nulls[4 + i]);
    values[10] = Int32GetDatum(control.priority);
    values[11] = TimestampTzGetDatum(control.enqueued_at);
    values[12] = TimestampTzGetDatum(control.visible_at);
    set_time(&values[13], &nulls[13], control.leased_at);
    set_time(&values[14], &nulls[14], control.first_attempt_at);
    const char *consumer = queue::consumer_of(control.consumer).name;
    nulls[15] = consumer == nullptr;
    values[15] = consumer ? CStringGetTextDatum(consumer) : static_cast<Datum>(0);
    tuplestore_putvalues(peek.result->setResult, peek.result->setDesc, values, nulls);
    return --peek.left > 0;
}

// peek(queue, max_messages, id, key)
Datum peek(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "peek"};
    (void)queue::extension();
    queue::QueueInfo queue = queue::find_queue(required_text(call, 0, "queue"));
    queue::require_privilege(queue, queue::Privilege::kConsume);
    Peek peek = {};
    peek.left = required_count(call, 1, "max_messages");
    peek.id = call.is_null(2) ? nullptr : DatumGetUUIDP(call.value(2));
    peek.key = optional_text(call, 3);
    peek.now = pg::clock_now();
    InitMaterializedSRF(fcinfo, 0);
    peek.result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
    queue::visit_rows(queue, put_row, &peek);
    if (peek.left > 0)
        queue::visit_later(queue, put_row, &peek);
    return static_cast<Datum>(0);
}

Datum leases(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "leases"};
    (void)queue::extension();
    queue::QueueInfo queue = queue::find_queue(required_text(call, 0, "queue"));
    queue::require_privilege(queue, queue::Privilege::kConsume);
    InitMaterializedSRF(fcinfo, 0);
    Peek peek = {};
    peek.result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
    peek.now = pg::clock_now();
    peek.left = PG_INT32_MAX;
    peek.is_leased_only = true;
    queue::visit_rows(queue, put_row, &peek);
    return static_cast<Datum>(0);
}

/// Events are shown to who may subscribe to their topics.
bool may_see_event(HeapTuple row, Relation segment) {
    bool is_null = false;
    Datum value = heap_getattr(row, store::kTopic, RelationGetDescr(segment), &is_null);
    if (is_null)
        return queue::is_administrator();
    text *topic = DatumGetTextPP(value);
    return queue::has_topic_right(
        queue::TopicRight::kSubscribe,
        {VARDATA_ANY(topic), static_cast<size_t>(VARSIZE_ANY_EXHDR(topic))});
}

/// The row type is that of the view baton.outbox.
bool put_event(HeapTuple row, Relation segment, void *argument) {
    auto *result = static_cast<ReturnSetInfo *>(argument);
    if (!may_see_event(row, segment))
        return true;
    constexpr store::RowAttribute kCopied[] = {store::kTopic,     store::kKey,  store::kPayload,
                                               store::kHeaders,   store::kBody, store::kId,
                                               store::kEnqueuedAt};
    Datum values[7];
    bool nulls[7];
    for (int i = 0; i < 7; ++i)
        values[i] = heap_getattr(row, kCopied[i], RelationGetDescr(segment), &nulls[i]);
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
    return true;
}

Datum outbox_events(FunctionCallInfo fcinfo) {
    (void)queue::extension();
    InitMaterializedSRF(fcinfo, 0);
    queue::visit_rows(queue::outbox(), put_event, fcinfo->resultinfo);
    return static_cast<Datum>(0);
}

} // namespace
} // namespace baton::api

BATON_FUNCTION(baton_peek, baton::api::peek);
BATON_FUNCTION(baton_leases, baton::api::leases);
BATON_FUNCTION(baton_outbox_events, baton::api::outbox_events);
