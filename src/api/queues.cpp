// The functions that administer queues, and the triggers of the catalog's tables and of segments.

#include "api/arguments.h"
#include "pg/boundary.h"
#include "queue/access.h"
#include "queue/admin.h"
#include "queue/extension.h"
#include "queue/redrive.h"
#include "queue/row_reader.h"
#include "shared/pending.h"
#include "store/row.h"
#include "store/segment.h"

namespace baton::api {
namespace {

void begin_change(const Call &call) {
    (void)queue::extension();
    pg::require_writable(call.function);
}

bool flag(const Call &call, int i, const char *argument) {
    return DatumGetBool(required(call, i, argument));
}

Datum create_queue(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "create_queue"};
    begin_change(call);
    text *name = required_text(call, 0, "queue");
    Jsonb *settings = DatumGetJsonbP(required(call, 1, "settings"));
    PG_RETURN_BOOL(queue::create_queue(name, settings, flag(call, 2, "if_not_exists")));
}

Datum alter_queue(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "alter_queue"};
    begin_change(call);
    text *name = required_text(call, 0, "queue");
    queue::alter_queue(name, DatumGetJsonbP(required(call, 1, "settings")));
    PG_RETURN_VOID();
}

Datum drop_queue(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "drop_queue"};
    begin_change(call);
    text *name = required_text(call, 0, "queue");
    queue::drop_queue(name, flag(call, 1, "force"));
    PG_RETURN_VOID();
}

Datum purge_queue(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "purge_queue"};
    begin_change(call);
    text *name = required_text(call, 0, "queue");
    PG_RETURN_INT64(queue::purge_queue(name, flag(call, 1, "include_leased")));
}

Datum subscribe(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "subscribe"};
    begin_change(call);
    text *pattern = required_text(call, 0, "pattern");
    queue::subscribe(pattern, required_text(call, 1, "queue"));
    PG_RETURN_VOID();
}

Datum unsubscribe(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "unsubscribe"};
    begin_change(call);
    text *pattern = required_text(call, 0, "pattern");
    PG_RETURN_BOOL(queue::unsubscribe(pattern, required_text(call, 1, "queue")));
}

Datum redrive(FunctionCallInfo fcinfo) {
    Call call = {fcinfo, "redrive"};
    begin_change(call);
    queue::QueueInfo queue = queue::find_queue(required_text(call, 0, "queue"));
    queue::require_privilege(queue, queue::Privilege::kManage);
    Datum ids = required(call, 1, "ids");
    refuse_null_elements(elements_of(ids, "ids"), call.function, "ids");
    PG_RETURN_INT64(queue::redrive(queue, ids));
}

Datum require_preload(FunctionCallInfo) {
    (void)queue::extension();
    PG_RETURN_VOID();
}

Datum queue_settings(FunctionCallInfo fcinfo) {
    PG_RETURN_JSONB_P(queue::effective_settings(PG_GETARG_JSONB_P(0)));
}

/// Whether the current role may see the queue of that number: it owns it, has any privilege on it,
/// or monitors. What is left of a queue whose tables were dropped is shown to administrators.
Datum can_see(FunctionCallInfo fcinfo) {
    (void)queue::extension();
    std::optional<queue::QueueInfo> queue = queue::find_queue_by_id(PG_GETARG_UINT32(0));
    if (!queue)
        PG_RETURN_BOOL(queue::is_administrator());
    PG_RETURN_BOOL(queue::has_privilege(*queue, queue::Privilege::kConsume) ||
                   queue::has_privilege(*queue, queue::Privilege::kSend) ||
                   queue::has_access(queue::Access::kMonitor, GetUserId()));
}

/// Whether the current role may read messages of the queue of that number.
Datum can_read(FunctionCallInfo fcinfo) {
    (void)queue::extension();
    std::optional<queue::QueueInfo> queue = queue::find_queue_by_id(PG_GETARG_UINT32(0));
    PG_RETURN_BOOL(queue ? queue::has_privilege(*queue, queue::Privilege::kConsume)
                         : queue::is_administrator());
}

TriggerData *trigger_data(FunctionCallInfo fcinfo) {
    if (!CALLED_AS_TRIGGER(fcinfo))
        ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                        errmsg("must be called as a trigger")));
    return reinterpret_cast<TriggerData *>(fcinfo->context);
}

Datum catalog_changed(FunctionCallInfo fcinfo) {
    CacheInvalidateRelcache(trigger_data(fcinfo)->tg_relation);
    return PointerGetDatum(nullptr);
}

const char *verb_of(TriggerEvent event) {
    if (TRIGGER_FIRED_BY_INSERT(event))
        return "insert into";
    return TRIGGER_FIRED_BY_DELETE(event) ? "delete from" : "update";
}

/// Of views that only show. The trigger's argument is the hint.
Datum refuse_change(FunctionCallInfo fcinfo) {
    TriggerData *trigger = trigger_data(fcinfo);
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("cannot %s baton.%s", verb_of(trigger->tg_event),
                    RelationGetRelationName(trigger->tg_relation)),
             trigger->tg_trigger->tgnargs > 0 ? errhint("%s", trigger->tg_trigger->tgargs[0]) : 0));
    pg_unreachable();
}

/// A row that arrived by COPY, INSERT or logical replication: tell the ready map at commit.
Datum foreign_insert(FunctionCallInfo fcinfo) {
    TriggerData *trigger = trigger_data(fcinfo);
    unsigned int queue_id = 0;
    int slot = 0;
    if (sscanf(RelationGetRelationName(trigger->tg_relation), "q%u_%d", &queue_id, &slot) == 2) {
        shared::SegmentKey key = {MyDatabaseId, pg::file_number(trigger->tg_relation)};
        BlockNumber block = ItemPointerGetBlockNumber(&trigger->tg_trigtuple->t_self);
        shared::note_inserted(key, queue_id, block, block, 1);
    }
    return PointerGetDatum(nullptr);
}

} // namespace
} // namespace baton::api

BATON_FUNCTION(baton_create_queue, baton::api::create_queue);
BATON_FUNCTION(baton_alter_queue, baton::api::alter_queue);
BATON_FUNCTION(baton_drop_queue, baton::api::drop_queue);
BATON_FUNCTION(baton_purge_queue, baton::api::purge_queue);
BATON_FUNCTION(baton_subscribe, baton::api::subscribe);
BATON_FUNCTION(baton_unsubscribe, baton::api::unsubscribe);
BATON_FUNCTION(baton_redrive, baton::api::redrive);
BATON_FUNCTION(baton_require_preload, baton::api::require_preload);
BATON_FUNCTION(baton_queue_settings, baton::api::queue_settings);
BATON_FUNCTION(baton_can_see, baton::api::can_see);
BATON_FUNCTION(baton_can_read, baton::api::can_read);
BATON_FUNCTION(baton_catalog_changed, baton::api::catalog_changed);
BATON_FUNCTION(baton_refuse_change, baton::api::refuse_change);
BATON_FUNCTION(baton_foreign_insert, baton::api::foreign_insert);
