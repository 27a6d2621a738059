// Builds the errors that users meet.

#include "pg/error.h"

namespace baton::pg {
namespace {

const char *advice_on(LostReason reason) {
    switch (reason) {
    case LostReason::kLeasedAgain:
        return "Roll the effect back; whoever holds the message now will do the work.";
    case LostReason::kSettled:
    case LostReason::kTakenAway:
    case LostReason::kDeadLetter:
        return "Roll the effect back; this delivery is over.";
    case LostReason::kBeingSettled:
        return "Roll the effect back; if the other transaction rolls back too, the message is "
               "delivered again.";
    case LostReason::kUnknown:
        break;
    }
    return "Roll the effect back; a receipt is valid in the database that gave it, while its queue "
           "exists.";
}

} // namespace

const char *describe(LostReason reason) {
    switch (reason) {
    case LostReason::kLeasedAgain:
        return "The message was leased again.";
    case LostReason::kSettled:
        return "The message was already settled with this receipt.";
    case LostReason::kTakenAway:
        return "An operator took the message away.";
    case LostReason::kBeingSettled:
        return "The message is being settled elsewhere.";
    case LostReason::kDeadLetter:
        return "The message is a dead letter.";
    case LostReason::kUnknown:
        break;
    }
    return "The receipt is unknown here.";
}

void raise_not_preloaded() {
    ereport(ERROR, (errcode(kNotPreloaded), errmsg("baton is not loaded by the server"),
                    errhint("Add baton to shared_preload_libraries and restart the server.")));
    pg_unreachable();
}

void raise_lease_lost(LostReason reason) {
    ereport(ERROR, (errcode(kLeaseLost), errmsg("lease lost"), errdetail("%s", describe(reason)),
                    errhint("%s", advice_on(reason))));
    pg_unreachable();
}

void raise_no_such_queue(const char *queue, const char *hint) {
    if (!hint)
        hint = "The queues are listed in the view baton.queues; a new one is made with "
               "baton.create_queue.";
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("queue \"%s\" does not exist", queue),
                    errhint("%s", hint)));
    pg_unreachable();
}

void raise_null_argument(const char *function, const char *argument) {
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                    errmsg("argument \"%s\" of baton.%s must not be null", argument, function)));
    pg_unreachable();
}

void raise_invalid(const char *message, const char *hint) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", message),
                    hint ? errhint("%s", hint) : 0));
    pg_unreachable();
}

void raise_not_granted(const char *queue, const char *privilege) {
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("permission denied for queue \"%s\"", queue),
                    errdetail("The privilege \"%s\" is needed.", privilege),
                    errhint("The queue's owner can grant it with baton.grant_queue.")));
    pg_unreachable();
}

void raise_receipt_not_granted() {
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("permission denied for the queue of this receipt"),
                    errdetail("The privilege \"consume\" is needed.")));
    pg_unreachable();
}

void raise_read_only(const char *function) {
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
                    errmsg("cannot execute baton.%s in a read-only transaction", function)));
    pg_unreachable();
}

void require_writable(const char *function) {
    if (RecoveryInProgress())
        ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
                        errmsg("cannot execute baton.%s during recovery", function),
                        errhint("This server is a standby; connect to the primary.")));
    if (XactReadOnly)
        raise_read_only(function);
}

} // namespace baton::pg
