// A per-backend cache before the dictionary.

#include "queue/consumer.h"

#include "queue/extension.h"
#include "store/dictionary.h"

namespace baton::queue {
namespace {

constinit store::ConsumerName last_ = {};
constinit int32_t last_number_ = 0;
constinit Oid last_table_ = InvalidOid;

void set_name(NameData *name, text *value) {
    memset(name, 0, sizeof(NameData));
    if (!value)
        return;
    int length = static_cast<int>(VARSIZE_ANY_EXHDR(value));
    length = pg_mbcliplen(VARDATA_ANY(value), length, NAMEDATALEN - 1);
    memcpy(NameStr(*name), VARDATA_ANY(value), static_cast<size_t>(length));
}

const char *text_or_null(const NameData &name) {
    return NameStr(name)[0] == '\0' ? nullptr : pstrdup(NameStr(name));
}

} // namespace

int32_t consumer_number(text *consumer, text *version) {
    store::ConsumerName wanted;
    set_name(&wanted.name, consumer);
    set_name(&wanted.version, version);
    if (NameStr(wanted.name)[0] == '\0')
        return 0;
    Oid table = extension().consumer;
    if (table != last_table_ || !(wanted == last_)) {
        last_table_ = InvalidOid; // an error in between must not leave a wrong number
        last_number_ = store::consumer_entry(table, wanted);
        last_ = wanted;
        last_table_ = table;
    }
    return last_number_;
}

int consumer_numbers(text *consumer, int32_t *numbers, int room) {
    NameData name;
    set_name(&name, consumer);
    return store::consumer_entries(extension().consumer, name, numbers, room);
}

Consumer consumer_of(int32_t number) {
    if (number == 0)
        return {nullptr, nullptr};
    std::optional<store::ConsumerName> found =
        store::find_consumer_entry(extension().consumer, number);
    if (!found)
        return {nullptr, nullptr};
    return {text_or_null(found->name), text_or_null(found->version)};
}

} // namespace baton::queue
