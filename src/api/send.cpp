// baton.send, send_batch, publish, publish_batch and INSERT INTO baton.outbox.

#include "api/arguments.h"
#include "core/micros.h"
#include "pg/boundary.h"
#include "pg/random.h"
#include "queue/extension.h"
#include "queue/message_size.h"
#include "queue/queue_info.h"
#include "queue/segments.h"
#include "queue/send.h"
#include "queue/subscription.h"
#include "queue/topic_right.h"
#include "store/row.h"

namespace baton::api {
namespace {

using store::RowValues;

constexpr int kHighestPriority = 9;

pg_uuid_t *message_id(const Call &call, int i, int64_t now) {
    if (!call.is_null(i))
        return DatumGetUUIDP(call.value(i));
    auto *id = static_cast<pg_uuid_t *>(palloc(sizeof(pg_uuid_t)));
    *id = pg::new_uuid(now);
    return id;
}

/// When the message may be received first: now, after a delay, or at a time.
int64_t due_time(const Call &call, int delay, int deliver_at, int64_t now) {
    std::optional<int64_t> after = optional_duration(call, delay, "delay", 0, kLongest);
    if (deliver_at < 0 || call.is_null(deliver_at))
        return core::add_micros(now, after.value_or(0));
    if (after)
        pg::raise_invalid("only one of \"delay\" and \"deliver_at\" can be given", nullptr);
    TimestampTz at = DatumGetTimestampTz(call.value(deliver_at));
    if (TIMESTAMP_NOT_FINITE(at) || at > now + kLongest)
        pg::raise_invalid("argument \"deliver_at\" must be a time within the next ten years",
                          nullptr);
    return std::max(at, now);
}

int priority_of(const Call &call, int i) {
    int priority = call.is_null(i) ? 0 : DatumGetInt32(call.value(i));
    if (priority < 0 || priority > kHighestPriority)
        pg::raise_invalid("argument \"priority\" must be from 0 to 9", nullptr);
    return priority;
}

void set_unless_null(RowValues &row, store::RowAttribute attribute, const Call &call, int i) {
    if (!call.is_null(i))
        row.set(attribute, call.value(i));
}

void require_content(const Call &call, bool has_payload, bool has_body) {
    if (!has_payload && !has_body)
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("baton.%s needs a payload or a body", call.function),
                        errhint("For a message without content send the JSON value null.")));
}

void check_headers(Datum headers) {
    if (!JB_ROOT_IS_OBJECT(DatumGetJsonbP(headers)))
        pg::raise_invalid("argument \"headers\" must be a JSON object", nullptr);
}

void require_headers(const Call &call, int i) {
    if (!call.is_null(i))
        check_headers(call.value(i));
}

void require_headers(const Elements &headers) {
    for (int i = 0; i < headers.count; ++i)
        if (!headers.nulls[i])
            check_headers(headers.values[i]);
}

queue::QueueInfo queue_to_send_to(const Call &call, int i) {
    (void)queue::extension();
    pg::require_writable(call.function);
    queue::QueueInfo queue = queue::find_queue(required_text(call, i, "queue"));
    queue::require_privilege(queue, queue::Privilege::kSend);
    return queue;
}

// send(queue, payload, headers, key, delay, deliver_at, priority, expires_in, body, id, options)
enum SendArgument : int {
    kSendQueue,
    kSendPayload,
    kSendHeaders,
    kSendKey,
    kSendDelay,
    kSendDeliverAt,
    kSendPriority,
    kSendExpiresIn,
    kSendBody,
    kSendId,
    kSendOptions
};

void set_expiry_and_options(RowValues &row, const Call &call, int64_t now) {
    int32_t flags = 0;
    if (std::optional<int64_t> expires_in =
            optional_duration(call, kSendExpiresIn, "expires_in", 0, kLongest)) {
        row.set(store::kExpiresAt, TimestampTzGetDatum(core::add_micros(now, *expires_in)));
        flags |= store::kHasExpiry;
    }
    if (Jsonb *options = optional_jsonb(call, kSendOptions)) {
        row.set(store::kOptions, JsonbPGetDatum(queue::message_options(options)));
        flags |= store::kHasOptions;
    }
    row.set(store::kFlags, Int32GetDatum(flags));
}

/// Sends one message as the arguments say. Returns its id.
pg_uuid_t *send_one(const Call &call) {
    queue::QueueInfo queue = queue_to_send_to(call, kSendQueue);
    require_content(call, !call.is_null(kSendPayload), !call.is_null(kSendBody));
    require_headers(call, kSendHeaders);
    int64_t now = pg::clock_now();
    pg_uuid_t *id = message_id(call, kSendId, now);
    int64_t due_at = due_time(call, kSendDelay, kSendDeliverAt, now);
    RowValues row = store::new_row(id, now, due_at, priority_of(call, kSendPriority));
    set_unless_null(row, store::kPayload, call, kSendPayload);
    set_unless_null(row, store::kHeaders, call, kSendHeaders);
    set_unless_null(row, store::kKey, call, kSendKey);
    set_unless_null(row, store::kBody, call, kSendBody);
    set_expiry_and_options(row, call, now);
    queue::check_size(row, 0);
    queue::send_rows(queue, &row, 1, due_at, now);
    return id;
}

