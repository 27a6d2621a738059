// The witness is an unlogged row: it is lost exactly when the messages are.

#include "queue/unlogged.h"

#include "pg/sql.h"
#include "queue/extension.h"
#include "queue/queue_info.h"
#include "shared/ready_map.h"
#include "store/row_count.h"

namespace baton::queue {
namespace {

struct Count {
    uint32_t queue;
    int64_t messages;
};

struct Counts {
    Count *each;
    int count;
};

Counts unlogged_queues(MemoryContext memory) {
    auto rows = static_cast<int>(
        pg::run_sql("SELECT id FROM baton._queue WHERE settings @> '{\"unlogged\": 1}'"));
    Counts queues = {static_cast<Count *>(
                         MemoryContextAlloc(memory, sizeof(Count) * (static_cast<Size>(rows) + 1))),
                     rows};
    for (int i = 0; i < rows; ++i) {
        bool is_null = false;
        queues.each[i] = {DatumGetUInt32(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
                                                       1, &is_null)),
                          0};
    }
    return queues;
}

int64_t count_messages(uint32_t queue) {
    int64_t messages = 0;
    Chain chain = chain_of(queue);
    for (int i = 0; i < chain.count; ++i) {
        Relation relation = try_relation_open(chain.segments[i], AccessShareLock);
        if (!relation)
            continue;
        shared::SegmentKey key = {MyDatabaseId, pg::file_number(relation)};
        messages += store::count_rows(relation, shared::peek_segment(key).low_block);
        relation_close(relation, AccessShareLock);
    }
    return messages;
}

void note_loss() {
    if (pg::run_sql("SELECT FROM baton._witness LIMIT 1") > 0)
        return;
    if (pg::run_sql("UPDATE baton._unlogged SET lost = lost + messages, messages = 0, "
                    "lost_at = clock_timestamp(), counted_at = clock_timestamp()") > 0)
        ereport(LOG, (errmsg("baton: unlogged queues lost what they held"),
                      errdetail("See the view baton.unlogged_queues.")));
    (void)pg::run_sql("INSERT INTO baton._witness (since) VALUES (clock_timestamp())");
}

/// A queue that is being dropped or changed is left for the next time.
void write_count(const Count &count) {
    pg::SqlArgument arguments[] = {{INT4OID, UInt32GetDatum(count.queue), false},
                                   {INT8OID, Int64GetDatum(count.messages), false}};
    (void)pg::run_sql("INSERT INTO baton._unlogged AS u (queue, messages, counted_at) "
                      "SELECT q.id, $2, clock_timestamp() FROM (SELECT id FROM baton._queue "
                      "WHERE id = $1 FOR KEY SHARE SKIP LOCKED) AS q ON CONFLICT (queue) "
                      "DO UPDATE SET messages = excluded.messages, counted_at = "
                      "excluded.counted_at WHERE u.messages <> excluded.messages",
                      arguments);
}

} // namespace

int count_unlogged() {
    MemoryContext memory = CurrentMemoryContext;
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    Counts queues = unlogged_queues(memory);
    if (queues.count > 0)
        note_loss();
    for (int i = 0; i < queues.count; ++i)
        queues.each[i].messages = count_messages(queues.each[i].queue);
    for (int i = 0; i < queues.count; ++i)
        write_count(queues.each[i]);
    pg::end_sql(session);
    leave(caller);
    CommandCounterIncrement();
    return queues.count;
}

} // namespace baton::queue
