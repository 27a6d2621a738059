// Catalog changes through SQL.

#include "queue/admin.h"

#include "pg/clock.h"
#include "pg/error.h"
#include "pg/sql.h"
#include "queue/access.h"
#include "queue/extension.h"
#include "queue/grantee.h"
#include "queue/later.h"
#include "queue/row_reader.h"
#include "queue/segments.h"
#include "queue/subscription.h"
#include "queue/topic_right.h"
#include "shared/pending.h"
#include "shared/roster.h"

namespace baton::queue {
namespace {

using pg::SqlArgument;

/// Elsewhere the queue comes first.
constexpr const char *kPatternFirst = "The pattern comes first, then the queue.";

SqlArgument text_argument(text *value) {
    return {TEXTOID, PointerGetDatum(value), false};
}

SqlArgument jsonb_argument(Jsonb *value) {
    return {JSONBOID, JsonbPGetDatum(value), false};
}

SqlArgument id_argument(uint32_t queue) {
    return {INT4OID, UInt32GetDatum(queue), false};
}

std::string_view view_of(text *value) {
    return {VARDATA_ANY(value), static_cast<size_t>(VARSIZE_ANY_EXHDR(value))};
}

/// The stored settings of a queue, its row locked against a drop at the same time; nullptr if it is
/// gone.
Jsonb *lock_queue(uint32_t id) {
    SqlArgument arguments[] = {id_argument(id)};
    (void)pg::run_sql("SELECT settings FROM baton._queue WHERE id = $1 FOR UPDATE", arguments);
    std::optional<Datum> settings = pg::first_value();
    return settings ? DatumGetJsonbPCopy(*settings) : nullptr;
}

void create_anchor(uint32_t id, Oid owner) {
    (void)pg::run_sql(psprintf(
        "CREATE TABLE baton.q%u OF baton._queue_anchor (CONSTRAINT no_rows CHECK (false)) USING heap",
        id));
    revoke_default_privileges(psprintf("q%u", id));
    (void)pg::run_sql(psprintf("ALTER TABLE baton.q%u OWNER TO %s", id, grantee_of(owner).sql));
}

bool insert_queue(text *name, Jsonb *settings, Oid owner) {
    SqlArgument arguments[] = {text_argument(name), jsonb_argument(settings)};
    (void)pg::run_sql(
        "INSERT INTO baton._queue (name, settings) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING id",
        arguments);
    std::optional<Datum> id = pg::first_value();
    if (!id)
        return false;
    create_anchor(DatumGetUInt32(*id), owner);
    add_segment(DatumGetUInt32(*id), settings_from(settings).is_unlogged);
    return true;
}

bool exists(text *name) {
    SqlArgument arguments[] = {text_argument(name)};
    return pg::run_sql("SELECT FROM baton._queue WHERE name = $1", arguments) > 0;
}

bool is_used(const char *query, uint32_t id) {
    SqlArgument arguments[] = {id_argument(id)};
    (void)pg::run_sql(query, arguments);
    return DatumGetBool(*pg::first_value());
}

[[noreturn]] void raise_in_use(const QueueInfo &queue, const char *why) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_IN_USE),
                    errmsg("cannot drop queue \"%s\"", NameStr(queue.name)), errdetail("%s", why),
                    errhint("Use force => true to drop it with all that it holds.")));
    pg_unreachable();
}

void refuse_if_used(const QueueInfo &queue, const Chain &chain) {
    for (int i = 0; i < chain.count; ++i)
        if (has_rows(chain.segments[i]))
            raise_in_use(queue, "It holds messages.");
    if (is_used("SELECT EXISTS (SELECT FROM baton._later WHERE queue = $1)", queue.id))
        raise_in_use(queue, "It holds delayed messages.");
    if (is_used(
            "SELECT EXISTS (SELECT FROM baton._dead_letter WHERE queue = $1 AND status = 'open')",
            queue.id))
        raise_in_use(queue, "It has open dead letters.");
    if (is_used("SELECT EXISTS (SELECT FROM baton._subscription WHERE queue = $1)", queue.id))
        raise_in_use(queue, "It is subscribed to a topic.");
}

