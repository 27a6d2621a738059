// Looks up the extension's objects and notices when they change.

#include "queue/extension.h"

#include "pg/error.h"
#include "queue/known_files.h"
#include "shared/control.h"

namespace baton::queue {
namespace {

constinit ExtensionIds ids_ = {};
constinit bool is_known_ = false;
constinit uint64_t version_ = 1;

/// Triggers on the tables of the catalog invalidate their relcache entries, so every backend hears
/// of each change.
extern "C" void baton_on_relation_change(Datum, Oid relid) {
    forget_files(relid);
    bool is_catalog = relid == ids_.queue || relid == ids_.segment || relid == ids_.subscription ||
                      relid == ids_.topic_grant;
    if (relid == InvalidOid || !is_known_ || is_catalog) {
        is_known_ = false;
        ++version_;
    }
}

Oid extension_owner(Oid extension_id) {
    Relation relation = table_open(ExtensionRelationId, AccessShareLock);
    ScanKeyData key;
    ScanKeyInit(&key, Anum_pg_extension_oid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(extension_id));
    SysScanDesc scan = systable_beginscan(relation, ExtensionOidIndexId, true, nullptr, 1, &key);
    HeapTuple tuple = systable_getnext(scan);
    Oid owner = HeapTupleIsValid(tuple)
                    ? reinterpret_cast<Form_pg_extension>(GETSTRUCT(tuple))->extowner
                    : InvalidOid;
    systable_endscan(scan);
    table_close(relation, AccessShareLock);
    return owner;
}

void look_up() {
    Oid extension_id = get_extension_oid(kSchema, true);
    Oid schema = OidIsValid(extension_id) ? get_namespace_oid(kSchema, true) : InvalidOid;
    if (!OidIsValid(schema))
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                        errmsg("extension \"baton\" is not installed in this database"),
                        errhint("Run CREATE EXTENSION baton.")));
    ids_.schema = schema;
    ids_.owner = extension_owner(extension_id);
    ids_.queue = get_relname_relid("_queue", schema);
    ids_.queue_by_id = get_relname_relid("_queue_pkey", schema);
    ids_.queue_by_name = get_relname_relid("_queue_name_key", schema);
    ids_.segment = get_relname_relid("_segment", schema);
    ids_.segment_by_queue = get_relname_relid("_segment_pkey", schema);
    ids_.low_mark = get_relname_relid("_low_mark", schema);
    ids_.low_mark_by_segment = get_relname_relid("_low_mark_pkey", schema);
    ids_.subscription = get_relname_relid("_subscription", schema);
    ids_.dead_letter = get_relname_relid("_dead_letter", schema);
    ids_.dead_letter_sequence = get_relname_relid("_dead_letter_letter_id_seq", schema);
    ids_.consumer = get_relname_relid("_consumer", schema);
    ids_.topic_grant = get_relname_relid("_topic_grant", schema);
    ids_.access = get_relname_relid("_access", schema);
    ids_.row_type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("_message_row"),
                                    ObjectIdGetDatum(schema));
    is_known_ = true;
}

} // namespace

const ExtensionIds &extension() {
    if (!shared::is_preloaded())
        pg::raise_not_preloaded();
    if (!is_known_)
        look_up();
    return ids_;
}

bool is_administrator() {
    return has_privs_of_role(GetUserId(), extension().owner);
}

Oid relation_named(const char *name) {
    return get_relname_relid(name, extension().schema);
}

TupleDesc row_type() {
    return lookup_type_cache(extension().row_type, TYPECACHE_TUPDESC)->tupDesc;
}

uint64_t catalog_version() {
    return version_;
}

void watch_catalog() {
    CacheRegisterRelcacheCallback(baton_on_relation_change, static_cast<Datum>(0));
}

Identity become(Oid role) {
    Identity previous = {};
    GetUserIdAndSecContext(&previous.role, &previous.context);
    SetUserIdAndSecContext(role,
                           previous.context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_NOFORCE_RLS);
    return previous;
}

Identity become_owner() {
    return become(extension().owner);
}

void leave(const Identity &previous) {
    SetUserIdAndSecContext(previous.role, previous.context);
}

} // namespace baton::queue