Datum send(FunctionCallInfo fcinfo) {
    PG_RETURN_UUID_P(send_one({fcinfo, "send"}));
}

/// Returns (id, status, retry_after).
Datum try_send(FunctionCallInfo fcinfo) {
    TupleDesc result = nullptr;
    if (get_call_result_type(fcinfo, nullptr, &result) != TYPEFUNC_COMPOSITE)
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("baton.try_send returns a row")));
    pg_uuid_t *id = send_one({fcinfo, "try_send"});
    Datum values[] = {UUIDPGetDatum(id), CStringGetTextDatum("queued"), static_cast<Datum>(0)};
    bool nulls[] = {false, false, true};
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(result), values, nulls));
}

void set_element(RowValues &row, store::RowAttribute attribute, const Elements &elements, int i) {
    if (elements.count > 0 && !elements.nulls[i])
        row.set(attribute, elements.values[i]);
}

pg_uuid_t *ids_for(const Elements &given, int count, int64_t now) {
    auto *ids = static_cast<pg_uuid_t *>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(pg_uuid_t) * static_cast<Size>(count)));
    for (int i = 0; i < count; ++i)
        ids[i] = given.count > 0 && !given.nulls[i] ? *DatumGetUUIDP(given.values[i])
                                                    : pg::new_uuid(now);
    return ids;
}

Datum uuid_array(pg_uuid_t *ids, int count) {
    if (count == 0)
        return PointerGetDatum(construct_empty_array(UUIDOID));
    auto *datums = static_cast<Datum *>(
        palloc_extended(sizeof(Datum) * static_cast<Size>(count), MCXT_ALLOC_HUGE));
    for (int i = 0; i < count; ++i)
        datums[i] = UUIDPGetDatum(&ids[i]);
    return PointerGetDatum(construct_array(datums, count, UUIDOID, UUID_LEN, false, TYPALIGN_CHAR));
}

struct Batch {
    Elements payloads;
    Elements headers;
    Elements keys;
    Elements topics; // or none
    Elements ids;
    int64_t due_at;
    Jsonb *options; // of every message, normalised; or nullptr
};

/// Builds and appends the rows of a batch. Returns their ids in input order.
Datum append_batch(const queue::QueueInfo &queue, const Batch &batch, int64_t now) {
    require_headers(batch.headers);
    int count = batch.payloads.count;
    pg_uuid_t *ids = ids_for(batch.ids, count, now);
    auto *rows = static_cast<RowValues *>(palloc_extended(
        sizeof(RowValues) * static_cast<Size>(std::max(count, 1)), MCXT_ALLOC_HUGE));
    for (int i = 0; i < count; ++i) {
        rows[i] = store::new_row(&ids[i], now, batch.due_at, 0);
        set_element(rows[i], store::kPayload, batch.payloads, i);
        set_element(rows[i], store::kHeaders, batch.headers, i);
        set_element(rows[i], store::kKey, batch.keys, i);
        set_element(rows[i], store::kTopic, batch.topics, i);
        if (batch.options) {
            rows[i].set(store::kOptions, JsonbPGetDatum(batch.options));
            rows[i].set(store::kFlags, Int32GetDatum(store::kHasOptions));
        }
        queue::check_size(rows[i], i + 1);
    }
    queue::send_rows(queue, rows, count, batch.due_at, now);
    return uuid_array(ids, count);
}

Elements payloads_of(const Call &call, int i) {
    Elements payloads = {};
    if (!call.is_null(i))
        payloads = elements_of(call.value(i), "payloads");
    refuse_null_elements(payloads, call.function, "payloads");
    return payloads;
}

// send_batch(queue, payloads, headers, keys, delay, ids, options)
Datum send_batch(FunctionCallInfo fcinfo) {
    enum { kQueue, kPayloads, kHeaders, kKeys, kDelay, kIds, kOptions };
    Call call = {fcinfo, "send_batch"};
    queue::QueueInfo queue = queue_to_send_to(call, kQueue);
    Batch batch = {};
    batch.payloads = payloads_of(call, kPayloads);
    batch.headers = elements_beside(call, kHeaders, "headers", batch.payloads.count);
    batch.keys = elements_beside(call, kKeys, "keys", batch.payloads.count);
    batch.ids = elements_beside(call, kIds, "ids", batch.payloads.count);
    int64_t now = pg::clock_now();
    batch.due_at = due_time(call, kDelay, -1, now);
    if (Jsonb *options = optional_jsonb(call, kOptions))
        batch.options = queue::message_options(options);
    return append_batch(queue, batch, now);
}

queue::QueueInfo outbox_to_publish_to(const Call &call) {
    (void)queue::extension();
    pg::require_writable(call.function);
    queue::require_publisher();
    queue::ensure_outbox();
    return queue::outbox();
}

/// A topic that is well formed and that the current role may publish.
void require_topic(text *topic) {
    queue::check_topic(topic);
    queue::require_topic(queue::TopicRight::kPublish,
                         {VARDATA_ANY(topic), static_cast<size_t>(VARSIZE_ANY_EXHDR(topic))});
}

