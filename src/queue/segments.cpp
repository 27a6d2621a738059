// DDL of segments.

#include "queue/segments.h"

#include "pg/random.h"
#include "pg/sql.h"
#include "queue/extension.h"
#include "queue/grantee.h"
#include "queue/low_marks.h"
#include "queue/queue_info.h"
#include "shared/queue_state.h"
#include "shared/ready_map.h"
#include "store/segment.h"

namespace baton::queue {
namespace {

using pg::SqlArgument;

/// A segment is a typed table, so that DROP EXTENSION finds it also after dump and restore. No free
/// space map is used and nothing must vacuum it; out-of-line storage starts only where a row would
/// not fit into a page.
constexpr const char *kCreateSegment =
    "CREATE %s TABLE baton.%s OF baton._message_row (visible_at WITH OPTIONS NOT NULL, leased_at WITH OPTIONS NOT NULL DEFAULT "
    "'2000-01-01 00:00:00+00', first_attempt_at WITH OPTIONS NOT NULL DEFAULT '2000-01-01 00:00:00+00', token WITH OPTIONS "
    "NOT NULL DEFAULT 0, nonce WITH OPTIONS NOT NULL DEFAULT 0, attempts WITH OPTIONS NOT NULL DEFAULT 0, round WITH OPTIONS "
    "NOT NULL DEFAULT 0, flags WITH OPTIONS NOT NULL DEFAULT 0, consumer WITH OPTIONS NOT NULL DEFAULT 0, enqueued_at WITH "
    "OPTIONS NOT NULL, id WITH OPTIONS NOT NULL, priority WITH OPTIONS NOT NULL DEFAULT 0) USING heap WITH "
    "(autovacuum_enabled = false, toast.autovacuum_enabled = false, toast_tuple_target = 8160)";

SqlArgument queue_argument(uint32_t queue) {
    return {INT4OID, UInt32GetDatum(queue), false};
}

void run_for(const char *format, const char *table) {
    (void)pg::run_sql(psprintf(format, table));
}

void create_segment(uint32_t queue, int32_t slot, bool is_unlogged) {
    NameData name;
    segment_name(queue, slot, &name);
    const char *table = NameStr(name);
    (void)pg::run_sql(psprintf(kCreateSegment, is_unlogged ? "UNLOGGED" : "", table));
    // Read under a buffer lock, so they must never stand out of line.
    run_for(
        "ALTER TABLE baton.%s ALTER COLUMN topic SET STORAGE PLAIN, ALTER COLUMN options SET STORAGE PLAIN",
        table);
    run_for("ALTER TABLE baton.%s REPLICA IDENTITY NOTHING", table);
    run_for(
        "CREATE TRIGGER foreign_insert AFTER INSERT ON baton.%s FOR EACH ROW EXECUTE FUNCTION baton._foreign_insert()",
        table);
    run_for("ALTER TABLE baton.%s ENABLE ALWAYS TRIGGER foreign_insert", table);
    revoke_default_privileges(table);
    store::Segment segment =
        store::open_segment(get_relname_relid(table, extension().schema), queue);
    shared::forget_segment(segment.key);
    store::close_segment(segment, false);
}

/// Appends a spare segment to the chain. False if there is none.
bool reuse_spare(uint32_t queue) {
    SqlArgument arguments[] = {queue_argument(queue)};
    return pg::run_sql(
               "UPDATE baton._segment SET seq = (SELECT max(seq) + 1 FROM baton._segment WHERE queue = $1) "
               "WHERE queue = $1 AND slot = (SELECT min(slot) FROM baton._segment WHERE queue = $1 AND seq IS NULL)",
               arguments) == 1;
}

} // namespace

void add_segment(uint32_t queue, bool is_unlogged) {
    if (reuse_spare(queue))
        return;
    SqlArgument arguments[] = {queue_argument(queue)};
    (void)pg::run_sql(
        "INSERT INTO baton._segment (queue, slot, seq) SELECT $1, coalesce(max(slot), 0) + 1, "
        "coalesce(max(seq), 0) + 1 FROM baton._segment WHERE queue = $1 RETURNING slot",
        arguments);
    int32_t slot = DatumGetInt32(*pg::first_value());
    create_segment(queue, slot, is_unlogged);
}

namespace {

/// Under a number that no other database's outbox is likely to have, so that a dump restored into a
/// database whose worker was faster brings its own segments beside this one.
void create_outbox() {
    constexpr uint64_t kNumbers = (uint64_t{1} << 30) - 1;
    auto slot = static_cast<int32_t>(pg::random_bits() % kNumbers + 1);
    SqlArgument arguments[] = {queue_argument(shared::kOutboxQueue),
                               {INT4OID, Int32GetDatum(slot), false}};
    (void)pg::run_sql("INSERT INTO baton._segment (queue, slot, seq) VALUES ($1, $2, 1)",
                      arguments);
    create_segment(shared::kOutboxQueue, slot, false);
}

} // namespace

void ensure_outbox() {
    if (chain_of(shared::kOutboxQueue).count > 0)
        return;
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    (void)pg::run_sql("LOCK TABLE baton._segment IN SHARE ROW EXCLUSIVE MODE");
    if (chain_of(shared::kOutboxQueue).count == 0)
        create_outbox();
    pg::end_sql(session);
    leave(caller);
    CommandCounterIncrement();
}

void prepare_outbox() {
    if (chain_of(shared::kOutboxQueue).count > 0)
        return;
    pg::SqlSession session = pg::begin_sql();
    bool has_queue = pg::run_sql("SELECT FROM baton._queue LIMIT 1") > 0;
    pg::end_sql(session);
    if (has_queue)
        ensure_outbox();
}

void retire_segment(uint32_t queue, int32_t slot) {
    SqlArgument arguments[] = {queue_argument(queue), {INT4OID, Int32GetDatum(slot), false}};
    (void)pg::run_sql("UPDATE baton._segment SET seq = NULL WHERE queue = $1 AND slot = $2",
                      arguments);
    forget_low_mark(relation_named(psprintf("q%u_%d", queue, slot)));
}

} // namespace baton::queue
