// Turns the ERROR of an attempt into a value, after the server's own manner (see autovacuum's loop
// over tables).

#include "pg/attempt.h"

#include <exception>
#include <new>

#include "core/error_text.h"

namespace baton::pg {
namespace {

void set_text(ErrorText &to, const char *text) {
    auto limit = static_cast<int>(sizeof(to.text)) - 1;
    auto length = static_cast<int>(strlen(text));
    if (length > limit)
        length = pg_mbcliplen(text, length, limit);
    size_t written = core::sanitise_error({text, static_cast<size_t>(length)},
                                          {to.text, static_cast<size_t>(limit)});
    to.text[written] = '\0';
}

// HOLD_INTERRUPTS and RESUME_INTERRUPTS count a volatile up and down, which C++20 frowns upon.
void hold_interrupts() {
    InterruptHoldoffCount = InterruptHoldoffCount + 1;
}
void resume_interrupts() {
    InterruptHoldoffCount = InterruptHoldoffCount - 1;
}

/// Ends a failed attempt: log, copy, abort. An error in here goes to the next attempt outside, or
/// ends the process.
void give_up(MemoryContext context, ErrorText &error) {
    hold_interrupts();
    MemoryContextSwitchTo(context);
    EmitErrorReport();
    ErrorData *data = CopyErrorData();
    copy_error(*data, error);
    FreeErrorData(data);
    LWLockReleaseAll();
    AbortOutOfAnyTransaction();
    FlushErrorState();
    MemoryContextSwitchTo(context);
    resume_interrupts();
}

} // namespace

void copy_error(const ErrorData &from, ErrorText &to) {
    to.sqlstate = from.sqlerrcode;
    to.encoding = GetDatabaseEncoding();
    set_text(to, from.message ? from.message : "unknown error");
}

void set_error(ErrorText &to, int sqlstate, const char *text) {
    to.sqlstate = sqlstate;
    to.encoding = PG_SQL_ASCII;
    set_text(to, text);
}

bool run_protected(void (*body)(void *), void *argument, ErrorText &error) {
    MemoryContext context = CurrentMemoryContext;
    volatile bool is_done = false;
    PG_TRY();
    {
        call_guarded(body, argument);
        is_done = true;
    }
    PG_CATCH();
    { give_up(context, error); }
    PG_END_TRY();
    return is_done;
}

void call_guarded(void (*body)(void *), void *argument) {
    ErrorText caught;
    try {
        body(argument);
        return;
    } catch (const std::bad_alloc &) {
        set_error(caught, ERRCODE_OUT_OF_MEMORY, "out of memory");
    } catch (const std::exception &e) {
        set_error(caught, ERRCODE_INTERNAL_ERROR, e.what());
    } catch (...) {
        set_error(caught, ERRCODE_INTERNAL_ERROR, "unknown C++ exception");
    }
    ereport(ERROR, (errcode(caught.sqlstate), errmsg("baton: %s", caught.text)));
}

} // namespace baton::pg
