// The utility hook: sees the commands coming, sends the worker away, waits a little, and lets the
// command have its say.

#include "worker/database_commands.h"

#include "pg/attempt.h"
#include "pg/process.h"
#include "shared/roster.h"

namespace baton::worker {
namespace {

constexpr int64_t kSecond = 1000000;
constexpr int64_t kAskFor =
    kSecond; // then the worker gets SIGTERM: it is in the middle of a long unit
constexpr int64_t kWaitFor = 5 * kSecond; // then the command goes on, and says what it finds
constexpr int64_t kLookEvery = kSecond / 100;
constexpr int kMostHolds = 16; // databases that one transaction can have to itself

constinit ProcessUtility_hook_type previous_hook_ = nullptr;
constinit std::array<Oid, kMostHolds> held_ = {};
constinit int held_count_ = 0;
constinit bool is_look_wanted_ =
    false; // the launcher should look at pg_database after this transaction
constinit uint32 wait_event_ = 0;

// --- which database ---

const char *string_option(const List *options, const char *name) {
    ListCell *cell = nullptr;
    foreach (cell, options) {
        auto *option = static_cast<DefElem *>(lfirst(cell));
        if (strcmp(option->defname, name) == 0 && option->arg)
            return defGetString(option);
    }
    return nullptr;
}

/// The name of the database that the command needs to itself; nullptr for all other commands.
const char *needed_database(Node *statement) {
    if (IsA(statement, DropdbStmt))
        return reinterpret_cast<DropdbStmt *>(statement)->dbname;
    if (IsA(statement, CreatedbStmt)) {
        const char *name =
            string_option(reinterpret_cast<CreatedbStmt *>(statement)->options, "template");
        return name ? name : "template1";
    }
    if (IsA(statement, RenameStmt)) {
        auto *rename = reinterpret_cast<RenameStmt *>(statement);
        return rename->renameType == OBJECT_DATABASE ? rename->subname : nullptr;
    }
    if (IsA(statement, AlterDatabaseStmt)) {
        auto *alter = reinterpret_cast<AlterDatabaseStmt *>(statement);
        return string_option(alter->options, "tablespace") ? alter->dbname : nullptr;
    }
    return nullptr;
}

bool changes_databases(Node *statement) {
    return IsA(statement, DropdbStmt) || IsA(statement, CreatedbStmt) ||
           IsA(statement, AlterDatabaseStmt);
}

/// Only who may do the command anyway may send a worker away: the owner. (A template that others
/// may copy has no worker.)
bool owns_database(Oid database) {
    HeapTuple tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(database));
    if (!HeapTupleIsValid(tuple))
        return false;
    Oid owner = reinterpret_cast<Form_pg_database>(GETSTRUCT(tuple))->datdba;
    ReleaseSysCache(tuple);
    return has_privs_of_role(GetUserId(), owner);
}

// --- sending the worker away ---

/// The worker of the database has left the roster, and its process (as last seen) the list of
/// backends.
bool has_left(Oid database, pid_t &process) {
    pid_t pid = shared::held_worker(database);
    if (pid > 0)
        process = pid;
    return pid == 0 && (process == 0 || BackendPidGetProc(process) == nullptr);
}

void wait_until_left(Oid database) {
    int64_t start = pg::steady_now();
    pid_t process = 0;
    bool is_terminated = false;
    if (wait_event_ == 0)
        wait_event_ = pg::wait_event("BatonWorkerLeave");
    while (!has_left(database, process)) {
        int64_t waited = pg::steady_now() - start;
        if (waited >= kWaitFor)
            return;
        if (waited >= kAskFor && !is_terminated) {
            shared::terminate_held_worker(database);
            is_terminated = true;
        }
        (void)WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, kLookEvery / 1000,
                        wait_event_);
        ResetLatch(MyLatch);
        CHECK_FOR_INTERRUPTS();
    }
}

/// The hold stands from here to the end of the transaction, however that comes.
void send_worker_away(Oid database) {
    if (held_count_ == kMostHolds || !shared::hold_database(database))
        return;
    held_[static_cast<size_t>(held_count_++)] = database;
    wait_until_left(database);
}

void prepare(Node *statement) {
    if (!IsUnderPostmaster || RecoveryInProgress() || !IsTransactionState())
        return;
    is_look_wanted_ = is_look_wanted_ || changes_databases(statement);
    const char *name = needed_database(statement);
    Oid database = name ? get_database_oid(name, true) : InvalidOid;
    if (OidIsValid(database) && owns_database(database))
        send_worker_away(database);
}

// --- what the server calls ---

extern "C" void baton_process_utility(PlannedStmt *statement, const char *text,
                                      bool is_read_only_tree, ProcessUtilityContext context,
                                      ParamListInfo params, QueryEnvironment *environment,
                                      DestReceiver *receiver, QueryCompletion *completion) {
    prepare(statement->utilityStmt);
    auto *next = previous_hook_ ? previous_hook_ : standard_ProcessUtility;
    next(statement, text, is_read_only_tree, context, params, environment, receiver, completion);
}

extern "C" void baton_release_databases(XactEvent event, void *) {
    if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT && event != XACT_EVENT_PREPARE)
        return;
    while (held_count_ > 0)
        shared::release_database(held_[static_cast<size_t>(--held_count_)]);
    if (is_look_wanted_)
        shared::look_at_databases();
    is_look_wanted_ = false;
}

} // namespace

void install_database_commands_hook() {
    previous_hook_ = ProcessUtility_hook;
    ProcessUtility_hook = baton_process_utility;
    RegisterXactCallback(baton_release_databases, nullptr);
}

} // namespace baton::worker
