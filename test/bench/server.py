"""What the benchmarks share: psql, pgbench, payloads. PGHOST and the like say which server."""
import re
import statistics
import subprocess


def psql(database, *arguments, text=None):
    command = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", database, *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.strip()


def payload(size):
    return '"' + "x" * (size - 2) + '"'


def pgbench_rate(database, script, *arguments):
    """Transactions a second of a script file."""
    command = ["pgbench", "-n", "-M", "prepared", "-f", str(script), *arguments, database]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"tps = ([0-9.]+)", output).group(1))


def median(values):
    return statistics.median(values)
