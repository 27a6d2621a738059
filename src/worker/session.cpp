// Sets up worker processes and keeps them answering.

#include "worker/session.h"

#include "pg/process.h"

namespace baton::worker {
namespace {

struct Pinned {
    const char *name;
    const char *value;
};

constexpr Pinned kPinned[] = {
    {"search_path", "pg_catalog, pg_temp"},
    {"role", "none"},
    {"session_replication_role", "origin"},
    {"row_security", "off"},
    {"default_transaction_isolation", "read committed"},
    {"default_transaction_read_only", "off"},
    {"default_transaction_deferrable", "off"},
    {"default_table_access_method", "heap"},
    {"statement_timeout", "0"},
    {"lock_timeout", "0"},
    {"idle_in_transaction_session_timeout", "0"},
    {"transaction_timeout", "0"}, // since 17
};

} // namespace

void take_signals() {
    pqsignal(SIGHUP, SignalHandlerForConfigReload);
    pqsignal(SIGTERM, die);
    BackgroundWorkerUnblockSignals();
}

void pin_settings() {
    for (const Pinned &pinned : kPinned)
        if (GetConfigOption(pinned.name, true, false))
            SetConfigOption(pinned.name, pinned.value, PGC_SUSET, PGC_S_OVERRIDE);
}

void show_as(const char *application_name) {
    pgstat_report_appname(application_name);
    pgstat_report_activity(STATE_IDLE, nullptr);
}

void serve_interrupts() {
    if (!PostmasterIsAlive()) // who never sleeps would not notice
        proc_exit(1);
    QueryCancelPending = false;
    CHECK_FOR_INTERRUPTS();
    if (ConfigReloadPending) {
        ConfigReloadPending = false;
        ProcessConfigFile(PGC_SIGHUP);
    }
    if (catchupInterruptPending)
        ProcessCatchupInterrupt();
}

void sleep_until(int64_t deadline, uint32 wait_event) {
    int events = WL_LATCH_SET | WL_EXIT_ON_PM_DEATH;
    long timeout = -1;
    if (deadline != std::numeric_limits<int64_t>::max()) {
        int64_t wait = deadline - pg::steady_now();
        if (wait <= 0)
            return;
        events |= WL_TIMEOUT;
        timeout = static_cast<long>(std::min<int64_t>((wait + 999) / 1000, INT_MAX));
    }
    (void)WaitLatch(MyLatch, events, timeout, wait_event);
}

void rest(int64_t micros, uint32 wait_event) {
    (void)WaitLatch(MyLatch, WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, static_cast<long>(micros / 1000),
                    wait_event);
}

} // namespace baton::worker
