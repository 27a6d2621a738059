// A worker process as a session of the server: signals, pinned settings, how it shows itself,
// interrupts, waiting.
#pragma once

#include "pg/prelude.h"

namespace baton::worker {

/// Installs the signal handlers and lets signals in. First thing in a worker's main function.
void take_signals();

/// Fixes what configuration, database or role must not change for a worker: name resolution,
/// isolation, timeouts, identity. Call it before connecting; reloads do not undo it.
void pin_settings();

/// The connected process's name in pg_stat_activity.
void show_as(const char *application_name);

/// Between two units: interrupts (this is where the process ends when told so), configuration,
/// invalidations. A cancel request that finds nothing to cancel is dropped. Call it outside of
/// transactions.
void serve_interrupts();

/// Sleeps until the latch is set or `deadline` (steady clock; INT64_MAX: none). The process ends if
/// the server dies.
void sleep_until(int64_t deadline, uint32 wait_event);

/// Sleeps that long whatever the latch says; for a loop that fails before it could clear its latch.
void rest(int64_t micros, uint32 wait_event);

} // namespace baton::worker
