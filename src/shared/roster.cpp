// The roster as every session meets it: memory, look-up, waking, keeping workers away, reading.

#include "shared/roster.h"

#include <new>

#include "shared/roster_entry.h"

namespace baton::shared {
namespace roster {
namespace {

constexpr const char *kTranche = "baton roster";
constexpr int kLeastEntries = 64;

constinit Roster *header_ = nullptr;
constinit Entry *entries_ = nullptr;
constinit LWLock *lock_ = nullptr;
constinit int last_found_ = 0; // where this backend found an entry last; only a guess

int wanted_capacity() {
    return std::max(kLeastEntries, max_worker_processes);
}

Size entries_offset() {
    return MAXALIGN(sizeof(Roster));
}

Size bytes() {
    return add_size(entries_offset(),
                    mul_size(sizeof(Entry), static_cast<Size>(wanted_capacity())));
}

void init(bool is_found) {
    lock_ = &GetNamedLWLockTranche(kTranche)->lock;
    bool is_there = is_found;
    auto *memory = static_cast<char *>(ShmemInitStruct(kTranche, bytes(), &is_there));
    header_ = reinterpret_cast<Roster *>(memory);
    entries_ = reinterpret_cast<Entry *>(memory + entries_offset());
    if (is_there)
        return;
    ::new (header_) Roster{};
    header_->capacity = wanted_capacity();
    for (int i = 0; i < header_->capacity; ++i)
        ::new (&entries_[i]) Entry{};
}

} // namespace

LWLock *lock() {
    return lock_;
}

Roster &header() {
    return *header_;
}

std::span<Entry> entries() {
    return {entries_, static_cast<size_t>(header_->capacity)};
}

Entry *find(Oid database) {
    if (entries_[last_found_].database == database)
        return &entries_[last_found_];
    for (int i = 0; i < header_->capacity; ++i) {
        if (entries_[i].database == database) {
            last_found_ = i;
            return &entries_[i];
        }
    }
    return nullptr;
}

Entry *add(Oid database, int spare) {
    Entry *free = nullptr;
    for (Entry &entry : entries()) {
        if (OidIsValid(entry.database))
            continue;
        if (free == nullptr)
            free = &entry;
        else if (--spare <= 0)
            break;
    }
    if (free == nullptr || spare > 0)
        return nullptr;
    uint32_t generation = free->generation; // never starts again: an old process may still carry it
    ::new (free) Entry{};
    free->generation = generation;
    free->database = database;
    free->state = WorkerState::kUnknown;
    return free;
}

Entry *find_or_add(Oid database) {
    Entry *entry = find(database);
    return entry ? entry : add(database, 0);
}

bool has_process(const Entry &entry) {
    return entry.state == WorkerState::kStarting || entry.state == WorkerState::kRunning ||
           entry.state == WorkerState::kStopping;
}

bool is_blank(const Entry &entry) {
    bool is_untried = entry.state == WorkerState::kUnknown || entry.state == WorkerState::kBarred;
    return is_untried && entry.starts == 0 && entry.work.load() == 0;
}

void remove(Entry &entry) {
    entry.database = InvalidOid;
    entry.state = WorkerState::kFree;
    entry.work.store(0);
}

void ask_to_leave(Entry &entry) {
    if (entry.state != WorkerState::kStarting && entry.state != WorkerState::kRunning)
        return;
    entry.state = WorkerState::kStopping;
    if (entry.latch)
        SetLatch(entry.latch);
}

void wake_launcher(uint32_t requests) {
    if (requests != 0)
        header_->requests.fetch_or(requests);
    if (header_->launcher_latch)
        SetLatch(header_->launcher_latch);
}

} // namespace roster

namespace {

using roster::Entry;
using roster::locked;

/// The launcher knows of the entry; there is nothing to tell it.
bool is_enlisted(WorkerState state) {
    return state != WorkerState::kFree && state != WorkerState::kUnknown &&
           state != WorkerState::kNoExtension;
}

/// Sets the bits and the latch. False if the launcher has to hear of the database as well.
bool tell_worker(Oid database, uint32_t work) {
    return locked(LW_SHARED, [&] {
        Entry *entry = roster::find(database);
        if (!entry)
            return false;
        entry->work.fetch_or(work);
        if (entry->latch)
            SetLatch(entry->latch);
        return is_enlisted(entry->state);
    });
}

void enlist(Oid database, uint32_t work) {
    locked(LW_EXCLUSIVE, [&] {
        Entry *entry = roster::find_or_add(database);
        if (!entry) {
            // The launcher probes all databases again when it looks next; no need to hurry it at
            // every commit.
            roster::header().requests.fetch_or(kRosterWasFull);
            return;
        }
        entry->work.fetch_or(work);
        if (is_enlisted(entry->state))
            return;
        entry->state = WorkerState::kWanted;
        entry->start_after = 0;
        roster::wake_launcher(0);
    });
}

void copy_entry(const Entry &entry, WorkerInfo &info) {
    info = {};
    info.database = entry.database;
    info.state = entry.state;
    info.is_held = entry.holds > 0;
    info.pid = entry.pid;
    info.restarts = entry.restarts;
    info.started_at = entry.started_at;
    info.last_active_at = entry.last_active_at;
    info.last_error_at = entry.last_error_at;
    strlcpy(info.chore, entry.chore, sizeof(info.chore));
    strlcpy(info.error_chore, entry.error_chore, sizeof(info.error_chore));
    info.last_error = entry.last_error;
}

void copy_launcher(WorkerInfo &info) {
    const roster::Roster &header = roster::header();
    info = {};
    info.state = header.launcher_pid != 0 ? WorkerState::kRunning : WorkerState::kWanted;
    info.pid = header.launcher_pid;
    info.restarts = header.launcher_starts > 0 ? header.launcher_starts - 1 : 0;
    info.started_at = header.launcher_started_at;
    info.last_active_at = header.launcher_active_at;
    info.last_error_at = header.launcher_error_at;
    info.last_error = header.launcher_error;
}

} // namespace

const char *describe(WorkerState state) {
    switch (state) {
    case WorkerState::kFree:
        return "free";
    case WorkerState::kUnknown:
        return "unknown";
    case WorkerState::kWanted:
        return "wanted";
    case WorkerState::kStarting:
        return "starting";
    case WorkerState::kRunning:
        return "running";
    case WorkerState::kStopping:
        return "stopping";
    case WorkerState::kFailed:
        return "failed";
    case WorkerState::kNoExtension:
        return "no_extension";
    case WorkerState::kBarred:
        return "barred";
    }
    return "unknown";
}

Size roster_size() {
    return roster::bytes();
}

void request_roster_locks() {
    RequestNamedLWLockTranche(roster::kTranche, 1);
}

void init_roster(bool is_found) {
    roster::init(is_found);
}

int roster_capacity() {
    return roster::header().capacity;
}

void wake_worker(Oid database, uint32_t work) {
    if (!tell_worker(database, work))
        enlist(database, work);
}

void want_worker(Oid database) {
    wake_worker(database, kWorkWanted);
}

int copy_roster(std::span<WorkerInfo> out) {
    size_t count = 0;
    locked(LW_SHARED, [&] {
        if (count < out.size())
            copy_launcher(out[count++]);
        for (const Entry &entry : roster::entries())
            if (OidIsValid(entry.database) && count < out.size())
                copy_entry(entry, out[count++]);
    });
    return static_cast<int>(count);
}

bool hold_database(Oid database) {
    return locked(LW_EXCLUSIVE, [&] {
        Entry *entry = roster::find_or_add(database);
        if (!entry)
            return false;
        ++entry->holds;
        roster::ask_to_leave(*entry);
        return true;
    });
}

pid_t held_worker(Oid database) {
    return locked(LW_SHARED, [&] {
        const Entry *entry = roster::find(database);
        if (!entry)
            return static_cast<pid_t>(0);
        return entry->pid == 0 && roster::has_process(*entry) ? static_cast<pid_t>(-1) : entry->pid;
    });
}

void terminate_held_worker(Oid database) {
    locked(LW_SHARED, [&] {
        const Entry *entry = roster::find(database);
        // The process takes its pid back under the lock before it ends, so this is no stranger's.
        if (entry && entry->pid != 0 && entry->holds > 0)
            kill(entry->pid, SIGTERM);
    });
}

void release_database(Oid database) {
    locked(LW_EXCLUSIVE, [&] {
        Entry *entry = roster::find(database);
        if (entry && entry->holds > 0 && --entry->holds == 0 && roster::is_blank(*entry))
            roster::remove(*entry); // made by hold_database; if not, the launcher finds it again
        roster::wake_launcher(kLookAtDatabases);
    });
}

void look_at_databases() {
    locked(LW_SHARED, [] { roster::wake_launcher(kLookAtDatabases); });
}

} // namespace baton::shared