// publish(topic, payload, headers, key, id, body)
Datum publish(FunctionCallInfo fcinfo) {
    enum { kTopic, kPayload, kHeaders, kKey, kId, kBody };
    Call call = {fcinfo, "publish"};
    queue::QueueInfo outbox = outbox_to_publish_to(call);
    require_topic(required_text(call, kTopic, "topic"));
    require_content(call, !call.is_null(kPayload), !call.is_null(kBody));
    require_headers(call, kHeaders);
    int64_t now = pg::clock_now();
    pg_uuid_t *id = message_id(call, kId, now);
    RowValues row = store::new_row(id, now, now, 0);
    set_unless_null(row, store::kTopic, call, kTopic);
    set_unless_null(row, store::kPayload, call, kPayload);
    set_unless_null(row, store::kHeaders, call, kHeaders);
    set_unless_null(row, store::kKey, call, kKey);
    set_unless_null(row, store::kBody, call, kBody);
    queue::check_size(row, 0);
    queue::append(outbox, &row, 1);
    PG_RETURN_UUID_P(id);
}

// publish_batch(topics, payloads, headers, keys, ids)
Datum publish_batch(FunctionCallInfo fcinfo) {
    enum { kTopics, kPayloads, kHeaders, kKeys, kIds };
    Call call = {fcinfo, "publish_batch"};
    queue::QueueInfo outbox = outbox_to_publish_to(call);
    Batch batch = {};
    batch.payloads = payloads_of(call, kPayloads);
    batch.topics = elements_beside(call, kTopics, "topics", batch.payloads.count);
    if (batch.payloads.count > 0 && call.is_null(kTopics))
        pg::raise_null_argument(call.function, "topics");
    refuse_null_elements(batch.topics, call.function, "topics");
    for (int i = 0; i < batch.topics.count; ++i)
        require_topic(DatumGetTextPP(batch.topics.values[i]));
    batch.headers = elements_beside(call, kHeaders, "headers", batch.payloads.count);
    batch.keys = elements_beside(call, kKeys, "keys", batch.payloads.count);
    batch.ids = elements_beside(call, kIds, "ids", batch.payloads.count);
    int64_t now = pg::clock_now();
    batch.due_at = now;
    return append_batch(outbox, batch, now);
}

/// The inserted row as RETURNING shows it.
HeapTuple with_identity(HeapTuple row, TupleDesc columns, const pg_uuid_t *id, int64_t now) {
    int numbers[] = {6, 7};
    Datum values[] = {UUIDPGetDatum(id), TimestampTzGetDatum(now)};
    bool nulls[] = {false, false};
    return heap_modify_tuple_by_cols(row, columns, 2, numbers, values, nulls);
}

/// INSTEAD OF INSERT trigger of the view baton.outbox (topic, key, payload, headers, body, id,
/// ...).
Datum outbox_insert(FunctionCallInfo fcinfo) {
    if (!CALLED_AS_TRIGGER(fcinfo))
        ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                        errmsg("must be called as a trigger")));
    auto *trigger = reinterpret_cast<TriggerData *>(fcinfo->context);
    TupleDesc columns = RelationGetDescr(trigger->tg_relation);
    constexpr store::RowAttribute kColumns[] = {store::kTopic, store::kKey, store::kPayload,
                                                store::kHeaders, store::kBody};
    Datum values[5];
    bool nulls[5];
    for (int i = 0; i < 5; ++i)
        values[i] = heap_getattr(trigger->tg_trigtuple, i + 1, columns, &nulls[i]);
    Call call = {fcinfo, "outbox"};
    queue::QueueInfo outbox = outbox_to_publish_to(call);
    if (nulls[0])
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("column \"topic\" of baton.outbox must not be null")));
    require_topic(DatumGetTextPP(values[0]));
    require_content(call, !nulls[2], !nulls[4]);
    if (!nulls[3])
        check_headers(values[3]);
    bool is_id_null = false;
    Datum given = heap_getattr(trigger->tg_trigtuple, 6, columns, &is_id_null);
    int64_t now = pg::clock_now();
    pg_uuid_t id = is_id_null ? pg::new_uuid(now) : *DatumGetUUIDP(given);
    RowValues row = store::new_row(&id, now, now, 0);
    for (int i = 0; i < 5; ++i)
        if (!nulls[i])
            row.set(kColumns[i], values[i]);
    queue::check_size(row, 0);
    queue::append(outbox, &row, 1);
    return PointerGetDatum(with_identity(trigger->tg_trigtuple, columns, &id, now));
}

} // namespace
} // namespace baton::api

BATON_FUNCTION(baton_send, baton::api::send);
BATON_FUNCTION(baton_try_send, baton::api::try_send);
BATON_FUNCTION(baton_send_batch, baton::api::send_batch);
BATON_FUNCTION(baton_publish, baton::api::publish);
BATON_FUNCTION(baton_publish_batch, baton::api::publish_batch);
BATON_FUNCTION(baton_outbox_insert, baton::api::outbox_insert);
