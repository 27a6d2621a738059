// Looks for the extension, and watches its end.

#include "worker/extension.h"

#include "shared/pending.h"
#include "shared/roster.h"

namespace baton::worker {
namespace {

constexpr const char *kExtension = "baton";

constinit object_access_hook_type previous_hook_ = nullptr;

/// The empty table baton.q<number> that carries a queue's owner and privileges.
bool is_anchor(Oid relation) {
    HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
    if (!HeapTupleIsValid(tuple))
        return false;
    auto *form = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple));
    std::string_view name{NameStr(form->relname)};
    bool is_named_so = name.size() > 1 && name[0] == 'q' &&
                       name.find_first_not_of("0123456789", 1) == std::string_view::npos;
    bool is_ours =
        is_named_so && form->relnamespace == get_namespace_oid(kExtension, true); // its schema too
    ReleaseSysCache(tuple);
    return is_ours;
}

extern "C" void baton_object_access(ObjectAccessType access, Oid class_id, Oid object_id,
                                    int sub_id, void *argument) {
    if (previous_hook_)
        previous_hook_(access, class_id, object_id, sub_id, argument);
    if (access == OAT_DROP && class_id == ExtensionRelationId &&
        get_extension_oid(kExtension, true) == object_id)
        shared::note_work(shared::kWorkWanted);
    if (access == OAT_DROP && class_id == RelationRelationId && sub_id == 0 && is_anchor(object_id))
        shared::note_work(shared::kWorkRemains);
}

} // namespace

ExtensionState lock_extension() {
    Oid extension = get_extension_oid(kExtension, true);
    if (!OidIsValid(extension))
        return ExtensionState::kAbsent;
    LOCKTAG tag;
    SET_LOCKTAG_OBJECT(tag, MyDatabaseId, ExtensionRelationId, extension, 0);
    if (LockAcquire(&tag, AccessShareLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
        return ExtensionState::kBusy;
    AcceptInvalidationMessages();
    Oid now = get_extension_oid(kExtension, true);
    if (!OidIsValid(now))
        return ExtensionState::kAbsent;
    return now == extension ? ExtensionState::kPresent : ExtensionState::kBusy;
}

void install_extension_watch() {
    previous_hook_ = object_access_hook;
    object_access_hook = baton_object_access;
}

} // namespace baton::worker
