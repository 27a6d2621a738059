// Searches and fills the dictionary's rows.

#include "store/dictionary.h"

#include "store/row_scan.h"

namespace baton::store {
namespace {

/// A row of baton._consumer: slot int4, name name, version name; all NOT NULL and of fixed width.
struct Entry {
    int32_t slot;
    ConsumerName consumer;
};

struct Position {
    BlockNumber block;
    OffsetNumber offset;
    bool is_found;
};

constexpr uint32_t kSlotBits = 16;

Entry *entry_of(HeapTupleHeader header) {
    return reinterpret_cast<Entry *>(reinterpret_cast<char *>(header) + header->t_hoff);
}

uint32_t hash_of(const ConsumerName &consumer) {
    return hash_bytes(reinterpret_cast<const unsigned char *>(&consumer),
                      static_cast<int>(sizeof(consumer)));
}

int32_t number_of(int32_t slot, const ConsumerName &consumer) {
    return static_cast<int32_t>(static_cast<uint32_t>(slot) | (hash_of(consumer) >> kSlotBits | 1)
                                                                  << kSlotBits);
}

using Matches = bool (*)(const Entry &entry, const void *wanted);

/// Visits all rows; the first that matches.
Position search(Relation table, Matches matches, const void *wanted, Entry *found) {
    BlockNumber nblocks = RelationGetNumberOfBlocks(table);
    for (BlockNumber block = 0; block < nblocks; ++block) {
        Buffer buffer = ReadBuffer(table, block);
        LockBuffer(buffer, BUFFER_LOCK_SHARE);
        RowScan scan = begin_row_scan(table, buffer);
        Position position = {block, InvalidOffsetNumber, false};
        while (!position.is_found && next_row(scan))
            if (matches(*entry_of(scan.tuple.t_data), wanted)) {
                *found = *entry_of(scan.tuple.t_data);
                position = {block, scan.offset, true};
            }
        UnlockReleaseBuffer(buffer);
        if (position.is_found)
            return position;
    }
    return {0, InvalidOffsetNumber, false};
}

bool is_same(const Entry &entry, const void *wanted) {
    return entry.consumer == *static_cast<const ConsumerName *>(wanted);
}

bool is_empty(const Entry &entry, const void *) {
    return NameStr(entry.consumer.name)[0] == '\0';
}

bool has_slot(const Entry &entry, const void *wanted) {
    return entry.slot == *static_cast<const int32_t *>(wanted);
}

bool count_row(const Entry &, const void *counter) {
    ++*static_cast<int32_t *>(const_cast<void *>(counter));
    return false;
}

/// Writes the pair into the row, unless it changed since `expected` was read.
bool fill(Relation table, const Position &position, const Entry &expected,
          const ConsumerName &consumer) {
    Buffer buffer = ReadBuffer(table, position.block);
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    RowScan scan = begin_row_scan(table, buffer);
    bool is_unchanged =
        position.offset <= scan.last && ItemIdIsNormal(PageGetItemId(scan.page, position.offset)) &&
        memcmp(entry_of(row_at(scan, position.offset).t_data), &expected, sizeof(Entry)) == 0;
    if (is_unchanged) {
        GenericXLogState *record = GenericXLogStart(table);
        Page image = GenericXLogRegisterBuffer(record, buffer, 0);
        auto *header = reinterpret_cast<HeapTupleHeader>(
            PageGetItem(image, PageGetItemId(image, position.offset)));
        entry_of(header)->consumer = consumer;
        GenericXLogFinish(record);
    }
    UnlockReleaseBuffer(buffer);
    return is_unchanged;
}

Position place_for(Relation table, const ConsumerName &consumer, Entry *entry) {
    Position position = search(table, is_empty, nullptr, entry);
    if (position.is_found)
        return position;
    int32_t rows = 0;
    (void)search(table, count_row, &rows, entry);
    if (rows == 0)
        return position;
    auto slot = static_cast<int32_t>(hash_of(consumer) % static_cast<uint32_t>(rows));
    return search(table, has_slot, &slot, entry);
}

struct Collected {
    const NameData *name;
    int32_t *numbers;
    int count;
    int room;
};

bool collect(const Entry &entry, const void *argument) {
    auto &collected = *static_cast<Collected *>(const_cast<void *>(argument));
    if (memcmp(&entry.consumer.name, collected.name, sizeof(NameData)) == 0)
        collected.numbers[collected.count++] = number_of(entry.slot, entry.consumer);
    return collected.count == collected.room;
}

} // namespace

int consumer_entries(Oid table, const NameData &name, int32_t *numbers, int room) {
    Collected collected = {&name, numbers, 0, room};
    Entry entry;
    Relation relation = table_open(table, AccessShareLock);
    (void)search(relation, collect, &collected, &entry);
    table_close(relation, AccessShareLock);
    return collected.count;
}

int32_t consumer_entry(Oid table, const ConsumerName &consumer) {
    constexpr int kAttempts = 10;
    int32_t number = 0;
    Relation relation = table_open(table, RowExclusiveLock);
    for (int attempt = 0; attempt < kAttempts && number == 0; ++attempt) {
        Entry entry;
        if (search(relation, is_same, &consumer, &entry).is_found) {
            number = number_of(entry.slot, consumer);
            break;
        }
        Position place = place_for(relation, consumer, &entry);
        if (!place.is_found)
            break;
        if (fill(relation, place, entry, consumer))
            number = number_of(entry.slot, consumer);
    }
    table_close(relation, RowExclusiveLock);
    return number;
}

std::optional<ConsumerName> find_consumer_entry(Oid table, int32_t number) {
    std::optional<ConsumerName> result;
    int32_t slot = static_cast<int32_t>(static_cast<uint32_t>(number) & ((1U << kSlotBits) - 1));
    Entry entry;
    Relation relation = table_open(table, AccessShareLock);
    if (search(relation, has_slot, &slot, &entry).is_found &&
        number_of(slot, entry.consumer) == number)
        result = entry.consumer;
    table_close(relation, AccessShareLock);
    return result;
}

} // namespace baton::store
