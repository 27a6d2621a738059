// The worker of one database: runs its chores, one bounded unit each, whenever they are due or it
// is woken.
//
// Its life: read the start order; join the roster; connect; see that the extension is there (else
// leave for good); then rounds of: interrupts, work bits, due chores, sleep. It leaves when the
// roster says so (exit 0), when the extension is gone (exit 0), or by FATAL (exit 1); the launcher
// decides whether it is started again.
//
// A chore that fails is undone, logged, shown in the roster and tried again after 1, 2, 4 ... 60 s;
// the others go on. While somebody drops the extension no chore runs: every unit takes a share lock
// on it, if it is free.
#pragma once

#include "pg/prelude.h"

/// The process's main function; the launcher names it to the server. The StartOrder comes in
/// bgw_extra.
extern "C" PGDLLEXPORT void baton_database_main(Datum argument);
