// SPI with errors made visible.

#include "pg/sql.h"

namespace baton::pg {

SqlSession begin_sql() {
    SqlSession session = {NewGUCNestLevel()};
    (void)set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
                            GUC_ACTION_SAVE, true, 0, false);
    (void)set_config_option("client_min_messages", "warning", PGC_USERSET, PGC_S_SESSION,
                            GUC_ACTION_SAVE, true, 0, false);
    if (SPI_connect() != SPI_OK_CONNECT)
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("baton: cannot run SQL here")));
    return session;
}

void end_sql(const SqlSession &session) {
    SPI_finish();
    AtEOXact_GUC(true, session.guc_level);
}

uint64_t run_sql(const char *statement, std::span<const SqlArgument> arguments) {
    constexpr size_t kMostArguments = 16;
    Oid types[kMostArguments];
    Datum values[kMostArguments];
    char nulls[kMostArguments] = {};
    Assert(arguments.size() <= kMostArguments);
    for (size_t i = 0; i < arguments.size(); ++i) {
        types[i] = arguments[i].type;
        values[i] = arguments[i].value;
        nulls[i] = arguments[i].is_null ? 'n' : ' ';
    }
    int result = SPI_execute_with_args(statement, static_cast<int>(arguments.size()), types, values,
                                       nulls, false, 0);
    if (result < 0)
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR),
                        errmsg("baton: a statement failed: %s", SPI_result_code_string(result))));
    return SPI_processed;
}

std::optional<Datum> first_value() {
    if (SPI_processed == 0 || !SPI_tuptable)
        return std::nullopt;
    bool is_null = false;
    Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &is_null);
    if (is_null)
        return std::nullopt;
    return value;
}

} // namespace baton::pg
