// How workers come and go: the launcher's and the worker's side of the roster's transitions (see
// roster.h).

#include "pg/process.h"
#include "shared/roster.h"
#include "shared/roster_entry.h"

namespace baton::shared {
namespace {

using roster::Entry;
using roster::has_process;
using roster::locked;

constexpr int64_t kSecond = 1000000;
constexpr int64_t kFirstRestart = 5 * kSecond;
constexpr int64_t kLongestRestart = 60 * kSecond; // also: who lived longer has not failed in a row
constexpr int kMostProbes = 2;   // probes at a time, so that they leave worker slots to others
constexpr int kSpareEntries = 8; // kept free of databases nobody asked for
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// --- all with the lock held ---

Entry &entry_at(int slot) {
    return roster::entries()[static_cast<size_t>(slot)];
}

/// The entry of a process; nullptr if the process is of an older start, or did not join.
Entry *own_entry(const StartOrder &order) {
    Entry &entry = entry_at(order.slot);
    bool is_own = entry.database == order.database && entry.generation == order.generation &&
                  entry.pid == MyProcPid;
    return is_own ? &entry : nullptr;
}

void await_restart(Entry &entry) {
    int64_t now = pg::steady_now();
    bool is_in_a_row = now - entry.joined_at < kLongestRestart;
    entry.failures = is_in_a_row ? entry.failures + 1 : 1;
    int64_t wait = kFirstRestart << std::min(entry.failures - 1, 8);
    entry.state = WorkerState::kFailed;
    entry.is_restart = true;
    entry.start_after = entry.joined_at + std::min(wait, kLongestRestart);
}

void note_error(Entry &entry, const char *chore, const pg::ErrorText &error) {
    entry.last_error = error;
    entry.last_error_at = GetCurrentTimestamp();
    strlcpy(entry.error_chore, chore, sizeof(entry.error_chore));
}

/// Whether a start is possible but for the time; `probes` are under way.
bool is_startable(const Entry &entry, int probes) {
    if (!OidIsValid(entry.database) || entry.holds > 0)
        return false;
    if (entry.state == WorkerState::kUnknown)
        return probes < kMostProbes;
    return entry.state == WorkerState::kWanted || entry.state == WorkerState::kFailed;
}

int count_probes() {
    int count = 0;
    for (const Entry &entry : roster::entries())
        count += has_process(entry) && entry.is_probe ? 1 : 0;
    return count;
}

/// Databases that somebody asked for go before those that may have no extension, then who waits
/// longest.
bool goes_before(const Entry &a, const Entry &b) {
    bool is_a_guess = a.state == WorkerState::kUnknown;
    bool is_b_guess = b.state == WorkerState::kUnknown;
    return is_a_guess != is_b_guess ? is_b_guess : a.start_after < b.start_after;
}

DatabaseFact *find_fact(std::span<DatabaseFact> facts, Oid database) {
    auto place =
        std::lower_bound(facts.begin(), facts.end(), database,
                         [](const DatabaseFact &fact, Oid oid) { return fact.database < oid; });
    return place != facts.end() && place->database == database ? &*place : nullptr;
}

/// The database is gone. False while its process has not left.
bool forget(Entry &entry) {
    roster::ask_to_leave(entry);
    if (has_process(entry))
        return false;
    roster::remove(entry);
    return true;
}

void apply(Entry &entry, DatabaseFact &fact) {
    fact.is_listed = true;
    if (fact.may_have_worker) {
        if (entry.state == WorkerState::kBarred)
            entry.state = WorkerState::kUnknown;
        return;
    }
    roster::ask_to_leave(entry);
    if (!has_process(entry) && entry.state != WorkerState::kNoExtension)
        entry.state = WorkerState::kBarred;
}

} // namespace

// --- the launcher ---

void join_as_launcher() {
    locked(LW_EXCLUSIVE, [] {
        roster::Roster &header = roster::header();
        header.launcher_pid = MyProcPid;
        header.launcher_latch = MyLatch;
        header.launcher_starts++;
        header.launcher_started_at = GetCurrentTimestamp();
        for (Entry &entry : roster::entries()) {
            if (!has_process(entry) || entry.pid != 0)
                continue;
            ++entry.generation; // should the process still come, it finds that it is not meant
            entry.state = WorkerState::kWanted;
        }
    });
}

void leave_as_launcher() {
    locked(LW_EXCLUSIVE, [] {
        roster::Roster &header = roster::header();
        if (header.launcher_pid != MyProcPid)
            return;
        header.launcher_pid = 0;
        header.launcher_latch = nullptr;
    });
}

void note_launcher_active() {
    locked(LW_EXCLUSIVE, [] { roster::header().launcher_active_at = GetCurrentTimestamp(); });
}

void note_launcher_error(const pg::ErrorText &error) {
    locked(LW_EXCLUSIVE, [&] {
        roster::header().launcher_error = error;
        roster::header().launcher_error_at = GetCurrentTimestamp();
    });
}

uint32_t take_launcher_requests(uint32_t mask) {
    return roster::header().requests.fetch_and(~mask) & mask;
}

int sync_roster(std::span<DatabaseFact> facts, std::span<Oid> gone) {
    size_t count = 0;
    locked(LW_EXCLUSIVE, [&] {
        for (Entry &entry : roster::entries()) {
            if (!OidIsValid(entry.database))
                continue;
            Oid database = entry.database;
            DatabaseFact *fact = find_fact(facts, database);
            if (fact)
                apply(entry, *fact);
            else if (forget(entry) && count < gone.size())
                gone[count++] = database;
        }
        for (DatabaseFact &fact : facts)
            if (fact.may_have_worker && !fact.is_absent && !fact.is_listed &&
                !roster::add(fact.database, kSpareEntries))
                break;
    });
    return static_cast<int>(count);
}

void database_gone(Oid database) {
    locked(LW_EXCLUSIVE, [&] {
        Entry *entry = roster::find(database);
        if (entry)
            forget(*entry);
    });
}

int take_absent(std::span<Oid> out) {
    size_t count = 0;
    locked(LW_EXCLUSIVE, [&] {
        for (Entry &entry : roster::entries()) {
            if (entry.state != WorkerState::kNoExtension || entry.holds > 0 || count >= out.size())
                continue;
            out[count++] = entry.database;
            roster::remove(entry);
        }
    });
    return static_cast<int>(count);
}

bool next_start(int64_t now, StartOrder &order) {
    return locked(LW_EXCLUSIVE, [&] {
        int probes = count_probes();
        Entry *next = nullptr;
        for (Entry &entry : roster::entries())
            if (is_startable(entry, probes) && entry.start_after <= now &&
                (!next || goes_before(entry, *next)))
                next = &entry;
        if (!next)
            return false;
        auto slot = static_cast<int32_t>(next - roster::entries().data());
        order = {slot, ++next->generation, next->database, next->state};
        next->is_probe = next->state == WorkerState::kUnknown;
        next->state = WorkerState::kStarting;
        next->joined_at = now;
        return true;
    });
}

void start_was_refused(const StartOrder &order) {
    locked(LW_EXCLUSIVE, [&] {
        Entry &entry = entry_at(order.slot);
        if (entry.generation == order.generation && has_process(entry))
            entry.state = order.before;
    });
}

int64_t next_start_at() {
    return locked(LW_SHARED, [] {
        int probes = count_probes();
        int64_t earliest = kNever;
        for (const Entry &entry : roster::entries())
            if (is_startable(entry, probes))
                earliest = std::min(earliest, entry.start_after);
        return earliest;
    });
}

bool is_awaited(int slot, uint32_t &generation) {
    return locked(LW_SHARED, [&] {
        const Entry &entry = entry_at(slot);
        generation = entry.generation;
        return has_process(entry) && entry.pid == 0;
    });
}

void start_was_lost(int slot, uint32_t generation) {
    pg::ErrorText error;
    pg::set_error(error, ERRCODE_INTERNAL_ERROR,
                  "the process ended before it could begin, see the server's log");
    locked(LW_EXCLUSIVE, [&] {
        Entry &entry = entry_at(slot);
        if (entry.generation != generation || entry.pid != 0 || !has_process(entry))
            return;
        if (entry.state == WorkerState::kStopping) {
            entry.state = WorkerState::kWanted;
            return;
        }
        await_restart(entry);
        note_error(entry, "", error);
    });
}

void stop_all_workers() {
    locked(LW_EXCLUSIVE, [] {
        for (Entry &entry : roster::entries())
            roster::ask_to_leave(entry);
    });
}

// --- the worker ---

bool join_roster(const StartOrder &order, uint32_t &work) {
    return locked(LW_EXCLUSIVE, [&] {
        Entry &entry = entry_at(order.slot);
        if (entry.database != order.database || entry.generation != order.generation ||
            entry.pid != 0)
            return false;
        if (entry.state != WorkerState::kStarting) {
            if (entry.state == WorkerState::kStopping)
                entry.state = WorkerState::kWanted;
            roster::wake_launcher(0);
            return false;
        }
        entry.pid = MyProcPid;
        entry.latch = MyLatch;
        entry.starts++;
        entry.restarts += entry.is_restart ? 1 : 0;
        entry.is_restart = false;
        entry.joined_at = pg::steady_now();
        entry.started_at = GetCurrentTimestamp();
        entry.chore[0] = '\0';
        work = entry.work.exchange(0);
        return true;
    });
}

bool begin_running(const StartOrder &order) {
    return locked(LW_EXCLUSIVE, [&] {
        Entry *entry = own_entry(order);
        if (!entry || entry->state != WorkerState::kStarting)
            return false;
        entry->state = WorkerState::kRunning;
        entry->is_probe = false;
        roster::wake_launcher(0); // there is room for another probe
        return true;
    });
}

uint32_t take_work(const StartOrder &order, bool &must_leave) {
    return locked(LW_SHARED, [&] {
        Entry *entry = own_entry(order);
        must_leave = !entry || entry->state != WorkerState::kRunning;
        return entry && !must_leave ? entry->work.exchange(0) : 0U;
    });
}

void note_chore(const StartOrder &order, const char *chore) {
    locked(LW_EXCLUSIVE, [&] {
        Entry *entry = own_entry(order);
        if (!entry)
            return;
        strlcpy(entry->chore, chore, sizeof(entry->chore));
        entry->last_active_at = GetCurrentTimestamp();
    });
}

void note_chore_error(const StartOrder &order, const char *chore, const pg::ErrorText &error) {
    locked(LW_EXCLUSIVE, [&] {
        Entry *entry = own_entry(order);
        if (entry)
            note_error(*entry, chore, error);
    });
}

void leave_roster(const StartOrder &order, Leaving leaving, const pg::ErrorText *error) {
    locked(LW_EXCLUSIVE, [&] {
        Entry *entry = own_entry(order);
        if (!entry)
            return;
        if (error && entry->state != WorkerState::kStopping)
            note_error(*entry, entry->chore, *error);
        bool was_starting = entry->state == WorkerState::kStarting;
        entry->pid = 0;
        entry->latch = nullptr;
        entry->chore[0] = '\0';
        if (leaving == Leaving::kNoExtension)
            entry->state =
                entry->work.load() == 0 ? WorkerState::kNoExtension : WorkerState::kWanted;
        else if (entry->state == WorkerState::kStopping)
            entry->state = WorkerState::kWanted;
        else
            await_restart(*entry);
        roster::wake_launcher(was_starting ? kLookAtDatabases : 0U); // is the database still there?
    });
}

} // namespace baton::shared
