// One table of settings drives reading, merging and showing them. Durations are stored as
// microseconds.

#include "queue/queue_settings.h"

#include "core/suggest.h"
#include "pg/clock.h"
#include "pg/error.h"
#include "store/row.h"

namespace baton::queue {
namespace {

enum class Kind : uint8_t { kDuration, kInteger, kBoolean, kJitter };

enum Setting : int {
    kVisibilityTimeout,
    kMaxAttempts,
    kBackoffBase,
    kBackoffCap,
    kJitter,
    kMaxElapsed,
    kIdempotentEffects,
    kUnlogged,
    kSettingCount
};

struct Spec {
    std::string_view name;
    Kind kind;
    int64_t least;
    int64_t most;
    int64_t initial;
    bool is_none_allowed; // 0 stands for "none", and null shows it
    bool is_per_message;  // may stand in the options of a message
    bool is_fixed;        // only at the queue's creation
};

constexpr int64_t kSecond = pg::kMicrosPerSecond;
constexpr int64_t kHour = 3600 * kSecond;
constexpr int64_t kLongest = core::kMaxRequestedDelay;

constexpr Spec kSpecs[kSettingCount] = {
    {"visibility_timeout", Kind::kDuration, 1000, 720 * kHour, 30 * kSecond, false, true, false},
    {"max_attempts", Kind::kInteger, 1, 1000000000, 5, false, true, false},
    {"backoff_base", Kind::kDuration, 0, kLongest, kSecond, false, true, false},
    {"backoff_cap", Kind::kDuration, 0, kLongest, 60 * kSecond, false, true, false},
    {"jitter", Kind::kJitter, 0, 2, static_cast<int64_t>(core::Jitter::kFull), false, true, false},
    {"max_elapsed", Kind::kDuration, 1000, kLongest, 0, true, true, false},
    {"idempotent_effects", Kind::kBoolean, 0, 1, 0, false, false, false},
    {"unlogged", Kind::kBoolean, 0, 1, 0, false, false, true},
};

constexpr const char *kBounds[] = {
    "an interval as a string, such as \"30 s\": at least %s and at most %s",
    "a whole number from %s to %s", "true or false", "\"full\", \"equal\" or \"none\""};

int find_spec(std::string_view name) {
    for (int i = 0; i < kSettingCount; ++i)
        if (kSpecs[i].name == name)
            return i;
    return -1;
}

char *name_text(const Spec &spec) {
    return pnstrdup(spec.name.data(), spec.name.size());
}

/// Hours, minutes and seconds: readable as an interval, and the same in every session.
char *show_duration(int64_t micros) {
    auto hours = static_cast<long long>(micros / kSecond / 3600);
    auto minutes = static_cast<int>(micros / kSecond / 60 % 60);
    auto seconds = static_cast<int>(micros / kSecond % 60);
    auto fraction = static_cast<int>(micros % kSecond);
    char *text = psprintf("%02lld:%02d:%02d.%06d", hours, minutes, seconds, fraction);
    char *end = text + strlen(text);
    while (end[-1] == '0' && fraction != 0)
        *--end = '\0';
    if (fraction == 0)
        end[-7] = '\0';
    return text;
}

char *show_value(Kind kind, int64_t value) {
    if (kind == Kind::kDuration)
        return show_duration(value);
    return psprintf(INT64_FORMAT, value);
}

[[noreturn]] void raise_unknown(std::string_view name) {
    std::string_view names[kSettingCount];
    for (int i = 0; i < kSettingCount; ++i)
        names[i] = kSpecs[i].name;
    int near = core::nearest(name, names);
    char *shown = pnstrdup(name.data(), name.size());
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown setting \"%s\"", shown),
             near >= 0 ? errhint("Did you mean \"%s\"?", name_text(kSpecs[near]))
                       : errhint("The settings of a queue are listed in the view baton.queues.")));
    pg_unreachable();
}

[[noreturn]] void raise_bad_value(const Spec &spec) {
    const char *least = show_value(spec.kind, spec.least);
    const char *most = show_value(spec.kind, spec.most);
    const char *bounds = psprintf(kBounds[static_cast<int>(spec.kind)], least, most);
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("invalid value for the queue setting \"%s\"", name_text(spec)),
                    errhint("It takes %s.", bounds)));
    pg_unreachable();
}

int64_t integer_from(const Spec &spec, const JsonbValue &value) {
    if (value.type != jbvNumeric)
        raise_bad_value(spec);
    Datum number = NumericGetDatum(value.val.numeric);
    Datum whole = DirectFunctionCall2(numeric_round, number, Int32GetDatum(0));
    Datum beyond = DirectFunctionCall1(int8_numeric, Int64GetDatum(PG_INT32_MAX));
    if (!DatumGetBool(DirectFunctionCall2(numeric_eq, number, whole)) ||
        DatumGetBool(
            DirectFunctionCall2(numeric_gt, DirectFunctionCall1(numeric_abs, number), beyond)))
        raise_bad_value(spec);
    return DatumGetInt64(DirectFunctionCall1(numeric_int8, number));
}

