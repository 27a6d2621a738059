// The extension's presence in this database: held for a unit of work, noticed when it ends.
#pragma once

#include "pg/prelude.h"

namespace baton::worker {

enum class ExtensionState : uint8_t {
    kPresent, // and locked against DROP until the transaction ends
    kAbsent,
    kBusy // somebody is dropping it, or has just made it anew
};

/// Locks the extension, if nobody else is at it: never waits. Inside a transaction, before a
/// snapshot is taken.
ExtensionState lock_extension();

/// Makes DROP EXTENSION (by whatever way) wake the database's worker at commit, so that it leaves
/// at once. Called from _PG_init while preloading.
void install_extension_watch();

} // namespace baton::worker
