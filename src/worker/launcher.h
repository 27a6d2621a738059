// The launcher: one process for the whole server that gives every database with the extension its
// worker.
#pragma once

namespace baton::worker {

/// Registers the launcher with the server; called from _PG_init while preloading. Does nothing in
/// pg_upgrade's servers.
void register_launcher();

} // namespace baton::worker