/// Waits for the transactions that use the segments; their storage is forgotten when we commit.
void lock_segments(const QueueInfo &queue, const Chain &chain) {
    for (int i = 0; i < chain.count; ++i) {
        LockRelationOid(chain.segments[i], AccessExclusiveLock);
        store::Segment segment = store::open_segment(chain.segments[i], queue.id);
        if (!segment.relation)
            continue;
        shared::note_forget_at_commit(segment.key, queue.id);
        store::close_segment(segment, false);
    }
}

void drop_tables(const QueueInfo &queue) {
    (void)delete_all_later(queue);
    SqlArgument arguments[] = {id_argument(queue.id)};
    (void)pg::run_sql(
        "SELECT string_agg(format('baton.q%s_%s', queue, slot), ', ') FROM baton._segment WHERE queue = $1",
        arguments);
    std::optional<Datum> segments = pg::first_value();
    (void)pg::run_sql(psprintf("DROP TABLE IF EXISTS baton.q%u", queue.id));
    if (segments)
        (void)pg::run_sql(psprintf("DROP TABLE IF EXISTS %s", TextDatumGetCString(*segments)));
    for (const char *table : {"_segment", "_subscription", "_dead_letter", "_unlogged"})
        (void)pg::run_sql(psprintf("DELETE FROM baton.%s WHERE queue = $1", table), arguments);
    (void)pg::run_sql("DELETE FROM baton._queue WHERE id = $1", arguments);
}

/// As the extension's owner: a locked queue with all that it holds, or what is left of one.
void drop_locked(const QueueInfo &queue, bool force) {
    Chain chain = chain_of(queue.id);
    lock_segments(queue, chain);
    if (!force)
        refuse_if_used(queue, chain);
    drop_tables(queue);
}

/// A queue of the catalog without its table, by one snapshot, locked; nothing if there is none that
/// nobody else holds.
std::optional<QueueInfo> lock_remains() {
    if (pg::run_sql(
            "SELECT q.id, q.name::name FROM baton._queue AS q WHERE NOT EXISTS (SELECT FROM "
            "pg_class AS c WHERE c.relname = ('q' || q.id)::name AND "
            "c.relnamespace = 'baton'::regnamespace) LIMIT 1 FOR UPDATE SKIP LOCKED") == 0)
        return std::nullopt;
    bool is_null = false;
    HeapTuple row = SPI_tuptable->vals[0];
    QueueInfo remains = {};
    remains.id = DatumGetUInt32(SPI_getbinval(row, SPI_tuptable->tupdesc, 1, &is_null));
    remains.name = *DatumGetName(SPI_getbinval(row, SPI_tuptable->tupdesc, 2, &is_null));
    return remains;
}

bool lock_segments_if_free(const Chain &chain) {
    for (int i = 0; i < chain.count; ++i)
        if (!ConditionalLockRelationOid(chain.segments[i], AccessExclusiveLock))
            return false;
    return true;
}

/// An administrator can drop what is left of a queue too.
QueueInfo queue_to_drop(text *name) {
    std::optional<QueueInfo> remains = find_remains(name);
    if (remains && is_administrator())
        return *remains;
    QueueInfo queue = find_queue(name);
    require_privilege(queue, Privilege::kManage);
    return queue;
}

} // namespace

