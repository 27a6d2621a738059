"""The manual's lines for psycopg 2, and what it says of that driver. Says "ok" or "not ok" for each."""
import uuid
from datetime import timedelta

import psycopg2

before = psycopg2.connect("").cursor()  # rolled back, since nobody commits
before.execute("SELECT baton.send_batch('mail', %s::jsonb[])", (["1", "2"],))
(unregistered,) = before.fetchone()
before.connection.close()
# manual: psycopg2-lines


def check(what, is_ok):
    print("ok -" if is_ok else "not ok -", what)


def one(sql, *values):
    cursor.execute(sql, values)
    return cursor.fetchone()[0]


def sqlstate(sql, *values):
    try:
        cursor.execute(sql, values)
    except psycopg2.Error as error:
        return error.pgcode
    return "00000"


check("an array of uuids is one text", isinstance(unregistered, str) and unregistered.count(",") == 1)
check("unless register_uuid was called", [type(i) for i in ids] == [uuid.UUID] * 2)
check("rows of messages", [(i, p) for i, _, p in messages] == [(i, {"to": "a@example.org"}) for i in ids])
check("try_nack answers", answer == "retry")
check("after the interval given", one("SELECT is_due_in(visible_at, '90 s') FROM baton.peek('mail', id => %s)", ids[0]))
check("BT001 and its detail", (code, detail) == ("BT001", "The message was already settled with this receipt."))
check("with which the effect was rolled back", one("SELECT count(*) FROM sent") == 0)
with db:
    cursor.execute("INSERT INTO sent VALUES (%s, %s)", (ids[1], "a@example.org"))
    cursor.execute("SELECT baton.ack(%s)", (receipts[1],))
check("effect and ack of the other", one("SELECT array_agg(message_id) FROM sent") == ids[1:]
      and one("SELECT count(*) FROM baton.peek('mail')") == 1)
check("lists of jsonb need their cast", sqlstate("SELECT baton.send_batch('mail', %s)", [mail]) == "42883")
check("lists of uuids as text too", sqlstate("SELECT baton.redrive('mail', %s)", [str(ids[0])]) == "42883")
check("lists of receipts do not", one("SELECT baton.try_ack_batch(%s)", receipts) == [False, False])
one("SELECT baton.send('mail', NULL, body => %s)", b"\x00\xff")
body = one("SELECT body FROM baton.receive('mail')")
check("a body comes as a memoryview", isinstance(body, memoryview) and bytes(body) == b"\x00\xff")