int64_t duration_from(const Spec &spec, const JsonbValue &value) {
    if (value.type != jbvString)
        raise_bad_value(spec);
    char *text = pnstrdup(value.val.string.val, static_cast<Size>(value.val.string.len));
    std::optional<int64_t> duration = pg::parse_interval(text);
    if (!duration)
        raise_bad_value(spec);
    return *duration;
}

int64_t value_from(const Spec &spec, const JsonbValue &value) {
    int64_t result = 0;
    if (spec.kind == Kind::kBoolean) {
        if (value.type != jbvBool)
            raise_bad_value(spec);
        return value.val.boolean ? 1 : 0;
    }
    if (spec.kind == Kind::kJitter) {
        std::optional<core::Jitter> jitter;
        if (value.type == jbvString)
            jitter = core::parse_jitter(
                {value.val.string.val, static_cast<size_t>(value.val.string.len)});
        if (!jitter)
            raise_bad_value(spec);
        return static_cast<int64_t>(*jitter);
    }
    result = spec.kind == Kind::kInteger ? integer_from(spec, value) : duration_from(spec, value);
    if (result < spec.least || result > spec.most)
        raise_bad_value(spec);
    return result;
}

struct Values {
    int64_t value[kSettingCount];
    bool is_set[kSettingCount];
};

Values defaults() {
    Values values = {};
    for (int i = 0; i < kSettingCount; ++i)
        values.value[i] = kSpecs[i].initial;
    return values;
}

using EachField = void (*)(std::string_view name, const JsonbValue &value, Values &values);

void for_each_field(Jsonb *object, Values &values, EachField use) {
    JsonbIterator *iterator = JsonbIteratorInit(&object->root);
    JsonbValue token;
    std::string_view name;
    JsonbIteratorToken type;
    while ((type = JsonbIteratorNext(&iterator, &token, true)) != WJB_DONE) {
        if (type == WJB_KEY)
            name = {token.val.string.val, static_cast<size_t>(token.val.string.len)};
        else if (type == WJB_VALUE)
            use(name, token, values);
    }
}

void take_stored(std::string_view name, const JsonbValue &value, Values &values) {
    int i = find_spec(name);
    if (i < 0 || value.type != jbvNumeric) // of a newer version
        return;
    values.value[i] =
        DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(value.val.numeric)));
    values.is_set[i] = true;
}

void take_change(std::string_view name, const JsonbValue &value, Values &values) {
    int i = find_spec(name);
    if (i < 0)
        raise_unknown(name);
    values.is_set[i] = value.type != jbvNull;
    values.value[i] = values.is_set[i] ? value_from(kSpecs[i], value) : kSpecs[i].initial;
}

Values values_from(Jsonb *stored) {
    Values values = defaults();
    if (stored)
        for_each_field(stored, values, take_stored);
    return values;
}

QueueSettings settings_of(const Values &values) {
    return {.visibility_timeout = values.value[kVisibilityTimeout],
            .max_attempts = static_cast<int32_t>(values.value[kMaxAttempts]),
            .backoff_base = values.value[kBackoffBase],
            .backoff_cap = values.value[kBackoffCap],
            .jitter = static_cast<core::Jitter>(values.value[kJitter]),
            .max_elapsed = values.value[kMaxElapsed],
            .idempotent_effects = values.value[kIdempotentEffects] != 0,
            .is_unlogged = values.value[kUnlogged] != 0};
}

Values values_of(const QueueSettings &settings) {
    Values values = defaults();
    values.value[kVisibilityTimeout] = settings.visibility_timeout;
    values.value[kMaxAttempts] = settings.max_attempts;
    values.value[kBackoffBase] = settings.backoff_base;
    values.value[kBackoffCap] = settings.backoff_cap;
    values.value[kJitter] = static_cast<int64_t>(settings.jitter);
    values.value[kMaxElapsed] = settings.max_elapsed;
    values.value[kIdempotentEffects] = settings.idempotent_effects ? 1 : 0;
    values.value[kUnlogged] = settings.is_unlogged ? 1 : 0;
    return values;
}

void take_option(std::string_view name, const JsonbValue &value, Values &values) {
    int i = find_spec(name);
    if (i >= 0 && !kSpecs[i].is_per_message)
        pg::raise_invalid(psprintf("\"%s\" is a setting of the queue, not an option of a message",
                                   name_text(kSpecs[i])),
                          nullptr);
    take_change(name, value, values);
}

void check_together(const char *what, const Values &values) {
    if (values.value[kBackoffBase] > values.value[kBackoffCap])
        pg::raise_invalid(
            psprintf("the %s \"backoff_base\" must not be longer than \"backoff_cap\"", what),
            nullptr);
}

