#!/usr/bin/python3
"""The shop's front end: each line of a file becomes an order and its event, in one transaction.

Usage: produce.py FILE. On the way some customers give up (the transaction rolls back), some submit twice, and orders
that can never succeed are strewn in. A line that is no JSON is recorded as rejected.
"""
import itertools
import json
import os
import sys

import psycopg2

import orders

GIVE_UP_EVERY = 25  # lines
REPEAT_EVERY = 40
POISON_EVERY = 20
POISON = orders.POISON * 3


def begin_order(cursor, operation_key, payload, poison=None):
    """The business write and its event, in the caller's transaction. Returns the event's id, or None if this operation
    was accepted before."""
    cursor.execute(
        "INSERT INTO orders (operation_key, payload, poison) VALUES (%s, %s, %s)"
        " ON CONFLICT (operation_key) DO NOTHING RETURNING id",
        (operation_key, payload, poison),
    )
    if cursor.fetchone() is None:
        return None
    cursor.execute("SELECT baton.publish('order.created', %s, key => %s)", (payload, operation_key))
    return cursor.fetchone()[0]


def submit(cursor, operation_key, payload, poison=None):
    cursor.execute("BEGIN")
    try:
        event = begin_order(cursor, operation_key, payload, poison)
        cursor.execute("COMMIT")
    except BaseException:
        cursor.execute("ROLLBACK")
        raise
    if event is None:
        record(cursor, operation_key, "repeated")


def give_up(cursor, operation_key, payload):
    cursor.execute("BEGIN")
    event = begin_order(cursor, operation_key, payload)
    cursor.execute("ROLLBACK")
    record(cursor, operation_key, "rolled back", event)


def record(cursor, submission, outcome, event=None, error=None):
    cursor.execute("INSERT INTO not_accepted VALUES (%s, %s, %s, %s)", (submission, outcome, event, error))


def submit_line(cursor, number, line):
    key = f"order-{number:06}"
    try:
        payload = line.decode("utf-8")
        submit(cursor, key, payload)
        if number % GIVE_UP_EVERY == 0:
            give_up(cursor, f"given-up-{number:06}", payload)
        if number % REPEAT_EVERY == 0:
            submit(cursor, key, payload)
    except (psycopg2.Error, ValueError) as error:
        # Classes 22 and 54: the value cannot be stored. ValueError: it is not even text.
        if isinstance(error, psycopg2.Error) and (error.pgcode or "")[:2] not in ("22", "54"):
            raise
        reason = str(error).splitlines()[0]
        record(cursor, key, "rejected", error=reason)
        print(f"       line {number} rejected: {reason[:100]}", flush=True)


def submit_poison(cursor, number, kind):
    payload = json.dumps(orders.make_poison(kind, number))
    submit(cursor, f"poison-{number}-{kind}", payload, kind)


def main():
    db = psycopg2.connect(application_name="producer")
    db.autocommit = True  # BEGIN and COMMIT are ours to say
    cursor = db.cursor()
    poison = enumerate(POISON, 1)
    parent = os.getppid()
    with open(sys.argv[1], "rb") as lines:
        for number, line in enumerate(lines, 1):
            if os.getppid() != parent:
                raise SystemExit("nobody waits for this any more")
            if line.strip():
                submit_line(cursor, number, line)
            if number % POISON_EVERY == 0:
                for n, kind in itertools.islice(poison, 1):
                    submit_poison(cursor, n, kind)
    for n, kind in poison:
        submit_poison(cursor, n, kind)


if __name__ == "__main__":
    main()
