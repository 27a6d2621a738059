// What the view baton.shared_memory shows.

#include "pg/boundary.h"
#include "pg/error.h"
#include "pg/settings.h"
#include "shared/control.h"
#include "shared/queue_state.h"
#include "shared/ready_map.h"

namespace baton::api {
namespace {

void put_area(ReturnSetInfo *result, const char *area, int64_t used, int64_t capacity) {
    Datum values[] = {CStringGetTextDatum(area), Int64GetDatum(used), Int64GetDatum(capacity)};
    bool nulls[3] = {};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

Datum shared_memory(FunctionCallInfo fcinfo) {
    if (!shared::is_preloaded())
        pg::raise_not_preloaded();
    InitMaterializedSRF(fcinfo, 0);
    auto *result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
    shared::ReadyMapUse map = shared::ready_map_use();
    put_area(result, "segments", map.segments, map.segments_max);
    put_area(result, "pages", map.chunks * shared::kBlocksPerChunk,
             map.chunks_max * shared::kBlocksPerChunk);
    put_area(result, "queues", shared::queue_states_used(), pg::settings.max_queues);
    return static_cast<Datum>(0);
}

} // namespace
} // namespace baton::api

BATON_FUNCTION(baton_shared_memory, baton::api::shared_memory);
