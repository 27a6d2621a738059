// Reads subscriptions and matches topics.

#include "queue/subscription.h"

#include "core/topic.h"
#include "queue/extension.h"

namespace baton::queue {
namespace {

enum Column : int { kPattern = 1, kQueue };

std::string_view view_of(text *value) {
    return {VARDATA_ANY(value), static_cast<size_t>(VARSIZE_ANY_EXHDR(value))};
}

int compare_routes(const void *a, const void *b) {
    const auto &left = *static_cast<const Route *>(a);
    const auto &right = *static_cast<const Route *>(b);
    if (left.queue != right.queue)
        return left.queue < right.queue ? -1 : 1;
    return left.pattern.compare(right.pattern);
}

void raise_unless_ok(const char *what, text *value, core::TopicError error) {
    if (error == core::TopicError::kOk)
        return;
    ereport(
        ERROR,
        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
         errmsg("%s \"%s\" %s", what, text_to_cstring(value), core::describe(error)),
         errhint(
             "Topics are words joined by dots; in a pattern * stands for one word and # for any number.")));
}

} // namespace

std::span<Route> read_routes() {
    size_t count = 0;
    size_t capacity = 16;
    auto *routes = static_cast<Route *>(palloc(sizeof(Route) * capacity));
    Relation relation = table_open(extension().subscription, AccessShareLock);
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    SysScanDesc scan = systable_beginscan(relation, InvalidOid, false, snapshot, 0, nullptr);
    while (HeapTuple tuple = systable_getnext(scan)) {
        bool is_null = false;
        Datum queue = heap_getattr(tuple, kQueue, RelationGetDescr(relation), &is_null);
        if (!find_queue_by_id(DatumGetUInt32(queue)))
            continue; // its owner's tables were dropped
        if (count == capacity)
            routes = static_cast<Route *>(repalloc(routes, sizeof(Route) * (capacity *= 2)));
        text *pattern =
            DatumGetTextPP(heap_getattr(tuple, kPattern, RelationGetDescr(relation), &is_null));
        std::string_view stored = view_of(pattern);
        char *copy = pnstrdup(stored.data(), stored.size());
        routes[count++] = {{copy, stored.size()}, DatumGetUInt32(queue)};
    }
    systable_endscan(scan);
    UnregisterSnapshot(snapshot);
    table_close(relation, AccessShareLock);
    pg_qsort(routes, count, sizeof(Route), compare_routes);
    return {routes, count};
}

int route(std::string_view topic, std::span<const Route> routes, uint32_t *queues) {
    int count = 0;
    for (const Route &candidate : routes) {
        if (count > 0 && queues[count - 1] == candidate.queue)
            continue;
        if (core::topic_matches(candidate.pattern, topic))
            queues[count++] = candidate.queue;
    }
    return count;
}

void check_topic(text *topic) {
    raise_unless_ok("topic", topic, core::check_topic(view_of(topic)));
}

void check_pattern(text *pattern) {
    raise_unless_ok("pattern", pattern, core::check_pattern(view_of(pattern)));
}

} // namespace baton::queue
