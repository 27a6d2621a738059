// The worker roster: one entry per database that has, or may have, the extension, and the
// launcher's own place. One LWLock guards it all (tranche "baton roster"); only the work bits and
// the requests to the launcher are atomic.
//
// Protocol: the bits are the truth, the latch only says "look". Whoever has work sets the bits,
// then the latch; the worker clears the bits before it looks for the work. Nothing under the lock
// allocates or can fail, so waking is safe in commit and abort callbacks. Shared memory keeps no
// address but a Latch *, which lies in the server's own segment.
//
// An entry's states and their transitions (L the launcher, W the worker, S any session):
//
// clang-format off
//   from                          when                                           to            by
//   (none)                        a database is found                            unknown       L
//   (none)                        the worker is to be kept away                  unknown       S
//   (none) unknown no_extension   work, or CREATE EXTENSION commits              wanted        S
//   unknown wanted failed         its time has come, nobody keeps it away        starting      L
//   starting                      no free worker slot                            (as before)   L
//   starting                      connected, and the extension is there          running       W
//   starting running              kept away, barred, dropped, or switched off    stopping      S L
//   starting running stopping     exit, because the extension is not there       no_extension  W
//                                 ... but there was work in the meantime         wanted        W
//   stopping                      exit, or the process never came                wanted        W L
//   starting running              exit otherwise, or the process never came      failed        W L
//   no_extension                  the launcher has remembered it                 (none)        L
//   unknown wanted failed         the database takes no worker (template,        barred        L
//                                 connections not allowed, invalid)
//   barred                        the database takes workers again               unknown       L
//   any without a process         the database is gone                           (none)        L
// clang-format on
#pragma once

#include "pg/attempt.h"
#include "pg/prelude.h"

namespace baton::shared {

/// What a worker may be woken for, one bit each.
enum Work : uint32_t {
    kWorkRelay = 1,         // events were published
    kWorkExtend = 2,        // a segment is nearly full
    kWorkTurnover = 4,      // a segment may be all dead
    kWorkSubscriptions = 8, // subscriptions changed
    kWorkPrepared = 16,     // a transaction was prepared, or a prepared one ended
    kWorkDelayed = 32,      // messages with a long delay were sent
    kWorkOverdue = 64,      // some of them were due before their transaction ended
    kWorkRemains = 128,     // a queue's anchor was dropped
    kWorkUnlogged = 256,    // an unlogged queue was created
    kWorkWanted = 1U << 31  // nothing in particular: a worker should be there and look
};

enum class WorkerState : uint8_t {
    kFree,
    kUnknown,
    kWanted,
    kStarting,
    kRunning,
    kStopping,
    kFailed,
    kNoExtension,
    kBarred
};

/// The state's name as users see it.
const char *describe(WorkerState state);

constexpr int kChoreNameSize = 24;

Size roster_size();
void request_roster_locks();
void init_roster(bool is_found);

/// How many entries there are room for.
int roster_capacity();

// --- for every session ---

/// Gives the database's worker work (Work bits). Without an entry the launcher is asked to look
/// whether the database has the extension. Cannot fail: safe in commit and abort callbacks.
void wake_worker(Oid database, uint32_t work);

/// Says that the database should have a worker: after CREATE EXTENSION. Safe in callbacks.
void want_worker(Oid database);

/// What a reader sees of one worker or, with database 0, of the launcher.
struct WorkerInfo {
    Oid database;
    WorkerState state;
    bool is_held;       // somebody keeps the worker away at the moment
    pid_t pid;          // 0 without a process
    int32_t restarts;   // starts after it ended unasked
    int64_t started_at; // microseconds since 2000, unshifted clock; 0 never
    int64_t last_active_at;
    int64_t last_error_at;
    char chore[kChoreNameSize];       // what it is doing; empty: waiting
    char error_chore[kChoreNameSize]; // what failed last; empty: not a chore
    pg::ErrorText last_error;
};

/// Copies the launcher's place and all entries, as many as fit. Returns their number.
int copy_roster(std::span<WorkerInfo> out);

// --- for commands that need a database to themselves ---

/// Asks the database's worker to leave and keeps it away until release_database(), which must
/// follow once for every call. False without room in the roster: then nothing was done.
bool hold_database(Oid database);

/// The held database's worker: its process; 0 when there is none; -1 while one is being started.
pid_t held_worker(Oid database);

/// Sends SIGTERM to the held database's worker, if it is still there.
void terminate_held_worker(Oid database);

/// Takes one hold_database() back. Safe in callbacks.
void release_database(Oid database);

/// Asks the launcher to look at pg_database. Safe in callbacks.
void look_at_databases();

// --- for the launcher ---

/// A database as pg_database has it, and what the launcher remembers.
struct DatabaseFact {
    Oid database;
    bool may_have_worker;
    bool is_absent; // a worker looked and found no extension
    bool is_listed; // set by sync_roster: has an entry
};

/// One start of one worker; handed to the process by value.
struct StartOrder {
    int32_t slot;
    uint32_t generation;
    Oid database;
    WorkerState before;
};

/// The calling process is the launcher now. Starts of a former launcher whose process never came
/// are forgotten.
void join_as_launcher();
void leave_as_launcher();
void note_launcher_active();
void note_launcher_error(const pg::ErrorText &error);

enum LauncherRequest : uint32_t { kLookAtDatabases = 1, kRosterWasFull = 2 };

/// Takes the requests of `mask` that were made since the last call.
uint32_t take_launcher_requests(uint32_t mask);

/// Brings the entries in line with pg_database; `facts` are all databases, sorted by oid. Writes
/// the databases that had an entry and are gone to `gone` (roster_capacity() places) and returns
/// their number.
int sync_roster(std::span<DatabaseFact> facts, std::span<Oid> gone);

/// Forgets a database that was dropped.
void database_gone(Oid database);

/// Takes the entries in state no_extension out of the roster; returns how many databases were
/// written to `out`.
int take_absent(std::span<Oid> out);

/// Picks the worker to start next and marks it starting; false if none is due at `now` (steady
/// clock).
bool next_start(int64_t now, StartOrder &order);
void start_was_refused(const StartOrder &order);

/// When next_start() has something; INT64_MAX: not before somebody wakes the launcher. Steady
/// clock.
int64_t next_start_at();

/// True if the slot's worker was started and has not shown up yet; `generation` says by which
/// start.
bool is_awaited(int slot, uint32_t &generation);

/// The process of that start is gone without ever showing up.
void start_was_lost(int slot, uint32_t generation);

/// Asks all workers to leave.
void stop_all_workers();

// --- for the worker ---

/// The process shows up for its start; `work` is what waited for it. False if it is not wanted any
/// more.
bool join_roster(const StartOrder &order, uint32_t &work);

/// The extension is there, work begins. False if the worker was asked to leave.
bool begin_running(const StartOrder &order);

/// Takes the work bits; to be called before looking for the work. `must_leave`: the worker was
/// asked to leave.
uint32_t take_work(const StartOrder &order, bool &must_leave);

/// What the worker is doing from now on; empty: waiting.
void note_chore(const StartOrder &order, const char *chore);

/// A chore failed; the worker goes on.
void note_chore_error(const StartOrder &order, const char *chore, const pg::ErrorText &error);

enum class Leaving : uint8_t { kOtherwise, kNoExtension };

/// The process ends; `error`, if any, is why. Called while exiting: cannot fail. Without
/// join_roster it does nothing.
void leave_roster(const StartOrder &order, Leaving leaving, const pg::ErrorText *error);

} // namespace baton::shared
