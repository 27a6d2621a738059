// Waiting for messages on a queue's condition variable.
// Protocol: register, look again, sleep; whoever makes something claimable stores that first and
// signals after.
#pragma once

#include "core/ready_word.h"
#include "pg/prelude.h"
#include "queue/queue_info.h"
#include "shared/queue_state.h"

namespace baton::queue {

struct Waiting {
    shared::QueueKey key;
    int64_t deadline; // on the clock that nobody sets; 0 = no waiting
    bool is_registered;
    bool is_over;
    ConditionVariable *wakeup; // nullptr: no room in shared memory, look once a second
};

/// `wait` microseconds from now; nothing is registered before the first wait_more.
Waiting begin_waiting(const QueueInfo &queue, int64_t wait);

/// After a look in vain: true if the caller shall look again. Sleeps unless this is the first call,
/// which registers. Wakes for a signal, at `next_due`, at the deadline, and at least once a second.
bool wait_more(Waiting &waiting, core::ReadyWord next_due);

/// Ends it. A signal that came since the last sleep goes on to another waiter, since it may have
/// been for another message than the one taken. `leaves_some`: the caller saw something due and
/// leaves it, so the signal that woke it goes on too.
void end_waiting(Waiting &waiting, bool leaves_some);

} // namespace baton::queue
