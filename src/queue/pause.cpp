// A pause is a part of the queue's row in the catalog, so it is as transactional and as durable as
// that. Receivers ask for it before each look (queue_info).

#include "queue/pause.h"

#include "pg/clock.h"
#include "pg/error.h"
#include "pg/sql.h"
#include "queue/dead_letter.h"
#include "queue/extension.h"
#include "shared/pending.h"

namespace baton::queue {
namespace {

using pg::SqlArgument;

constexpr const char *kLock =
    "SELECT paused_at IS NOT NULL, coalesce(paused_until, 'infinity') FROM baton._queue WHERE id = $1 FOR UPDATE";

constexpr const char *kPause =
    "UPDATE baton._queue SET paused_at = coalesce($2, paused_at), pause_reason = $3, paused_until = $4, "
    "paused_by = $5 WHERE id = $1";

constexpr const char *kResume =
    "UPDATE baton._queue SET paused_at = NULL, pause_reason = NULL, paused_until = NULL, paused_by = NULL "
    "WHERE id = $1";

SqlArgument id_argument(const QueueInfo &queue) {
    return {INT4OID, UInt32GetDatum(queue.id), false};
}

SqlArgument time_argument(int64_t time, bool is_null) {
    return {TIMESTAMPTZOID, TimestampTzGetDatum(time), is_null};
}

/// The queue's pause, its row locked against other changes; 42704 if it is gone.
core::Pause lock_pause(const QueueInfo &queue) {
    SqlArgument arguments[] = {id_argument(queue)};
    if (pg::run_sql(kLock, arguments) == 0)
        pg::raise_no_such_queue(NameStr(queue.name));
    bool is_null = false;
    HeapTuple row = SPI_tuptable->vals[0];
    TupleDesc columns = SPI_tuptable->tupdesc;
    return {DatumGetBool(SPI_getbinval(row, columns, 1, &is_null)),
            DatumGetTimestampTz(SPI_getbinval(row, columns, 2, &is_null))};
}

/// Those who sleep look again at the commit: at once after a resume, else for the new end.
void tell_waiters(const QueueInfo &queue) {
    shared::note_changed(queue.id);
    CommandCounterIncrement();
}

int64_t checked_end(std::optional<int64_t> until, int64_t now) {
    std::optional<int64_t> end = core::pause_end(until, now);
    if (!end)
        pg::raise_invalid("argument \"until\" of baton.pause_queue must be in the future",
                          "Leave it out to pause until baton.resume_queue.");
    return *end;
}

} // namespace

bool pause_queue(const QueueInfo &queue, text *reason, std::optional<int64_t> until) {
    int64_t now = pg::clock_now();
    int64_t end = checked_end(until, now);
    text *kept_reason = sanitised_error(reason);
    char *role = GetUserNameFromId(GetUserId(), false);
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    bool was_paused = core::is_paused(lock_pause(queue), now);
    SqlArgument arguments[] = {id_argument(queue),
                               time_argument(now, was_paused),
                               {TEXTOID, PointerGetDatum(kept_reason), kept_reason == nullptr},
                               time_argument(end, end == core::kUntilResumed),
                               {TEXTOID, CStringGetTextDatum(role), false}};
    (void)pg::run_sql(kPause, arguments);
    pg::end_sql(session);
    leave(caller);
    tell_waiters(queue);
    return !was_paused;
}

bool resume_queue(const QueueInfo &queue) {
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    core::Pause pause = lock_pause(queue);
    SqlArgument arguments[] = {id_argument(queue)};
    if (pause.is_set)
        (void)pg::run_sql(kResume, arguments);
    pg::end_sql(session);
    leave(caller);
    if (pause.is_set)
        tell_waiters(queue);
    return core::is_paused(pause, pg::clock_now());
}

} // namespace baton::queue
