// Lists the databases, starts their workers and starts them again; connected to the shared catalogs
// only. It sleeps on its latch; whoever changes the roster in a way that concerns it sets it (see
// shared/roster.h).

#include "worker/launcher.h"

#include "pg/attempt.h"
#include "pg/process.h"
#include "pg/settings.h"
#include "shared/queue_state.h"
#include "shared/ready_map.h"
#include "shared/roster.h"
#include "worker/database_list.h"
#include "worker/session.h"

namespace baton::worker {
namespace {

constexpr int64_t kSecond = 1000000;
constexpr int64_t kLookEvery =
    60 * kSecond; // at pg_database, for databases that came without a word
constexpr int64_t kRetryFullAfter = 5 * kSecond; // no free worker slot
constexpr int64_t kRestAfterError = 5 * kSecond;
constexpr int64_t kSayFullEvery = 300 * kSecond; // in the log
constexpr int kRestartSeconds = 5;               // of the launcher itself

/// The process of a start that has not shown up in the roster yet.
struct Child {
    BackgroundWorkerHandle *handle;
    uint32_t generation;
};

constinit Child *children_ = nullptr; // one per roster slot
constinit Oid *oids_ = nullptr;       // room for one per roster slot
constinit int64_t look_at_ = 0;
constinit int64_t no_start_before_ = 0;
constinit int64_t full_said_at_ = 0; // 0: never
constinit bool is_disabled_ = false;

std::span<Oid> oids() {
    return {oids_, static_cast<size_t>(shared::roster_capacity())};
}

void name_worker(BackgroundWorker &worker, const char *function, const char *type) {
    strlcpy(worker.bgw_library_name, "baton", sizeof(worker.bgw_library_name));
    strlcpy(worker.bgw_function_name, function, sizeof(worker.bgw_function_name));
    strlcpy(worker.bgw_type, type, sizeof(worker.bgw_type));
    worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
    worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
}

bool register_worker(const shared::StartOrder &order) {
    BackgroundWorker worker = {};
    name_worker(worker, "baton_database_main", "baton worker");
    snprintf(worker.bgw_name, sizeof(worker.bgw_name), "baton worker for database %u",
             order.database);
    worker.bgw_restart_time = BGW_NEVER_RESTART; // that is our part
    worker.bgw_notify_pid = MyProcPid;
    static_assert(sizeof(order) <= sizeof(worker.bgw_extra));
    memcpy(worker.bgw_extra, &order, sizeof(order));
    Child &child = children_[order.slot];
    if (child.handle)
        pfree(child.handle);
    child.handle = nullptr;
    child.generation = order.generation;
    MemoryContext round = MemoryContextSwitchTo(TopMemoryContext); // the handle outlives the round
    bool is_registered = RegisterDynamicBackgroundWorker(&worker, &child.handle);
    MemoryContextSwitchTo(round);
    return is_registered;
}

/// One line in the log when it begins, and now and then while it comes and goes.
void report_out_of_slots(int64_t now) {
    if (full_said_at_ != 0 && now - full_said_at_ < kSayFullEvery)
        return;
    full_said_at_ = now;
    pg::ErrorText error;
    pg::set_error(error, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
                  "no free worker slot, see max_worker_processes");
    shared::note_launcher_error(error);
    ereport(LOG,
            (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
             errmsg("baton launcher: no free worker slot, some databases have no worker for now"),
             errhint("You might need to increase max_worker_processes.")));
}

void start_due(int64_t now) {
    shared::StartOrder order = {};
    while (now >= no_start_before_ && shared::next_start(now, order)) {
        if (register_worker(order))
            continue;
        shared::start_was_refused(order);
        no_start_before_ = now + kRetryFullAfter;
        report_out_of_slots(now);
    }
}

/// Finds processes that ended before they could join the roster. One that joined reports its end
/// itself.
void look_after_children() {
    for (int slot = 0; slot < shared::roster_capacity(); ++slot) {
        Child &child = children_[slot];
        uint32_t generation = 0;
        bool is_awaited = shared::is_awaited(slot, generation);
        pid_t pid = 0;
        // Without a handle an error came in between; should the process come, it finds itself lost.
        if (is_awaited && (!child.handle || child.generation != generation ||
                           GetBackgroundWorkerPid(child.handle, &pid) == BGWH_STOPPED)) {
            shared::start_was_lost(slot, generation);
            is_awaited = false;
        }
        if (!is_awaited && child.handle) {
            pfree(child.handle);
            child.handle = nullptr;
        }
    }
}

void learn_absent() {
    int count = shared::take_absent(oids());
    for (Oid database : oids().first(static_cast<size_t>(count))) {
        remember_absent(database);
        shared::forget_segments_of(database); // DROP EXTENSION left what the queues had
    }
}

void look_at_pg_database(int64_t now) {
    // Requests that come while we look are for the next time.
    (void)shared::take_launcher_requests(shared::kLookAtDatabases);
    if (now >= look_at_ && shared::take_launcher_requests(shared::kRosterWasFull) != 0)
        forget_absent();
    auto facts = read_databases();
    int count = shared::sync_roster(facts, oids());
    for (Oid database : oids().first(static_cast<size_t>(count)))
        shared::forget_segments_of(database);
    for_each_gone(shared::forget_segments_of);
    look_at_ = now + kLookEvery;
}

void note_whether_enabled() {
    if (is_disabled_ == !pg::settings.is_worker_enabled)
        return;
    is_disabled_ = !is_disabled_;
    ereport(LOG, (is_disabled_
                      ? errmsg("baton launcher: stopping all workers, because baton.worker is off")
                      : errmsg("baton launcher: starting workers again")));
}

/// Does all that is to be done now. Returns when to look again.
int64_t look_after_workers() {
    int64_t now = pg::steady_now();
    look_after_children();
    learn_absent();
    note_whether_enabled();
    if (is_disabled_)
        shared::stop_all_workers();
    bool is_start_due = !is_disabled_ && now >= no_start_before_ && shared::next_start_at() <= now;
    bool is_look_asked = shared::take_launcher_requests(shared::kLookAtDatabases) != 0;
    if (is_start_due || is_look_asked || now >= look_at_)
        look_at_pg_database(now);
    if (is_disabled_)
        return look_at_;
    start_due(now);
    return std::min(look_at_, std::max(no_start_before_, shared::next_start_at()));
}

void one_round(void *argument) {
    ResetLatch(MyLatch);
    serve_interrupts();
    shared::note_launcher_active();
    *static_cast<int64_t *>(argument) = look_after_workers();
}

extern "C" void baton_launcher_exit(int, Datum) {
    shared::leave_as_launcher();
}

void run_launcher(void *) {
    take_signals();
    pqsignal(SIGINT, SIG_IGN); // there is nothing to cancel
    before_shmem_exit(baton_launcher_exit, static_cast<Datum>(0));
    pin_settings();
    BackgroundWorkerInitializeConnection(nullptr, nullptr, 0);
    show_as("baton launcher");
    auto slots = static_cast<Size>(shared::roster_capacity());
    children_ =
        static_cast<Child *>(MemoryContextAllocZero(TopMemoryContext, slots * sizeof(Child)));
    oids_ = static_cast<Oid *>(MemoryContextAllocZero(TopMemoryContext, slots * sizeof(Oid)));
    MemoryContext context =
        AllocSetContextCreate(TopMemoryContext, "baton launcher", ALLOCSET_DEFAULT_SIZES);
    uint32 wait_event = pg::wait_event("BatonLauncherMain");
    shared::join_as_launcher();
    for (;;) {
        MemoryContextSwitchTo(context);
        MemoryContextReset(context);
        int64_t wake_at = 0;
        pg::ErrorText error;
        if (pg::run_protected(one_round, &wake_at, error)) {
            sleep_until(wake_at, wait_event);
        } else {
            shared::note_launcher_error(error);
            rest(kRestAfterError, wait_event);
        }
    }
}

} // namespace

void register_launcher() {
    if (!process_shared_preload_libraries_in_progress || IsBinaryUpgrade)
        return;
    BackgroundWorker worker = {};
    name_worker(worker, "baton_launcher_main", "baton launcher");
    strlcpy(worker.bgw_name, "baton launcher", sizeof(worker.bgw_name));
    worker.bgw_restart_time = kRestartSeconds;
    RegisterBackgroundWorker(&worker);
}

} // namespace baton::worker

extern "C" PGDLLEXPORT void baton_launcher_main(Datum) {
    baton::pg::call_guarded(baton::worker::run_launcher, nullptr);
}