bool create_queue(text *name, Jsonb *settings, bool if_not_exists) {
    check_queue_name(view_of(name));
    require_access(Access::kCreateQueue, GetUserId());
    Jsonb *stored = merge_settings(nullptr, settings);
    Oid owner = GetUserId();
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    std::optional<QueueInfo> remains = find_remains(name);
    if (remains && lock_queue(remains->id))
        drop_locked(*remains, true);
    // Looked for first, since a conflict costs a number of the sequence.
    bool is_created = !exists(name) && insert_queue(name, stored, owner);
    pg::end_sql(session);
    leave(caller);
    if (!is_created && !if_not_exists)
        ereport(ERROR, (errcode(ERRCODE_DUPLICATE_TABLE),
                        errmsg("queue \"%s\" already exists", text_to_cstring(name)),
                        errhint("Use if_not_exists => true to accept that.")));
    shared::note_work(shared::kWorkRelay); // it prepares the outbox
    if (settings_from(stored).is_unlogged)
        shared::note_work(shared::kWorkUnlogged);
    CommandCounterIncrement();
    return is_created;
}

void alter_queue(text *name, Jsonb *changes) {
    QueueInfo queue = find_queue(name);
    require_privilege(queue, Privilege::kManage);
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    Jsonb *stored = lock_queue(queue.id);
    if (!stored)
        pg::raise_no_such_queue(NameStr(queue.name));
    SqlArgument arguments[] = {id_argument(queue.id),
                               jsonb_argument(merge_settings(stored, changes))};
    (void)pg::run_sql("UPDATE baton._queue SET settings = $2 WHERE id = $1", arguments);
    pg::end_sql(session);
    leave(caller);
    CommandCounterIncrement();
}

void drop_queue(text *name, bool force) {
    QueueInfo queue = queue_to_drop(name);
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    if (!lock_queue(queue.id))
        pg::raise_no_such_queue(NameStr(queue.name));
    drop_locked(queue, force);
    pg::end_sql(session);
    leave(caller);
    CommandCounterIncrement();
}

Cleared clear_remains() {
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    Cleared result = Cleared::kNothing;
    if (std::optional<QueueInfo> remains = lock_remains()) {
        result = Cleared::kBusy;
        if (lock_segments_if_free(chain_of(remains->id))) {
            drop_locked(*remains, true);
            ereport(LOG, (errmsg("baton: cleared queue \"%s\", whose table was dropped",
                                 NameStr(remains->name))));
            result = Cleared::kOne;
        }
    }
    pg::end_sql(session);
    leave(caller);
    CommandCounterIncrement();
    return result;
}

int64_t purge_queue(text *name, bool include_leased) {
    QueueInfo queue = find_queue(name);
    require_privilege(queue, Privilege::kManage);
    return delete_rows(queue, include_leased) + delete_all_later(queue);
}

void subscribe(text *pattern, text *queue_name) {
    check_pattern(pattern);
    QueueInfo queue = find_queue(queue_name, kPatternFirst);
    require_privilege(queue, Privilege::kManage);
    require_topic(TopicRight::kSubscribe, view_of(pattern));
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    if (!lock_queue(queue.id))
        pg::raise_no_such_queue(NameStr(queue.name));
    SqlArgument arguments[] = {text_argument(pattern), id_argument(queue.id)};
    (void)pg::run_sql(
        "INSERT INTO baton._subscription (pattern, queue) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        arguments);
    pg::end_sql(session);
    leave(caller);
    shared::note_work(shared::kWorkSubscriptions | shared::kWorkRelay);
    CommandCounterIncrement();
}

bool unsubscribe(text *pattern, text *queue_name) {
    QueueInfo queue = find_queue(queue_name, kPatternFirst);
    require_privilege(queue, Privilege::kManage);
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    SqlArgument arguments[] = {text_argument(pattern), id_argument(queue.id)};
    bool is_removed =
        pg::run_sql("DELETE FROM baton._subscription WHERE pattern = $1 AND queue = $2",
                    arguments) > 0;
    pg::end_sql(session);
    leave(caller);
    shared::note_work(shared::kWorkSubscriptions);
    CommandCounterIncrement();
    return is_removed;
}

} // namespace baton::queue
