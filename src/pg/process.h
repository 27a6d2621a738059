// The server's headers that only processes and the utility hook need, and the clock of their
// deadlines.
#pragma once

#include "pg/prelude.h"

extern "C" {
#include "commands/defrem.h"
#include "nodes/parsenodes.h"
#include "portability/instr_time.h"
#include "storage/pmsignal.h"
#include "storage/sinval.h"
#include "tcop/utility.h"
}

namespace baton::pg {

/// Microseconds of a clock that nobody sets, the same in all processes of this machine; for
/// deadlines, not for display.
inline int64_t steady_now() {
    instr_time now;
    INSTR_TIME_SET_CURRENT(now);
    return static_cast<int64_t>(INSTR_TIME_GET_MICROSEC(now));
}

/// pg_database.datconnlimit of a database whose DROP was interrupted (servers name it since 15.4).
constexpr int32_t kInvalidDatabaseLimit = -2;

} // namespace baton::pg
