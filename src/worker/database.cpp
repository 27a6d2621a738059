// The loop of a database's worker, and what surrounds each unit of a chore.

#include "worker/database.h"

#include "pg/attempt.h"
#include "pg/process.h"
#include "shared/roster.h"
#include "worker/chore.h"
#include "worker/extension.h"
#include "worker/session.h"

namespace baton::worker {
namespace {

constexpr int64_t kSecond = 1000000;
constexpr int64_t kLongestBackoff = 60 * kSecond;
constexpr int64_t kRetryBusyAfter = kSecond / 4; // the extension is being dropped

/// Only sees whether the extension is still there.
constexpr Chore kLook = {"look", shared::kWorkWanted, kUntilWoken, nullptr};

struct ChoreTimes {
    int64_t due_at;     // steady clock
    int64_t not_before; // after failures, whoever wakes it
    int32_t failures;   // in a row
};

/// One unit of one chore, for run_protected.
struct Unit {
    const Chore *chore;
    ExtensionState extension;
    int64_t wait_us;
};

constinit shared::StartOrder order_ = {};
constinit std::array<ChoreTimes, kMaxChores + 1> times_ = {};
constinit shared::Leaving leaving_ = shared::Leaving::kOtherwise;
constinit uint32_t work_ = 0; // taken from the roster, not yet turned into due times
constinit bool is_shown_busy_ = false;
constinit int64_t statistics_at_ = kUntilWoken; // when what is left of them has to be told

constinit const char *chore_name_ = nullptr; // of the unit that runs, for the error context
constinit char database_name_[NAMEDATALEN] = "";

constinit pg::ErrorText last_error_ = {};
constinit emit_log_hook_type previous_log_hook_ = nullptr;

size_t chore_count() {
    return std::min(chores().size(), kMaxChores) + 1;
}

const Chore &chore_at(size_t i) {
    return i == 0 ? kLook : chores()[i - 1];
}

int64_t backoff(int32_t failures) {
    return std::min(kSecond << std::min(failures - 1, 10), kLongestBackoff);
}

int64_t later(int64_t from, int64_t wait) {
    int64_t sum = 0;
    return __builtin_add_overflow(from, std::max<int64_t>(wait, 0), &sum) ? kUntilWoken : sum;
}

[[noreturn]] void leave(shared::Leaving leaving) {
    leaving_ = leaving;
    proc_exit(0);
}

// --- what the server calls ---

extern "C" void baton_database_exit(int code, Datum) {
    shared::leave_roster(order_, leaving_,
                         code != 0 && last_error_.text[0] != '\0' ? &last_error_ : nullptr);
}

/// Remembers why the process ends, should this error end it.
extern "C" void baton_remember_error(ErrorData *error) {
    if (error->elevel >= ERROR)
        pg::copy_error(*error, last_error_);
    if (previous_log_hook_)
        previous_log_hook_(error);
}

extern "C" void baton_worker_context(void *) {
    if (chore_name_)
        errcontext("baton worker of database \"%s\", chore \"%s\"", database_name_, chore_name_);
    else
        errcontext("baton worker of database \"%s\"", database_name_);
}

// --- one unit ---

void run_unit(void *argument) {
    auto *unit = static_cast<Unit *>(argument);
    SetCurrentStatementStartTimestamp();
    StartTransactionCommand();
    unit->extension = lock_extension();
    if (unit->extension == ExtensionState::kPresent && unit->chore->run) {
        PushActiveSnapshot(GetTransactionSnapshot());
        unit->wait_us = unit->chore->run();
        PopActiveSnapshot();
    }
    CommitTransactionCommand();
}

void show_busy(const Chore &chore) {
    is_shown_busy_ = true;
    pgstat_report_activity(STATE_RUNNING, chore.name);
    shared::note_chore(order_, chore.name);
}

void show_idle() {
    if (!is_shown_busy_)
        return;
    is_shown_busy_ = false;
    pgstat_report_activity(STATE_IDLE, nullptr);
    shared::note_chore(order_, "");
}

/// Tells the server's statistics; what it does not take yet is told some seconds later.
void report_statistics(bool must_take) {
    long wait_ms = pgstat_report_stat(must_take);
    statistics_at_ = wait_ms > 0 ? pg::steady_now() + wait_ms * 1000 : kUntilWoken;
}

void put_off_after_failure(ChoreTimes &times) {
    times.failures++;
    times.not_before = pg::steady_now() + backoff(times.failures);
    times.due_at = times.not_before;
}

/// False if no other chore should run now either.
bool run_chore(const Chore &chore, ChoreTimes &times) {
    Unit unit = {&chore, ExtensionState::kBusy, kUntilWoken};
    pg::ErrorText error;
    show_busy(chore);
    chore_name_ = chore.name;
    bool is_done = pg::run_protected(run_unit, &unit, error);
    chore_name_ = nullptr;
    report_statistics(false);
    if (!is_done) {
        shared::note_chore_error(order_, chore.name, error);
        put_off_after_failure(times);
        return true;
    }
    if (unit.extension == ExtensionState::kAbsent)
        leave(shared::Leaving::kNoExtension);
    if (unit.extension == ExtensionState::kBusy) {
        times.due_at = pg::steady_now() + kRetryBusyAfter;
        return false;
    }
    times = {later(pg::steady_now(), unit.wait_us), 0, 0};
    return true;
}

// --- rounds ---

void set_first_times() {
    int64_t now = pg::steady_now();
    for (size_t i = 0; i < chore_count(); ++i)
        times_[i] = {later(now, chore_at(i).first_delay_us), 0, 0};
}

void make_due(uint32_t work, int64_t now) {
    for (size_t i = 0; i < chore_count(); ++i)
        if ((chore_at(i).wakes_on & work) != 0)
            times_[i].due_at = std::max(times_[i].not_before, std::min(times_[i].due_at, now));
}

int64_t next_due_at() {
    int64_t earliest = statistics_at_;
    for (size_t i = 0; i < chore_count(); ++i)
        earliest = std::min(earliest, times_[i].due_at);
    return earliest;
}

/// Every chore that is due gets one unit. The latch is reset and the bits are taken before anything
/// is looked for.
void one_round(void *) {
    ResetLatch(MyLatch);
    serve_interrupts();
    bool must_leave = false;
    work_ |= shared::take_work(order_, must_leave);
    if (must_leave)
        leave(shared::Leaving::kOtherwise);
    int64_t now = pg::steady_now();
    make_due(work_, now);
    work_ = 0;
    for (size_t i = 0; i < chore_count(); ++i)
        if (times_[i].due_at <= now && !run_chore(chore_at(i), times_[i]))
            break;
    if (statistics_at_ <= pg::steady_now())
        report_statistics(true);
    if (next_due_at() > pg::steady_now())
        show_idle();
}

[[noreturn]] void run_rounds() {
    MemoryContext context =
        AllocSetContextCreate(TopMemoryContext, "baton worker", ALLOCSET_DEFAULT_SIZES);
    uint32 wait_event = pg::wait_event("BatonWorkerMain");
    int32_t failures = 0;
    set_first_times();
    for (;;) {
        MemoryContextSwitchTo(context);
        MemoryContextReset(context);
        pg::ErrorText error;
        if (pg::run_protected(one_round, nullptr, error)) {
            failures = 0;
            sleep_until(next_due_at(), wait_event);
        } else {
            shared::note_chore_error(order_, "", error);
            rest(backoff(++failures), wait_event);
        }
    }
}

// --- the beginning ---

/// Leaves if there is no extension. An error in here ends the process; the launcher tries again.
void see_database() {
    SetCurrentStatementStartTimestamp();
    StartTransactionCommand();
    const char *name = get_database_name(MyDatabaseId);
    strlcpy(database_name_, name ? name : "", sizeof(database_name_));
    ExtensionState extension = lock_extension();
    CommitTransactionCommand();
    if (extension == ExtensionState::kAbsent)
        leave(shared::Leaving::kNoExtension);
    if (!shared::begin_running(order_))
        leave(shared::Leaving::kOtherwise);
}

void run_worker(void *) {
    memcpy(&order_, MyBgworkerEntry->bgw_extra, sizeof(order_));
    take_signals();
    before_shmem_exit(baton_database_exit, static_cast<Datum>(0));
    previous_log_hook_ = emit_log_hook;
    emit_log_hook = baton_remember_error;
    pin_settings();
    if (!shared::join_roster(order_, work_))
        proc_exit(0);
    BackgroundWorkerInitializeConnectionByOid(order_.database, InvalidOid, 0);
    show_as("baton worker");
    ErrorContextCallback context = {error_context_stack, baton_worker_context, nullptr};
    error_context_stack = &context;
    see_database();
    run_rounds();
}

} // namespace
} // namespace baton::worker

extern "C" PGDLLEXPORT void baton_database_main(Datum) {
    baton::pg::call_guarded(baton::worker::run_worker, nullptr);
}
