// The chores of a database's worker, one file each. What they return and may rely on: chore.h.
#pragma once

#include "worker/chore.h"

namespace baton::worker {

int64_t relay_chore();    // relay.cpp: moves events from the outbox to the subscribed queues
int64_t extend_chore();   // extend.cpp: gives chains whose last segment is nearly full a successor
int64_t turnover_chore(); // turnover.cpp: empties segments whose rows are all dead
int64_t prepared_chore(); // prepared.cpp: notices the end of prepared transactions
int64_t later_chore();    // later.cpp: moves delayed messages that are due into their queues
int64_t overdue_chore();  // later.cpp: the same for those whose transaction ended late
int64_t remains_chore();  // remains.cpp: clears what is left of queues whose anchor was dropped
int64_t marks_chore();    // marks.cpp: writes low marks down for the time after a restart
int64_t unlogged_chore(); // unlogged.cpp: counts the messages of unlogged queues, and what a crash
                          // took
int64_t map_chore();      // map.cpp: forgets what the map holds of files that are gone
int64_t sweep_chore();    // sweep.cpp: looks again at what the ready map believes dead

} // namespace baton::worker
