// Sleeping and waking.

#include "queue/waiting.h"

#include "core/sleep_length.h"
#include "pg/clock.h"
#include "pg/process.h"
#include "shared/pending.h"

namespace baton::queue {
namespace {

constexpr int64_t kLongestSleep = pg::kMicrosPerSecond;

uint32 wait_event() {
    static constinit uint32 event = 0;
    if (event == 0)
        event = pg::wait_event("BatonReceive");
    return event;
}

long sleep_milliseconds(int64_t left, core::ReadyWord next_due) {
    int64_t length = core::sleep_length(next_due, pg::clock_now(), left, kLongestSleep);
    return static_cast<long>((length + 999) / 1000);
}

void sleep(const Waiting &waiting, long milliseconds) {
    InvalidateCatalogSnapshot(); // else it would hold back the horizon of every vacuum meanwhile
    if (waiting.wakeup) {
        (void)ConditionVariableTimedSleep(waiting.wakeup, milliseconds, wait_event());
        return;
    }
    (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, milliseconds,
                    wait_event());
    ResetLatch(MyLatch);
    CHECK_FOR_INTERRUPTS();
}

void enter(Waiting &waiting) {
    waiting.is_registered = true;
    waiting.wakeup = shared::enter_wait(waiting.key);
    if (waiting.wakeup) {
        shared::note_waiting(waiting.key);
        ConditionVariablePrepareToSleep(waiting.wakeup);
    }
}

} // namespace

Waiting begin_waiting(const QueueInfo &queue, int64_t wait) {
    int64_t deadline = wait > 0 ? pg::steady_now() + wait : 0;
    return {{MyDatabaseId, queue.id}, deadline, false, false, nullptr};
}

bool wait_more(Waiting &waiting, core::ReadyWord next_due) {
    if (waiting.deadline == 0 || waiting.is_over)
        return false;
    if (!waiting.is_registered) {
        enter(waiting);
        return true;
    }
    int64_t left = waiting.deadline - pg::steady_now();
    if (left <= 0)
        return false;
    sleep(waiting, sleep_milliseconds(left, next_due));
    waiting.is_over = pg::steady_now() >= waiting.deadline; // one last look
    return true;
}

void end_waiting(Waiting &waiting, bool leaves_some) {
    if (!waiting.is_registered || !waiting.wakeup)
        return;
    bool has_signal = pg::leave_condition_variable();
    shared::note_not_waiting();
    if (has_signal || leaves_some)
        shared::signal_queue(waiting.key, 1);
}

} // namespace baton::queue
