// Every difference between the supported servers (15 to 18) that this project meets, behind one
// name each. No other file may look at PG_VERSION_NUM.
#pragma once

#include "pg/prelude.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 190000
#error "baton supports PostgreSQL 15 to 18"
#endif

namespace baton::pg {

/// The number of a relation's storage file; it changes with every rewrite and so names one filling
/// of a segment.
using FileNumber = Oid;

inline FileNumber file_number(Relation rel) {
#if PG_VERSION_NUM >= 160000
    return rel->rd_locator.relNumber;
#else
    return rel->rd_node.relNode;
#endif
}

/// Gives a relation new empty storage; the old file goes at commit.
inline void new_storage(Relation rel) {
#if PG_VERSION_NUM >= 160000
    RelationSetNewRelfilenumber(rel, rel->rd_rel->relpersistence);
#else
    RelationSetNewRelfilenode(rel, rel->rd_rel->relpersistence);
#endif
}

/// Rebuilds the indexes of a relation and of its TOAST table after new_storage().
inline void rebuild_indexes(Oid relid) {
    ReindexParams params = {};
#if PG_VERSION_NUM >= 170000
    (void)reindex_relation(nullptr, relid, REINDEX_REL_PROCESS_TOAST, &params);
#else
    (void)reindex_relation(relid, REINDEX_REL_PROCESS_TOAST, &params);
#endif
}

/// This backend's number, unique among live backends.
inline uint32_t backend_number() {
#if PG_VERSION_NUM >= 170000
    return static_cast<uint32_t>(MyProcNumber);
#else
    return static_cast<uint32_t>(MyProc->pgprocno);
#endif
}

/// Leaves a condition variable. True if a signal was consumed that somebody else may need; where
/// the server passes such a signal on by itself (before 17) this is always false.
inline bool leave_condition_variable() {
#if PG_VERSION_NUM >= 170000
    return ConditionVariableCancelSleep();
#else
    ConditionVariableCancelSleep();
    return false;
#endif
}

/// True if the role owns the relation (or is a superuser).
inline bool owns_relation(Oid relid, Oid role) {
#if PG_VERSION_NUM >= 160000
    return object_ownercheck(RelationRelationId, relid, role);
#else
    return pg_class_ownercheck(relid, role);
#endif
}

/// Raises 42501 unless the current role can SET ROLE to that one.
inline void require_set_role(Oid role) {
#if PG_VERSION_NUM >= 160000
    check_can_set_role(GetUserId(), role);
#else
    check_is_member_of_role(GetUserId(), role);
#endif
}

/// A wait event named after what the process waits for (servers before 17 know only "Extension").
inline uint32 wait_event(const char *name) {
#if PG_VERSION_NUM >= 170000
    return WaitEventExtensionNew(name);
#else
    (void)name;
    return PG_WAIT_EXTENSION;
#endif
}

} // namespace baton::pg
