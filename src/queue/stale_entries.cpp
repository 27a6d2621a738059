// Compares the map with the catalog.

#include "queue/stale_entries.h"

#include "pg/sql.h"
#include "queue/extension.h"
#include "shared/ready_map.h"

namespace baton::queue {
namespace {

Datum files_of(std::span<const shared::SegmentKey> keys) {
    auto *files = static_cast<Datum *>(palloc(sizeof(Datum) * keys.size()));
    for (size_t i = 0; i < keys.size(); ++i)
        files[i] = ObjectIdGetDatum(keys[i].file);
    return PointerGetDatum(construct_array(files, static_cast<int>(keys.size()), OIDOID,
                                           sizeof(Oid), true, TYPALIGN_INT));
}

} // namespace

void forget_stale_entries() {
    std::span<shared::SegmentKey> keys = shared::segments_of(MyDatabaseId);
    if (keys.empty())
        return;
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    pg::SqlArgument arguments[] = {{OIDARRAYOID, files_of(keys), false}};
    (void)pg::run_sql("SELECT file FROM unnest($1) AS file WHERE NOT EXISTS "
                      "(SELECT FROM pg_catalog.pg_class WHERE relfilenode = file)",
                      arguments);
    for (uint64_t i = 0; i < SPI_processed; ++i) {
        bool is_null = false;
        Datum file = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &is_null);
        shared::forget_segment({MyDatabaseId, DatumGetObjectId(file)});
    }
    pg::end_sql(session);
    leave(caller);
}

} // namespace baton::queue
