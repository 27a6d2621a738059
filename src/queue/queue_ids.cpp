// Reads the numbers of queues through SQL.

#include "queue/queue_ids.h"

#include "pg/sql.h"
#include "shared/queue_state.h"

namespace baton::queue {

QueueIds all_queues() {
    MemoryContext memory = CurrentMemoryContext;
    pg::SqlSession session = pg::begin_sql();
    auto rows = static_cast<int>(pg::run_sql("SELECT id FROM baton._queue ORDER BY id"));
    QueueIds queues = {static_cast<uint32_t *>(MemoryContextAlloc(
                           memory, sizeof(uint32_t) * (static_cast<Size>(rows) + 1))),
                       0};
    queues.ids[queues.count++] = shared::kOutboxQueue;
    for (int i = 0; i < rows; ++i) {
        bool is_null = false;
        queues.ids[queues.count++] = DatumGetUInt32(
            SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &is_null));
    }
    pg::end_sql(session);
    return queues;
}

} // namespace baton::queue
