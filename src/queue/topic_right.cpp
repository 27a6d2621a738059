// Reads the grants and compares. A grant names its role by name and holds the number that the role
// had when the grant was written or restored: it is void unless both still belong together, so that
// no later role of the same name or number gets it.

#include "queue/topic_right.h"

#include "core/topic.h"
#include "pg/error.h"
#include "queue/extension.h"
#include "queue/grantee.h"

namespace baton::queue {
namespace {

// Columns of baton._topic_grant (sql/modules).
enum Column : int { kPattern = 1, kRole, kPrivilege, kRoleNumber };

struct Grant {
    TopicRight right;
    std::string_view pattern;
    char *role; // name
    Oid number;
    Grant *next;
};

struct Cache {
    MemoryContext memory;
    uint64_t version;
    Grant *first;
};

constinit Cache cache_ = {};

std::string_view copied(Datum value) {
    char *copy = TextDatumGetCString(value);
    return {copy, strlen(copy)};
}

Grant *grant_from(HeapTuple tuple, TupleDesc columns) {
    bool is_null = false;
    auto *grant = static_cast<Grant *>(palloc0(sizeof(Grant)));
    grant->pattern = copied(heap_getattr(tuple, kPattern, columns, &is_null));
    grant->role = TextDatumGetCString(heap_getattr(tuple, kRole, columns, &is_null));
    grant->right =
        topic_right_named(DatumGetTextPP(heap_getattr(tuple, kPrivilege, columns, &is_null)));
    Datum number = heap_getattr(tuple, kRoleNumber, columns, &is_null);
    grant->number = is_null ? InvalidOid : DatumGetObjectId(number);
    return grant;
}

/// All grants, with a fresh snapshot, in the current memory context.
Grant *read_grants() {
    Grant *first = nullptr;
    Relation relation = table_open(extension().topic_grant, AccessShareLock);
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    SysScanDesc scan = systable_beginscan(relation, InvalidOid, false, snapshot, 0, nullptr);
    while (HeapTuple tuple = systable_getnext(scan)) {
        Grant *grant = grant_from(tuple, RelationGetDescr(relation));
        grant->next = first;
        first = grant;
    }
    systable_endscan(scan);
    UnregisterSnapshot(snapshot);
    table_close(relation, AccessShareLock);
    return first;
}

const Grant *grants() {
    (void)extension(); // raises without preload or extension
    if (cache_.memory && cache_.version == catalog_version())
        return cache_.first;
    if (cache_.memory)
        MemoryContextDelete(cache_.memory);
    cache_ = {};
    cache_.memory =
        AllocSetContextCreate(CacheMemoryContext, "baton topic grants", ALLOCSET_SMALL_SIZES);
    uint64_t version = catalog_version();
    MemoryContext caller = MemoryContextSwitchTo(cache_.memory);
    cache_.first = read_grants();
    MemoryContextSwitchTo(caller);
    cache_.version = version; // of before: what changed meanwhile is read next time
    return cache_.first;
}

bool is_to_current_role(const Grant &grant) {
    if (strcmp(grant.role, kEverybody) == 0)
        return true;
    return OidIsValid(grant.number) && get_role_oid(grant.role, true) == grant.number &&
           has_privs_of_role(GetUserId(), grant.number);
}

} // namespace

TopicRight topic_right_named(text *name) {
    std::string_view given{VARDATA_ANY(name), static_cast<size_t>(VARSIZE_ANY_EXHDR(name))};
    if (given == "publish")
        return TopicRight::kPublish;
    if (given == "subscribe")
        return TopicRight::kSubscribe;
    pg::raise_invalid(psprintf("unknown privilege \"%s\"", text_to_cstring(name)),
                      "The privileges on topics are publish and subscribe.");
}

bool has_topic_right(TopicRight right, std::string_view topic) {
    if (is_administrator())
        return true;
    for (const Grant *grant = grants(); grant; grant = grant->next)
        if (grant->right == right && core::pattern_covers(grant->pattern, topic) &&
            is_to_current_role(*grant))
            return true;
    return false;
}

void require_topic(TopicRight right, std::string_view topic) {
    if (has_topic_right(right, topic))
        return;
    const char *shown = pnstrdup(topic.data(), topic.size());
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    right == TopicRight::kPublish
                        ? errmsg("permission denied to publish \"%s\"", shown)
                        : errmsg("permission denied to subscribe to \"%s\"", shown),
                    errhint("An administrator can grant it with baton.grant_topic.")));
}

void require_publisher() {
    if (is_administrator())
        return;
    for (const Grant *grant = grants(); grant; grant = grant->next)
        if (grant->right == TopicRight::kPublish && is_to_current_role(*grant))
            return;
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied to publish"),
                    errhint("An administrator can grant it with baton.grant_topic.")));
}

} // namespace baton::queue
