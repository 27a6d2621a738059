// A hash table per backend.

#include "queue/known_files.h"

namespace baton::queue {
namespace {

struct KnownFile {
    Oid segment; // hash key
    pg::FileNumber file;
};

constinit HTAB *known_files_ = nullptr;

} // namespace

pg::FileNumber known_file(Oid segment) {
    if (!known_files_)
        return InvalidOid;
    auto *entry = static_cast<KnownFile *>(hash_search(known_files_, &segment, HASH_FIND, nullptr));
    return entry ? entry->file : InvalidOid;
}

void forget_files(Oid segment) {
    if (!known_files_)
        return;
    if (OidIsValid(segment)) {
        hash_search(known_files_, &segment, HASH_REMOVE, nullptr);
        return;
    }
    HASH_SEQ_STATUS status;
    hash_seq_init(&status, known_files_);
    while (auto *entry = static_cast<KnownFile *>(hash_seq_search(&status)))
        hash_search(known_files_, &entry->segment, HASH_REMOVE, nullptr);
}

void remember_file(Oid segment, pg::FileNumber file) {
    if (!known_files_) {
        HASHCTL info = {};
        info.keysize = sizeof(Oid);
        info.entrysize = sizeof(KnownFile);
        known_files_ = hash_create("baton segment files", 64, &info, HASH_ELEM | HASH_BLOBS);
    }
    bool is_found = false;
    static_cast<KnownFile *>(hash_search(known_files_, &segment, HASH_ENTER, &is_found))->file =
        file;
}

} // namespace baton::queue
