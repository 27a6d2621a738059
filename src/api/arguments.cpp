// Argument checks shared by all SQL functions.

#include "api/arguments.h"

namespace baton::api {

Datum required(const Call &call, int i, const char *argument) {
    if (call.is_null(i))
        pg::raise_null_argument(call.function, argument);
    return call.value(i);
}

text *required_text(const Call &call, int i, const char *argument) {
    return DatumGetTextPP(required(call, i, argument));
}

text *optional_text(const Call &call, int i) {
    return call.is_null(i) ? nullptr : DatumGetTextPP(call.value(i));
}

Jsonb *optional_jsonb(const Call &call, int i) {
    return call.is_null(i) ? nullptr : DatumGetJsonbP(call.value(i));
}

int required_count(const Call &call, int i, const char *argument) {
    int32 count = DatumGetInt32(required(call, i, argument));
    if (count < 1)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("argument \"%s\" of baton.%s must be at least 1", argument,
                               call.function)));
    return count;
}

int64_t duration_of(Datum interval, const char *function, const char *argument, int64_t least,
                    int64_t most) {
    int64_t micros = pg::interval_micros(DatumGetIntervalP(interval));
    if (micros >= least && micros <= most)
        return micros;
    const char *bound = "must not be longer than ten years";
    if (micros < least)
        bound = least == 0 ? "must not be negative"
                           : psprintf("must be at least %d ms", static_cast<int>(least / 1000));
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("argument \"%s\" of baton.%s %s", argument, function, bound)));
    pg_unreachable();
}

std::optional<int64_t> optional_duration(const Call &call, int i, const char *argument,
                                         int64_t least, int64_t most) {
    if (call.is_null(i))
        return std::nullopt;
    return duration_of(call.value(i), call.function, argument, least, most);
}

core::FailureClass failure_class_of(text *name) {
    std::optional<core::FailureClass> parsed = core::parse_failure_class(
        {VARDATA_ANY(name), static_cast<size_t>(VARSIZE_ANY_EXHDR(name))});
    if (!parsed)
        pg::raise_invalid(psprintf("unknown failure class \"%s\"", text_to_cstring(name)),
                          "The classes are transient, overload, ambiguous and permanent.");
    return *parsed;
}

Elements elements_beside(const Call &call, int i, const char *argument, int count) {
    Elements elements = {};
    if (call.is_null(i))
        return elements;
    elements = elements_of(call.value(i), argument);
    if (elements.count != count)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("argument \"%s\" of baton.%s has the wrong length", argument,
                               call.function),
                        errdetail("It has %d elements; %d are needed.", elements.count, count)));
    return elements;
}

Elements elements_of(Datum array_datum, const char *argument) {
    ArrayType *array = DatumGetArrayTypeP(array_datum);
    if (ARR_NDIM(array) > 1)
        ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                        errmsg("argument \"%s\" must be a one-dimensional array", argument)));
    int16 length = 0;
    bool is_by_value = false;
    char alignment = 'i';
    get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &is_by_value, &alignment);
    Elements elements = {};
    deconstruct_array(array, ARR_ELEMTYPE(array), length, is_by_value, alignment, &elements.values,
                      &elements.nulls, &elements.count);
    return elements;
}

void refuse_null_elements(const Elements &elements, const char *function, const char *argument) {
    for (int i = 0; i < elements.count; ++i)
        if (elements.nulls[i])
            ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                            errmsg("argument \"%s\" of baton.%s must not contain nulls", argument,
                                   function),
                            errdetail("Element %d is null.", i + 1)));
}

} // namespace baton::api
