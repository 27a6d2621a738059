// Two generations of the list, each in a memory context of its own: the present one and the one
// before.

#include "worker/database_list.h"

#include "pg/process.h"

namespace baton::worker {
namespace {

using shared::DatabaseFact;

struct List {
    MemoryContext context;
    DatabaseFact *facts;
    size_t count;
    size_t capacity;
};

constinit List present_ = {};
constinit List before_ = {};

std::span<DatabaseFact> facts_of(const List &list) {
    return {list.facts, list.count};
}

DatabaseFact *find(const List &list, Oid database) {
    auto facts = facts_of(list);
    auto place =
        std::lower_bound(facts.begin(), facts.end(), database,
                         [](const DatabaseFact &fact, Oid oid) { return fact.database < oid; });
    return place != facts.end() && place->database == database ? &*place : nullptr;
}

void append(List &list, const DatabaseFact &fact) {
    if (list.count == list.capacity) {
        size_t larger = list.capacity == 0 ? 64 : list.capacity * 2;
        Size bytes = larger * sizeof(DatabaseFact);
        list.facts =
            static_cast<DatabaseFact *>(list.facts ? repalloc_huge(list.facts, bytes)
                                                   : MemoryContextAllocHuge(list.context, bytes));
        list.capacity = larger;
    }
    list.facts[list.count++] = fact;
}

bool takes_worker(const FormData_pg_database &form) {
    return form.datallowconn && !form.datistemplate &&
           form.datconnlimit != pg::kInvalidDatabaseLimit;
}

void scan(List &list, const List &old) {
    Relation relation = table_open(DatabaseRelationId, AccessShareLock);
    SysScanDesc scan = systable_beginscan(relation, InvalidOid, false, nullptr, 0, nullptr);
    for (HeapTuple tuple = systable_getnext(scan); HeapTupleIsValid(tuple);
         tuple = systable_getnext(scan)) {
        const auto &form = *reinterpret_cast<Form_pg_database>(GETSTRUCT(tuple));
        const DatabaseFact *known = find(old, form.oid);
        append(list, {form.oid, takes_worker(form), known && known->is_absent, false});
    }
    systable_endscan(scan);
    table_close(relation, AccessShareLock);
}

} // namespace

std::span<DatabaseFact> read_databases() {
    List fresh = {};
    fresh.context =
        AllocSetContextCreate(TopMemoryContext, "baton databases", ALLOCSET_DEFAULT_SIZES);
    SetCurrentStatementStartTimestamp();
    StartTransactionCommand();
    scan(fresh, present_);
    CommitTransactionCommand();
    auto facts = facts_of(fresh);
    std::sort(facts.begin(), facts.end(),
              [](const DatabaseFact &a, const DatabaseFact &b) { return a.database < b.database; });
    if (before_.context)
        MemoryContextDelete(before_.context);
    before_ = present_;
    present_ = fresh;
    return facts_of(present_);
}

void for_each_gone(void (*gone)(Oid database)) {
    for (const DatabaseFact &fact : facts_of(before_))
        if (!find(present_, fact.database))
            gone(fact.database);
}

void remember_absent(Oid database) {
    DatabaseFact *fact = find(present_, database);
    if (fact)
        fact->is_absent = true;
}

void forget_absent() {
    for (DatabaseFact &fact : facts_of(present_))
        fact.is_absent = false;
}

} // namespace baton::worker
