// Running SQL of our own through SPI: for what is rare (DDL, catalog changes), never on the way of
// a message.
#pragma once

#include "pg/prelude.h"

namespace baton::pg {

struct SqlArgument {
    Oid type;
    Datum value;
    bool is_null;
};

/// Connects to SPI with search_path pinned; end_sql() disconnects and restores it. An error
/// restores by itself.
struct SqlSession {
    int guc_level;
};
SqlSession begin_sql();
void end_sql(const SqlSession &session);

/// Runs one statement between begin_sql and end_sql; results are in SPI_tuptable. Returns the
/// number of rows.
uint64_t run_sql(const char *statement, std::span<const SqlArgument> arguments = {});

/// The first column of the first row of the last statement; nothing if there is no row or it is
/// null.
std::optional<Datum> first_value();

} // namespace baton::pg
