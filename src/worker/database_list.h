// The launcher's own list of databases: pg_database, and which of them turned out to lack the
// extension.
#pragma once

#include "pg/prelude.h"
#include "shared/roster.h"

namespace baton::worker {

/// Reads pg_database anew, keeping what is remembered; runs a transaction. Returns the list, sorted
/// by oid; it stays until the next call.
std::span<shared::DatabaseFact> read_databases();

/// Calls `gone` for the databases of the list before that are not in the present one.
void for_each_gone(void (*gone)(Oid database));

/// Remembers that the database has no extension, so that it is not probed again unless somebody
/// wants a worker there.
void remember_absent(Oid database);

/// Forgets all that was remembered: everything is probed again.
void forget_absent();

} // namespace baton::worker
