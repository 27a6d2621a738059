"""What is done to the consumers, each time between the effect and the ack. Recorded over a connection of its own, since
the consumer's transaction may roll back."""
import os
import signal
import time

import psycopg2


def record(kind, queue, operation_key, consumer):
    db = psycopg2.connect(application_name="incidents")
    db.autocommit = True
    db.cursor().execute(
        "INSERT INTO incidents (kind, queue, operation_key, consumer) VALUES (%s, %s, %s, %s)",
        (kind, queue, operation_key, consumer),
    )
    db.close()


def crash(consumer, message):
    """As a payload that makes the consumer run out of memory does: no cleaning up, no goodbye."""
    record("crashed", consumer.queue, message.key, consumer.name)
    os.kill(os.getpid(), signal.SIGKILL)


class Fault:
    """stall: work so slow that somebody kills the process (conduct.py does). roll-back: an error after the effect.
    lose-ack: the effect commits, and the process dies before the ack. At every `every`th effect of this process."""

    def __init__(self, kind, every):
        self.happen = {"stall": self.stall, "roll-back": self.roll_back, "lose-ack": self.lose_ack}[kind]
        self.every = int(every)
        self.effects = 0

    def after_effect(self, consumer, message):
        self.effects += 1
        if self.effects % self.every == 0:
            self.happen(consumer, message)

    @staticmethod
    def stall(consumer, message):
        time.sleep(60)

    @staticmethod
    def roll_back(consumer, message):
        record("rolled back", consumer.queue, message.key, consumer.name)
        raise RuntimeError("the connection to the bank broke off")

    @staticmethod
    def lose_ack(consumer, message):
        consumer.cursor.execute("COMMIT")
        record("ack lost", consumer.queue, message.key, consumer.name)
        os.kill(os.getpid(), signal.SIGKILL)
