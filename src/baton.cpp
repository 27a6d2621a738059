// The doorway: what the server calls when it loads the library.

#include "pg/settings.h"
#include "queue/extension.h"
#include "shared/control.h"
#include "shared/pending.h"
#include "worker/database_commands.h"
#include "worker/extension.h"
#include "worker/launcher.h"

extern "C" {

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

/// Loaded by CREATE EXTENSION or a first call without preload, everything but the functions
/// themselves stays away: they raise BT005.
void _PG_init(void) {
    if (!process_shared_preload_libraries_in_progress)
        return;
    baton::pg::declare_settings();
    baton::shared::install_shared_memory();
    baton::shared::install_pending();
    baton::queue::watch_catalog();
    baton::worker::register_launcher();
    baton::worker::install_database_commands_hook();
    baton::worker::install_extension_watch();
}
}
