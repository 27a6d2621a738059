"""The manual's lines for psycopg 3, and what its table says of the driver. Says "ok" or "not ok" for each."""
import uuid
# manual: psycopg-connect


def check(what, is_ok):
    print("ok -" if is_ok else "not ok -", what)


def check_server(function, *values):
    places = ", ".join(["%s"] * len(values))
    for row in db.execute(f"SELECT * FROM {function}({places})", values):
        check(row.what, row.is_ok)


def sqlstate(sql, *values):
    try:
        db.execute(sql, values)
    except psycopg.Error as error:
        return error.sqlstate
    return "00000"


# manual: psycopg-send
check("a uuid comes as one", isinstance(message_id, uuid.UUID))
check("an array of uuids comes as a list of them", [type(i) for i in ids] == [uuid.UUID] * 2)
check_server("after_send", message_id, ids)

# manual: psycopg-receive
check("rows of messages", [m.id for m in messages][0] == message_id and [m.id for m in messages][-2:] == ids)
check("payloads come as values", messages[0].payload == {"to": "a@example.org"} and messages[2].payload is None)
check("headers too, a null as None", messages[1].headers == {"lang": "en"} and messages[0].headers is None)
check("a body comes as bytes", messages[2].body == b"\x00\xff" and messages[0].body is None)
check("numbers come as int", [(m.attempt, m.round, m.priority) for m in messages] == [(1, 0, 0)] * 5)
check("a time comes as an aware datetime", messages[0].lease_expires_at > messages[0].enqueued_at > tomorrow - timedelta(days=2))
check("a receipt comes as str", all(isinstance(m.receipt, str) and len(m.receipt) == 32 for m in messages))
check_server("after_receive", 5)

# manual: psycopg-settle
check("the new end of a lease", until > messages[1].lease_expires_at)
check("ends of many, None for what is lost", ends[0] is None and ends[1] > messages[1].lease_expires_at)
check("a count comes as int", acked == 2 and isinstance(acked, int))
check("answers come as a list of str", answers == ["lost", "retry"])
check("booleans come as bool", given_back == [False, True])
check_server("after_settle", message_id, 1)

# manual: psycopg-errors
check("BT001 and its detail", (code, detail) == ("BT001", "The message was already settled with this receipt."))
check("an error of the server's own", sqlstate("SELECT baton.send('nix', %s)", mail) == "42704")
check("no class for BT001", psycopg.errors.__dict__.get("BT001") is None)

check("without an argument's type a cast is needed",
      sqlstate("SELECT jsonb_build_object('to', %s)", "x") == "42P18"
      and sqlstate("SELECT jsonb_build_object('to', %s::text)", "x") == "00000")
check("text is taken as JSON, and as an interval",
      sqlstate("SELECT baton.send('mail', %s, delay => %s)", '{"to": "b"}', "1 s") == "00000"
      and sqlstate("SELECT baton.send('mail', %s)", "b") == "22P02")
null_id = db.execute("SELECT baton.send('mail', %s)", [Jsonb(None)]).fetchone().send
check("Jsonb(None) is JSON's null",
      db.execute("SELECT payload::text AS p FROM baton.peek('mail', id => %s)", [null_id]).fetchone().p == "null")
check("None alone is no payload", sqlstate("SELECT baton.send('mail', %s)", None) == "22004")
check("empty lists need no type",
      sqlstate("SELECT baton.send_batch('mail', %s), baton.ack_batch(%s)", [], []) == "00000")