void refuse_fixed(const Values &before, const Values &after) {
    for (int i = 0; i < kSettingCount; ++i)
        if (kSpecs[i].is_fixed && before.value[i] != after.value[i])
            pg::raise_invalid(
                psprintf("the queue setting \"%s\" is fixed when the queue is created",
                         name_text(kSpecs[i])),
                nullptr);
}

void push_key(JsonbParseState **state, const Spec &spec) {
    JsonbValue key;
    key.type = jbvString;
    key.val.string.val = name_text(spec);
    key.val.string.len = static_cast<int>(spec.name.size());
    pushJsonbValue(state, WJB_KEY, &key);
}

JsonbValue number_value(int64_t value) {
    JsonbValue result;
    result.type = jbvNumeric;
    result.val.numeric = DatumGetNumeric(DirectFunctionCall1(int8_numeric, Int64GetDatum(value)));
    return result;
}

/// The object that is stored: what was set, as plain numbers.
Jsonb *stored_from(const Values &values) {
    JsonbParseState *state = nullptr;
    pushJsonbValue(&state, WJB_BEGIN_OBJECT, nullptr);
    for (int i = 0; i < kSettingCount; ++i) {
        if (!values.is_set[i])
            continue;
        JsonbValue value = number_value(values.value[i]);
        push_key(&state, kSpecs[i]);
        pushJsonbValue(&state, WJB_VALUE, &value);
    }
    return JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, nullptr));
}

JsonbValue string_value(const char *text) {
    JsonbValue result;
    result.type = jbvString;
    result.val.string.val = const_cast<char *>(text);
    result.val.string.len = static_cast<int>(strlen(text));
    return result;
}

JsonbValue shown_value(const Spec &spec, int64_t value) {
    JsonbValue result;
    if (spec.is_none_allowed && value == 0) {
        result.type = jbvNull;
        return result;
    }
    switch (spec.kind) {
    case Kind::kBoolean:
        result.type = jbvBool;
        result.val.boolean = value != 0;
        return result;
    case Kind::kJitter: {
        std::string_view name = core::kJitterNames[static_cast<size_t>(value)];
        return string_value(pnstrdup(name.data(), name.size()));
    }
    case Kind::kDuration:
        return string_value(show_value(spec.kind, value));
    case Kind::kInteger:
        break;
    }
    return number_value(value);
}

} // namespace

QueueSettings settings_from(Jsonb *stored) {
    return settings_of(values_from(stored));
}

Jsonb *merge_settings(Jsonb *stored, Jsonb *changes) {
    if (!JB_ROOT_IS_OBJECT(changes))
        pg::raise_invalid("queue settings must be a JSON object",
                          "For example: {\"visibility_timeout\": \"30 s\"}.");
    Values values = values_from(stored);
    Values before = values;
    for_each_field(changes, values, take_change);
    check_together("queue setting", values);
    if (stored)
        refuse_fixed(before, values);
    return stored_from(values);
}

Jsonb *message_options(Jsonb *given) {
    if (!JB_ROOT_IS_OBJECT(given))
        pg::raise_invalid("argument \"options\" must be a JSON object", nullptr);
    Values values = defaults();
    for_each_field(given, values, take_option);
    if (values.is_set[kBackoffBase] && values.is_set[kBackoffCap])
        check_together("option", values); // one alone is held against the queue's other one later
    return stored_from(values);
}

QueueSettings with_options(const QueueSettings &settings, Jsonb *options) {
    Values values = values_of(settings);
    for_each_field(options, values, take_stored);
    return settings_of(values);
}

QueueSettings settings_for(const QueueSettings &settings, HeapTuple row, TupleDesc columns) {
    if (!(store::control_of(row->t_data)->flags & store::kHasOptions))
        return settings;
    bool is_null = false;
    Datum options = heap_getattr(row, store::kOptions, columns, &is_null);
    return is_null ? settings : with_options(settings, DatumGetJsonbP(options));
}

Jsonb *effective_settings(Jsonb *stored) {
    Values values = values_from(stored);
    JsonbParseState *state = nullptr;
    pushJsonbValue(&state, WJB_BEGIN_OBJECT, nullptr);
    for (int i = 0; i < kSettingCount; ++i) {
        JsonbValue value = shown_value(kSpecs[i], values.value[i]);
        push_key(&state, kSpecs[i]);
        pushJsonbValue(&state, WJB_VALUE, &value);
    }
    return JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, nullptr));
}

core::RetryPolicy retry_policy(const QueueSettings &settings) {
    return {.base_us = settings.backoff_base,
            .cap_us = settings.backoff_cap,
            .jitter = settings.jitter,
            .max_attempts = settings.max_attempts,
            .max_elapsed_us = settings.max_elapsed,
            .idempotent_effects = settings.idempotent_effects};
}

} // namespace baton::queue
