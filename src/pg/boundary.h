// The boundary between C and C++: the only place that catches exceptions and the only way to hand a
// function to the server. An exception becomes one ordinary ERROR after its handler was left;
// nothing unwinds into C.
#pragma once

#include "pg/prelude.h"

namespace baton::pg {

using SqlFunction = Datum (*)(FunctionCallInfo);

/// Calls an SQL function's body; an exception becomes an ERROR (53200 for bad_alloc, XX000
/// otherwise).
Datum guarded_call(SqlFunction body, FunctionCallInfo fcinfo);

/// Calls a body that must neither fail nor throw (hooks and callbacks); an exception becomes a
/// WARNING.
void guarded_callback(void (*body)(void *), void *argument);

} // namespace baton::pg

/// Declares the SQL-callable function `symbol` whose work is done by `body`.
#define BATON_FUNCTION(symbol, body)                  \
    extern "C" {                                      \
    PGDLLEXPORT Datum symbol(PG_FUNCTION_ARGS);       \
    PG_FUNCTION_INFO_V1(symbol);                      \
    Datum symbol(PG_FUNCTION_ARGS) {                  \
        return baton::pg::guarded_call(body, fcinfo); \
    }                                                 \
    }                                                 \
    static_assert(true, "needs a semicolon")
