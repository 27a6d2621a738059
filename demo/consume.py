#!/usr/bin/python3
"""One consumer: takes orders from a queue and does its work for each exactly once.

Usage: consume.py QUEUE NAME [FAULT EVERY]. The loop in main() and handle() is the one to copy; what goes wrong on
purpose is in faults.py. SIGTERM: finishes what it has and leaves.
"""
import os
import signal
import sys
from collections import namedtuple

import psycopg2

import faults
import orders

Message = namedtuple("Message", "id receipt attempt key payload payload_md5")

RECEIVE = """SELECT id, receipt, attempt, key, payload, md5(payload::text)
             FROM baton.receive(%s, wait => '500 ms')"""  # the application name is the consumer's
EFFECT = """INSERT INTO effects (queue, operation_key, message_id, attempt, consumer, payload_md5)
            VALUES (%s, %s, %s, %s, %s, %s)"""
LEASE_LOST = "BT001"


class Invalid(Exception):
    """Trying again would not help."""


class Consumer:
    def __init__(self, queue, name, fault):
        self.queue = queue
        self.name = name
        self.fault = fault
        db = psycopg2.connect(application_name=name)
        db.autocommit = True  # BEGIN and COMMIT are ours to say
        self.cursor = db.cursor()

    def receive(self):
        """One message, or None. Outside of a transaction: the lease takes effect at once in any case, and nothing is
        held open while waiting. Not several: this process gets killed, and each of them would lose an attempt."""
        self.cursor.execute(RECEIVE, (self.queue,))
        row = self.cursor.fetchone()
        return row and Message._make(row)

    def handle(self, message):
        """Inbox, effect and ack in one transaction; after a failure first ROLLBACK, then try_nack."""
        try:
            self.cursor.execute("BEGIN")
            self.cursor.execute("SELECT baton.first_delivery(%s, %s)", (self.queue, message.id))
            if self.cursor.fetchone()[0]:
                self.work(message)
            self.cursor.execute("SELECT baton.ack(%s)", (message.receipt,))
            self.cursor.execute("COMMIT")
        except Invalid as error:
            self.give_back(message, error, "permanent")
        except psycopg2.Error as error:
            if error.pgcode == LEASE_LOST:
                self.cursor.execute("ROLLBACK")  # somebody else has it now: our effect must not stay
            else:
                self.give_back(message, error, "transient")
        except Exception as error:
            self.give_back(message, error, "transient")

    def give_back(self, message, error, error_class):
        self.cursor.execute("ROLLBACK")
        # try_nack: a lease that is lost needs no nack.
        self.cursor.execute("SELECT baton.try_nack(%s, %s, %s)", (message.receipt, str(error), error_class))

    def work(self, message):
        """Takes the payment, or sends the parcel: a row in this database."""
        poison = self.check(message.payload)
        values = (self.queue, message.key, message.id, message.attempt, self.name, message.payload_md5)
        self.cursor.execute(EFFECT, values)
        if poison == "crash":
            faults.crash(self, message)
        if self.fault:
            self.fault.after_effect(self, message)

    @staticmethod
    def check(payload):
        """Raises what is wrong with the order. Only our own can be checked; any other JSON is as good as the next."""
        if not isinstance(payload, dict) or payload.get("schema") != orders.SCHEMA:
            return None
        try:
            is_sound = payload["amount_cents"] == orders.amount_of(payload["items"])
        except (KeyError, TypeError):
            is_sound = False
        if not is_sound:
            raise Invalid("amount_cents is not the sum of the items")
        if payload.get("poison") == "unavailable":
            raise ConnectionError("the bank does not answer")
        return payload.get("poison")


def main():
    queue, name, *fault = sys.argv[1:]
    consumer = Consumer(queue, name, faults.Fault(*fault) if fault else None)
    asked_to_leave = []
    signal.signal(signal.SIGTERM, lambda *_: asked_to_leave.append(True))
    parent = os.getppid()
    while not asked_to_leave and os.getppid() == parent:
        message = consumer.receive()
        if message:
            consumer.handle(message)


if __name__ == "__main__":
    main()
