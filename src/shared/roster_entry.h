// The roster's memory, for roster.cpp (what every session does) and roster_life.cpp (how workers
// come and go) only.
#pragma once

#include "shared/roster.h"

namespace baton::shared::roster {

/// One database. Everything but `work` is guarded by the roster's lock: shared to read, exclusive
/// to write.
struct Entry {
    Oid database; // InvalidOid: free
    WorkerState state;
    bool is_probe;       // started without knowing whether the extension is there
    bool is_restart;     // the next start follows an unasked end
    uint32_t generation; // number of the last start; a process of another start has no say
    int32_t holds;       // sessions that keep the worker away
    pid_t pid;           // 0 unless a process has joined
    Latch *latch;        // of that process, null without one
    int32_t starts;
    int32_t restarts;    // starts after the process ended unasked
    int32_t failures;    // in a row
    int64_t start_after; // no start before this, steady clock
    int64_t joined_at;   // steady clock
    int64_t started_at;
    int64_t last_active_at;
    int64_t last_error_at;
    char chore[kChoreNameSize];
    char error_chore[kChoreNameSize];
    pg::ErrorText last_error;
    // Work bits. Set under the lock shared, so that the entry is not given away meanwhile.
    std::atomic<uint32_t> work;
};

struct Roster {
    std::atomic<uint32_t> requests; // LauncherRequest bits
    // All below is guarded by the roster's lock.
    pid_t launcher_pid;    // 0 without a launcher
    Latch *launcher_latch; // null without one
    int32_t launcher_starts;
    int64_t launcher_started_at;
    int64_t launcher_active_at;
    int64_t launcher_error_at;
    pg::ErrorText launcher_error;
    int32_t capacity; // never changes
};

/// The roster's lock.
LWLock *lock();

/// Runs `body` under the roster's lock. Nothing in a body may fail; an interrupt waits for its end.
template <typename Body>
auto locked(LWLockMode mode, const Body &body) {
    static_assert(std::is_trivially_destructible_v<Body>);
    LWLockAcquire(lock(), mode);
    if constexpr (std::is_void_v<decltype(body())>) {
        body();
        LWLockRelease(lock());
    } else {
        auto result = body();
        LWLockRelease(lock());
        return result;
    }
}

Roster &header();
std::span<Entry> entries();

// With the lock held:

Entry *find(Oid database);
/// A fresh entry in state unknown; nullptr without room, or with fewer than `spare` places left
/// after it.
Entry *add(Oid database, int spare);
Entry *find_or_add(Oid database);
/// True from a start until the process has gone (or was found never to have come).
bool has_process(const Entry &entry);
/// True if the entry says nothing that the launcher would not find out again.
bool is_blank(const Entry &entry);
void remove(Entry &entry);
/// Asks the entry's worker to leave, if there is one or one is coming.
void ask_to_leave(Entry &entry);
void wake_launcher(uint32_t requests);

} // namespace baton::shared::roster
