// The per-backend cache of queues and chains. Emptied as a whole whenever the catalog changes;
// callers get copies, so nothing they hold can go stale under them.

#include "queue/queue_info.h"

#include "pg/clock.h"
#include "pg/error.h"
#include "queue/extension.h"
#include "shared/queue_state.h"

namespace baton::queue {
namespace {

// Columns of baton._queue and baton._segment (sql/modules).
enum QueueColumn : int {
    kQueueId = 1,
    kQueueName,
    kQueueSettings,
    kQueueCreatedAt,
    kQueuePausedAt,
    kQueuePausedUntil,
};
enum SegmentColumn : int { kSegmentQueue = 1, kSegmentSlot, kSegmentSeq };

struct ById {
    uint32_t id; // hash key
    QueueInfo info;
};

struct ByName {
    NameData name; // hash key
    uint32_t id;
};

struct CachedChain {
    uint32_t queue; // hash key
    Chain chain;
};

struct Cache {
    MemoryContext memory;
    uint64_t version;
    HTAB *by_id;
    HTAB *by_name;
    HTAB *chains;
};

constinit Cache cache_ = {};

HTAB *make_table(const char *name, Size key_size, Size entry_size) {
    HASHCTL info = {};
    info.keysize = key_size;
    info.entrysize = entry_size;
    info.hcxt = cache_.memory;
    return hash_create(name, 64, &info, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

void ensure_fresh() {
    (void)extension(); // raises without preload or extension
    if (cache_.memory && cache_.version == catalog_version())
        return;
    if (cache_.memory)
        MemoryContextDelete(cache_.memory);
    cache_ = {};
    cache_.memory = AllocSetContextCreate(CacheMemoryContext, "baton queues", ALLOCSET_SMALL_SIZES);
    cache_.by_id = make_table("baton queues by id", sizeof(uint32_t), sizeof(ById));
    cache_.by_name = make_table("baton queues by name", sizeof(NameData), sizeof(ByName));
    cache_.chains = make_table("baton chains", sizeof(uint32_t), sizeof(CachedChain));
    cache_.version = catalog_version();
}

core::Pause pause_from(HeapTuple tuple, TupleDesc columns) {
    bool is_forever = false;
    Datum until = heap_getattr(tuple, kQueuePausedUntil, columns, &is_forever);
    return {!heap_attisnull(tuple, kQueuePausedAt, columns),
            is_forever ? core::kUntilResumed : DatumGetTimestampTz(until)};
}

QueueInfo info_from(Relation relation, HeapTuple tuple) {
    bool is_null = false;
    TupleDesc columns = RelationGetDescr(relation);
    QueueInfo info = {};
    info.id = DatumGetUInt32(heap_getattr(tuple, kQueueId, columns, &is_null));
    text *name = DatumGetTextPP(heap_getattr(tuple, kQueueName, columns, &is_null));
    text_to_cstring_buffer(name, NameStr(info.name), NAMEDATALEN);
    info.settings =
        settings_from(DatumGetJsonbP(heap_getattr(tuple, kQueueSettings, columns, &is_null)));
    info.pause = pause_from(tuple, columns);
    char anchor[NAMEDATALEN];
    snprintf(anchor, sizeof(anchor), "q%u", info.id);
    InvalidateCatalogSnapshot(); // whose row is visible has an anchor, even before the news of it
    info.anchor = relation_named(anchor);
    return info;
}

/// Reads one queue with a fresh snapshot, whatever the transaction's isolation level. `version` is
/// that of the catalog before the snapshot: what was read may be cached only if it is still the
/// same afterwards.
std::optional<QueueInfo> read_queue(Oid index, AttrNumber column, RegProcedure equals,
                                    Datum key_value, uint64_t *version) {
    std::optional<QueueInfo> result;
    Relation relation = table_open(extension().queue, AccessShareLock);
    *version = catalog_version();
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    ScanKeyData key;
    ScanKeyInit(&key, column, BTEqualStrategyNumber, equals, key_value);
    SysScanDesc scan = systable_beginscan(relation, index, true, snapshot, 1, &key);
    HeapTuple tuple = systable_getnext(scan);
    if (HeapTupleIsValid(tuple))
        result = info_from(relation, tuple);
    systable_endscan(scan);
    table_close(relation, AccessShareLock);
    UnregisterSnapshot(snapshot);
    return result;
}

void remember(const QueueInfo &info, uint64_t version) {
    ensure_fresh();
    if (cache_.version != version)
        return;
    bool is_found = false;
    static_cast<ById *>(hash_search(cache_.by_id, &info.id, HASH_ENTER, &is_found))->info = info;
    static_cast<ByName *>(hash_search(cache_.by_name, &info.name, HASH_ENTER, &is_found))->id =
        info.id;
}

const QueueInfo *cached(uint32_t id) {
    ensure_fresh();
    auto *entry = static_cast<ById *>(hash_search(cache_.by_id, &id, HASH_FIND, nullptr));
    return entry ? &entry->info : nullptr;
}

const QueueInfo *cached(const NameData &name) {
    ensure_fresh();
    auto *entry = static_cast<ByName *>(hash_search(cache_.by_name, &name, HASH_FIND, nullptr));
    return entry ? cached(entry->id) : nullptr;
}

struct Link {
    int64_t seq;
    int32_t slot;
};

int compare_links(const void *a, const void *b) {
    const auto &left = *static_cast<const Link *>(a);
    const auto &right = *static_cast<const Link *>(b);
    if (left.seq != right.seq)
        return left.seq < right.seq ? -1 : 1;
    return left.slot < right.slot ? -1 : left.slot > right.slot ? 1 : 0;
}

/// The links of a queue in order; spare segments (seq null) are left out.
int read_links(uint32_t queue, Link **links, uint64_t *version) {
    int count = 0;
    int capacity = 16;
    *links = static_cast<Link *>(palloc(sizeof(Link) * 16));
    Relation relation = table_open(extension().segment, AccessShareLock);
    *version = catalog_version();
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    ScanKeyData key;
    ScanKeyInit(&key, kSegmentQueue, BTEqualStrategyNumber, F_INT4EQ, UInt32GetDatum(queue));
    SysScanDesc scan =
        systable_beginscan(relation, extension().segment_by_queue, true, snapshot, 1, &key);
    while (HeapTuple tuple = systable_getnext(scan)) {
        bool is_null = false;
        Datum seq = heap_getattr(tuple, kSegmentSeq, RelationGetDescr(relation), &is_null);
        if (is_null)
            continue;
        if (count == capacity)
            *links = static_cast<Link *>(
                repalloc(*links, sizeof(Link) * static_cast<Size>(capacity *= 2)));
        bool is_slot_null = false;
        Datum slot = heap_getattr(tuple, kSegmentSlot, RelationGetDescr(relation), &is_slot_null);
        (*links)[count++] = {DatumGetInt64(seq), DatumGetInt32(slot)};
    }
    systable_endscan(scan);
    table_close(relation, AccessShareLock);
    UnregisterSnapshot(snapshot);
    pg_qsort(*links, static_cast<size_t>(count), sizeof(Link), compare_links);
    return count;
}

Chain read_chain(uint32_t queue, uint64_t *version) {
    Link *links = nullptr;
    int count = read_links(queue, &links, version);
    Chain chain = {static_cast<Oid *>(palloc(sizeof(Oid) * static_cast<Size>(std::max(count, 1)))),
                   0};
    for (int i = 0; i < count; ++i) {
        NameData name;
        segment_name(queue, links[i].slot, &name);
        Oid relid = relation_named(NameStr(name));
        if (OidIsValid(relid))
            chain.segments[chain.count++] = relid;
    }
    pfree(links);
    return chain;
}

Chain copy_chain(const Chain &chain, MemoryContext memory) {
    Size bytes = sizeof(Oid) * static_cast<Size>(std::max(chain.count, 1));
    Chain copy = {static_cast<Oid *>(MemoryContextAlloc(memory, bytes)), chain.count};
    memcpy(copy.segments, chain.segments, sizeof(Oid) * static_cast<Size>(chain.count));
    return copy;
}

bool has_anchor(const QueueInfo &info) {
    return OidIsValid(info.anchor) && SearchSysCacheExists1(RELOID, ObjectIdGetDatum(info.anchor));
}

std::optional<QueueInfo> look_up(text *name) {
    NameData key = {};
    auto length = static_cast<Size>(VARSIZE_ANY_EXHDR(name));
    (void)extension();
    if (length >= NAMEDATALEN)
        return std::nullopt;
    memcpy(NameStr(key), VARDATA_ANY(name), length);
    if (const QueueInfo *info = cached(key))
        return *info;
    uint64_t version = 0;
    std::optional<QueueInfo> info = read_queue(extension().queue_by_name, kQueueName, F_TEXTEQ,
                                               PointerGetDatum(name), &version);
    if (info && OidIsValid(info->anchor))
        remember(*info, version);
    return info;
}

std::optional<QueueInfo> read_anew(uint32_t id) {
    uint64_t version = 0;
    std::optional<QueueInfo> info =
        read_queue(extension().queue_by_id, kQueueId, F_INT4EQ, UInt32GetDatum(id), &version);
    if (info && OidIsValid(info->anchor))
        remember(*info, version);
    return info;
}

std::optional<QueueInfo> look_up(uint32_t id) {
    if (id == shared::kOutboxQueue)
        return std::nullopt;
    if (const QueueInfo *info = cached(id))
        return *info;
    return read_anew(id);
}

[[noreturn]] void raise_only_remains(const char *queue) {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("queue \"%s\" does not exist", queue),
                    errdetail("Its owner's tables were dropped; the rest of it is still there."),
                    errhint("Clear it with baton.drop_queue.")));
    pg_unreachable();
}

AclMode acl_of(Privilege privilege) {
    switch (privilege) {
    case Privilege::kSend:
        return ACL_INSERT;
    case Privilege::kConsume:
        return ACL_DELETE;
    case Privilege::kManage:
        break;
    }
    return ACL_TRUNCATE;
}

/// No error if the anchor is dropped at this moment.
bool is_granted(const QueueInfo &queue, AclMode mode) {
    bool is_missing = false;
    return pg_class_aclcheck_ext(queue.anchor, GetUserId(), mode, &is_missing) == ACLCHECK_OK;
}

const char *name_of(Privilege privilege) {
    switch (privilege) {
    case Privilege::kSend:
        return "send";
    case Privilege::kConsume:
        return "consume";
    case Privilege::kManage:
        break;
    }
    return "manage";
}

} // namespace

const char *sql_of(Privilege privilege) {
    switch (privilege) {
    case Privilege::kSend:
        return "INSERT";
    case Privilege::kConsume:
        return "DELETE";
    case Privilege::kManage:
        break;
    }
    return "TRUNCATE";
}

void segment_name(uint32_t queue, int32_t slot, NameData *name) {
    snprintf(NameStr(*name), NAMEDATALEN, "q%u_%d", queue, slot);
}

void check_queue_name(std::string_view name) {
    if (name.empty())
        pg::raise_invalid("a queue's name must not be empty", nullptr);
    if (name.size() >= NAMEDATALEN)
        ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG), errmsg("queue name is too long"),
                        errdetail("It has %d bytes; at most %d are allowed.",
                                  static_cast<int>(name.size()), NAMEDATALEN - 1)));
    for (char c : name)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            pg::raise_invalid("a queue's name must not contain control characters", nullptr);
}

