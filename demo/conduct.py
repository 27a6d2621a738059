#!/usr/bin/python3
"""Runs the pipeline: three consumers and the producer as processes of their own, until nothing is left to do.

Usage: conduct.py FILE. Starts consumers anew when they die, kills one with SIGKILL while it works, and prints what
happens. Whether all went well is not for it to say (verify.sql).
"""
import collections
import os
import signal
import subprocess
import sys
import time

import psycopg2

import faults

HERE = os.path.dirname(os.path.abspath(__file__))
QUEUES = ("payment", "fulfilment")
TICK = 0.05  # seconds
PROGRESS_EVERY = 1.0
GIVE_UP_AFTER = 30.0  # without any progress
KILLS = 3
LOST_ACKS = 3
SHOWN = 2  # incidents of a kind
COUNTS = """SELECT (SELECT count(*) FROM orders),
                   (SELECT count(*) FROM effects WHERE queue = 'payment'),
                   (SELECT count(*) FROM effects WHERE queue = 'fulfilment'),
                   (SELECT count(*) FROM baton.dead_letters)"""
LEFT = """SELECT EXISTS (SELECT FROM baton.outbox WHERE topic = 'order.created')
              OR EXISTS (SELECT FROM baton.peek('payment', 1))
              OR EXISTS (SELECT FROM baton.peek('fulfilment', 1))"""
STALLED = """SELECT pid FROM pg_stat_activity WHERE application_name = %s AND datname = current_database()
             AND state = 'idle in transaction' AND state_change < clock_timestamp() - interval '200 ms'"""
HELD = "SELECT key FROM baton.leases(%s) WHERE consumer = %s ORDER BY leased_at DESC LIMIT 1"
CONNECTED = """SELECT count(DISTINCT application_name) FROM pg_stat_activity
               WHERE datname = current_database() AND application_name = ANY (%s)"""
NEW_INCIDENTS = """SELECT i.id, kind, consumer, o.id FROM incidents AS i JOIN orders AS o USING (operation_key)
                   WHERE i.id > %s ORDER BY i.id"""
FIRST_OF_KIND = "SELECT min(id) FROM orders GROUP BY poison HAVING min(id) > %s ORDER BY 1"


def say(started, text):
    print(f"{time.monotonic() - started:5.1f}  {text}", flush=True)


class Conductor:
    def __init__(self, path):
        db = psycopg2.connect(application_name="conductor")
        db.autocommit = True
        self.cursor = db.cursor()
        self.path = path
        self.started = time.monotonic()
        self.consumers = {"payment-1": "payment", "payment-2": "payment", "fulfilment-1": "fulfilment"}
        self.processes = {}
        self.kills = 0
        self.incidents = {}  # how many of each kind
        self.last_incident = 0
        self.watched = collections.deque()  # (order id, status last shown)
        self.first_of_kind = 0  # the last order watched for that
        self.next_watch = 0

    def ask(self, query, *values):
        self.cursor.execute(query, values)
        return self.cursor.fetchall()

    # --- processes ---

    def spawn(self, script, *arguments):
        return subprocess.Popen([sys.executable, os.path.join(HERE, script), *arguments], stdin=subprocess.DEVNULL,
                                start_new_session=True)  # Ctrl-C is for us alone

    def fault_of(self, name):
        if name == "payment-1" and self.kills < KILLS:
            return ("stall", str(5 ** (self.kills + 1)))
        if name == "payment-2":
            return ("roll-back", "20")
        if name == "fulfilment-1" and self.incidents.get("ack lost", 0) < LOST_ACKS:
            return ("lose-ack", "15")
        return ()

    def start_consumer(self, name):
        self.processes[name] = self.spawn("consume.py", self.consumers[name], name, *self.fault_of(name))

    def revive(self):
        for name in self.consumers:
            status = self.processes[name].poll()
            if status == -signal.SIGKILL:
                self.follow_incidents()
                self.start_consumer(name)
            elif status is not None:
                raise SystemExit(f"consumer {name} ended by itself with status {status}")

    def kill_stalled(self):
        """Somebody's out-of-memory killer, in the middle of a transaction."""
        name = "payment-1"
        stalled = self.ask(STALLED, name)
        if not stalled:
            return
        self.processes[name].kill()
        self.processes[name].wait()
        while self.ask("SELECT FROM pg_stat_activity WHERE pid = %s", stalled[0][0]):
            time.sleep(0.01)
        self.kills += 1
        for (key,) in self.ask(HELD, self.consumers[name], name):
            faults.record("killed", self.consumers[name], key, name)

    # --- what is shown ---

    def say_counts(self, counts):
        say(self.started, "accepted {}, paid {}, fulfilled {}, dead letters {}".format(*counts))

    def follow_incidents(self):
        for self.last_incident, kind, consumer, order in self.ask(NEW_INCIDENTS, self.last_incident):
            self.incidents[kind] = self.incidents.get(kind, 0) + 1
            if self.incidents[kind] <= SHOWN:
                say(self.started, f"{consumer} {kind} on order {order}")
                self.watch_order(order)

    def watch_order(self, order):
        if all(order != other for other, _ in self.watched):
            self.watched.append((order, None))

    def watch(self):
        """The first ordinary order, the first of each poison and those of incidents: what order_status says of them.
        It looks through the whole backlog, so a tenth of the time is all that it gets."""
        began = time.monotonic()
        if began < self.next_watch:
            return
        for (self.first_of_kind,) in self.ask(FIRST_OF_KIND, self.first_of_kind):
            self.watch_order(self.first_of_kind)
        for _ in range(len(self.watched)):
            order, before = self.watched.popleft()
            status = self.ask("SELECT order_status(%s)", order)[0][0]
            if status != before:
                say(self.started, f"    order_status({order}): {status}")
            if not status.startswith(("succeeded", "failed")):
                self.watched.append((order, status))
            if time.monotonic() - began > TICK:
                break
        ended = time.monotonic()
        self.next_watch = ended + 9 * (ended - began)

    def follow(self, producer):
        """Until there is nothing left, or nothing happens any more."""
        next_progress = changed_at = time.monotonic()
        counts = None
        while True:
            self.kill_stalled()
            self.revive()
            self.follow_incidents()
            self.watch()
            now = time.monotonic()
            if now >= next_progress:
                before, counts = counts, self.ask(COUNTS)[0]
                if counts != before:
                    self.say_counts(counts)
                    changed_at = now
                next_progress = now + PROGRESS_EVERY
                if now - changed_at > GIVE_UP_AFTER:
                    say(self.started, f"nothing has happened for {GIVE_UP_AFTER:.0f} s, giving up")
                    return
            if producer.poll() is not None:
                if producer.returncode != 0:
                    raise SystemExit(f"the producer ended with status {producer.returncode}")
                if not self.ask(LEFT)[0][0]:
                    self.say_counts(self.ask(COUNTS)[0])
                    return
            time.sleep(TICK)

    def run(self):
        producer = None
        try:
            for name in self.consumers:
                self.start_consumer(name)
            say(self.started, "consumers: " + ", ".join(self.consumers))
            while self.ask(CONNECTED, list(self.consumers))[0][0] < len(self.consumers):
                self.revive()
                time.sleep(TICK)
            producer = self.spawn("produce.py", self.path)
            self.follow(producer)
        except KeyboardInterrupt:
            raise SystemExit("interrupted") from None
        finally:
            if producer and producer.poll() is None:
                producer.kill()
            for process in self.processes.values():
                process.terminate()
            for process in self.processes.values():
                process.wait()


if __name__ == "__main__":
    Conductor(sys.argv[1]).run()
