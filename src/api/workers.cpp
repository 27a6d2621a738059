// SQL functions about the background processes: what baton.workers shows, and the word that a
// worker is wanted.

#include "pg/boundary.h"
#include "pg/error.h"
#include "pg/settings.h"
#include "shared/control.h"
#include "shared/pending.h"
#include "shared/roster.h"

namespace baton::api {
namespace {

enum Column : uint8_t {
    kDatabase,
    kPid,
    kState,
    kChore,
    kStartedAt,
    kLastActiveAt,
    kRestarts,
    kLastError,
    kLastErrorAt,
    kColumns
};

struct Row {
    std::array<Datum, kColumns> values;
    std::array<bool, kColumns> is_null;

    void set(Column column, Datum value) {
        values[column] = value;
        is_null[column] = false;
    }
    void set_time(Column column, int64_t time) {
        if (time != 0)
            set(column, TimestampTzGetDatum(time));
    }
};

/// The text as it can be shown in this database: what another encoding wrote is reduced to ASCII.
char *readable(const pg::ErrorText &error) {
    char *text = pstrdup(error.text);
    if (error.encoding == GetDatabaseEncoding())
        return text;
    for (char *byte = text; *byte != '\0'; ++byte)
        if ((static_cast<unsigned char>(*byte) & 0x80U) != 0)
            *byte = '?';
    return text;
}

const char *state_of(const shared::WorkerInfo &info) {
    using State = shared::WorkerState;
    if (RecoveryInProgress())
        return "standby";
    if (info.pid == 0 && info.is_held)
        return "held";
    bool is_startable = info.state == State::kWanted || info.state == State::kFailed ||
                        info.state == State::kUnknown;
    if (OidIsValid(info.database) && is_startable && !pg::settings.is_worker_enabled)
        return "disabled";
    return shared::describe(info.state);
}

void set_error(Row &row, const shared::WorkerInfo &info) {
    if (info.last_error_at == 0)
        return;
    const char *text = readable(info.last_error);
    if (info.error_chore[0] != '\0')
        text = psprintf("%s: %s", info.error_chore, text);
    row.set(kLastError, CStringGetTextDatum(text));
    row.set_time(kLastErrorAt, info.last_error_at);
}

Row row_of(const shared::WorkerInfo &info, bool may_see_errors) {
    Row row = {};
    row.is_null.fill(true);
    const char *database = OidIsValid(info.database) ? get_database_name(info.database) : nullptr;
    if (database)
        row.set(kDatabase, CStringGetTextDatum(database));
    if (info.pid != 0)
        row.set(kPid, Int32GetDatum(info.pid));
    row.set(kState, CStringGetTextDatum(state_of(info)));
    if (info.chore[0] != '\0')
        row.set(kChore, CStringGetTextDatum(info.chore));
    row.set_time(kStartedAt, info.started_at);
    row.set_time(kLastActiveAt, info.last_active_at);
    row.set(kRestarts, Int32GetDatum(info.restarts));
    if (may_see_errors)
        set_error(row, info);
    return row;
}

/// The launcher (database is null) and one row per database. Without the rights of
/// pg_read_all_stats only the launcher and this database, and no error texts: they may quote data.
Datum workers(FunctionCallInfo fcinfo) {
    if (!shared::is_preloaded())
        pg::raise_not_preloaded();
    InitMaterializedSRF(fcinfo, 0);
    auto *result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
    bool may_see_all = has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS);
    auto room = static_cast<size_t>(shared::roster_capacity()) + 1;
    std::span<shared::WorkerInfo> infos(
        static_cast<shared::WorkerInfo *>(palloc0(room * sizeof(shared::WorkerInfo))), room);
    int count = shared::copy_roster(infos);
    for (const shared::WorkerInfo &info : infos.first(static_cast<size_t>(count))) {
        if (!may_see_all && OidIsValid(info.database) && info.database != MyDatabaseId)
            continue;
        Row row = row_of(info, may_see_all);
        tuplestore_putvalues(result->setResult, result->setDesc, row.values.data(),
                             row.is_null.data());
    }
    return static_cast<Datum>(0);
}

/// Has this database's worker started (or woken, to look around) when this transaction commits;
/// last step of the install script.
Datum want_worker(FunctionCallInfo) {
    if (!shared::is_preloaded())
        pg::raise_not_preloaded();
    shared::note_work(shared::kWorkWanted);
    PG_RETURN_VOID();
}

} // namespace
} // namespace baton::api

BATON_FUNCTION(baton_workers, baton::api::workers);
BATON_FUNCTION(baton_want_worker, baton::api::want_worker);
