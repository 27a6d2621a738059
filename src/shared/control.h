// Shared memory as a whole: how much, its locks, and who sets it up.
#pragma once

#include "pg/prelude.h"

namespace baton::shared {

/// Facts about this life of the server.
struct Control {
    std::atomic<int64_t> latest_clock; // about the latest time that a receiver went by
    int64_t started_at; // when shared memory was set up, microseconds since 2000, unshifted clock
    bool is_unclean_start; // the server was not shut down cleanly before
};

/// Installs the shared-memory hooks; called from _PG_init while preloading.
void install_shared_memory();

/// True once shared memory is there, i.e. the library was preloaded.
bool is_preloaded();

Control &control();

} // namespace baton::shared
