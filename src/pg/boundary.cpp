// Catches what C++ throws and reports it the server's way, outside of the handler.

#include "pg/boundary.h"

#include <exception>
#include <new>

namespace baton::pg {
namespace {

struct Caught {
    int sqlstate;
    char text[256];
};

void remember(Caught &caught, int sqlstate, const char *text) {
    caught.sqlstate = sqlstate;
    strlcpy(caught.text, text, sizeof(caught.text));
}

} // namespace

Datum guarded_call(SqlFunction body, FunctionCallInfo fcinfo) {
    Caught caught;
    try {
        return body(fcinfo);
    } catch (const std::bad_alloc &) {
        remember(caught, ERRCODE_OUT_OF_MEMORY, "out of memory");
    } catch (const std::exception &e) {
        remember(caught, ERRCODE_INTERNAL_ERROR, e.what());
    } catch (...) {
        remember(caught, ERRCODE_INTERNAL_ERROR, "unknown C++ exception");
    }
    ereport(ERROR, (errcode(caught.sqlstate), errmsg("baton: %s", caught.text)));
    return static_cast<Datum>(0);
}

void guarded_callback(void (*body)(void *), void *argument) {
    try {
        body(argument);
        return;
    } catch (...) {
    }
    ereport(WARNING, (errcode(ERRCODE_INTERNAL_ERROR),
                      errmsg("baton: a C++ exception was dropped in a callback")));
}

} // namespace baton::pg
