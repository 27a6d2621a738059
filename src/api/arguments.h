// Reading the arguments of SQL functions: what is required, defaults, bounds and arrays.
#pragma once

#include "core/retry.h"
#include "pg/clock.h"
#include "pg/error.h"
#include "pg/prelude.h"

namespace baton::api {

/// One call: its arguments and the function's SQL name for messages.
struct Call {
    FunctionCallInfo info;
    const char *function;

    bool is_null(int i) const { return info->args[i].isnull; }
    Datum value(int i) const { return info->args[i].value; }
};

/// Raises 22004 naming the argument if it is null.
Datum required(const Call &call, int i, const char *argument);

text *required_text(const Call &call, int i, const char *argument);
text *optional_text(const Call &call, int i);

/// A jsonb argument, or nullptr.
Jsonb *optional_jsonb(const Call &call, int i);

/// A whole number of at least 1; 22023 otherwise.
int required_count(const Call &call, int i, const char *argument);

/// Microseconds of an interval between `least` and `most`; nothing if null; 22023 out of bounds.
std::optional<int64_t> optional_duration(const Call &call, int i, const char *argument,
                                         int64_t least, int64_t most);

/// An array's elements; nulls are marked. An array of more than one dimension is 2202E. `nulls` may
/// be all false.
struct Elements {
    Datum *values;
    bool *nulls;
    int count;
};
Elements elements_of(Datum array, const char *argument);

/// Raises 22004 naming the position (from 1) if an element is null.
void refuse_null_elements(const Elements &elements, const char *function, const char *argument);

/// The failure class of that name; 22023 naming the four.
core::FailureClass failure_class_of(text *name);

/// Microseconds of an interval Datum between `least` and `most`, as optional_duration.
int64_t duration_of(Datum interval, const char *function, const char *argument, int64_t least,
                    int64_t most);

/// An optional array beside another one of `count` elements; 22023 if its length differs.
Elements elements_beside(const Call &call, int i, const char *argument, int count);

/// Longest delay, lease or time ahead that can be asked for: ten years.
constexpr int64_t kLongest = core::kMaxRequestedDelay;

} // namespace baton::api