QueueInfo find_queue(text *name, const char *hint) {
    std::optional<QueueInfo> info = look_up(name);
    if (info && has_anchor(*info))
        return *info;
    if (info && is_administrator())
        raise_only_remains(NameStr(info->name));
    pg::raise_no_such_queue(text_to_cstring(name), hint);
}

std::optional<QueueInfo> find_remains(text *name) {
    std::optional<QueueInfo> info = look_up(name);
    return info && !has_anchor(*info) ? info : std::nullopt;
}

std::optional<QueueInfo> find_queue_by_id(uint32_t id) {
    std::optional<QueueInfo> info = look_up(id);
    return info && has_anchor(*info) ? info : std::nullopt;
}

core::Pause current_pause(uint32_t id) {
    AcceptInvalidationMessages();
    std::optional<QueueInfo> info = look_up(id);
    // Who waits is woken at the commit of a resume, before the news of it is sent out.
    if (info && core::is_paused(info->pause, pg::clock_now()))
        info = read_anew(id);
    return info ? info->pause : core::Pause{};
}

QueueInfo outbox() {
    QueueInfo info = {};
    info.id = shared::kOutboxQueue;
    info.settings = settings_from(nullptr);
    namestrcpy(&info.name, "outbox");
    return info;
}

Chain chain_of(uint32_t queue) {
    ensure_fresh();
    auto *entry =
        static_cast<CachedChain *>(hash_search(cache_.chains, &queue, HASH_FIND, nullptr));
    if (entry)
        return copy_chain(entry->chain, CurrentMemoryContext);
    uint64_t version = 0;
    Chain chain = read_chain(queue, &version);
    ensure_fresh();
    // An empty chain is not remembered: the first publish makes the outbox's segment and wakes the
    // relay at its commit, before the news of the segment is sent out.
    if (cache_.version != version || chain.count == 0)
        return chain;
    Chain kept = copy_chain(chain, cache_.memory);
    bool is_found = false;
    entry = static_cast<CachedChain *>(hash_search(cache_.chains, &queue, HASH_ENTER, &is_found));
    entry->chain = kept;
    return chain;
}

bool has_privilege(const QueueInfo &queue, Privilege privilege) {
    return is_granted(queue, acl_of(privilege)) || is_granted(queue, ACL_TRUNCATE);
}

void require_privilege(const QueueInfo &queue, Privilege privilege) {
    if (!has_privilege(queue, privilege))
        pg::raise_not_granted(NameStr(queue.name), name_of(privilege));
}

} // namespace baton::queue
