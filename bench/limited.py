#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command under limits and prints what it took as JSON:  limited.py SECONDS GIGABYTES OUT ERR COMMAND...

SECONDS and GIGABYTES of 0 are no limit. Processor seconds (user and system), seconds, peak memory in MB and the exit status, negative for a signal; a command that
reaches SECONDS of processor time ends by SIGXCPU. Its output goes to the files OUT and ERR. A program of its own and
a small one: the peak that the system reports for a process is at least that of the process which it was forked from, so
that a bench with tables in memory would report itself.
"""
import json
import os
import resource
import subprocess
import sys
import time


def run(seconds, gigabytes, out, err, command):
    def limit():
        if seconds > 0:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
        if gigabytes > 0:
            resource.setrlimit(resource.RLIMIT_AS, (gigabytes << 30, gigabytes << 30))

    start = time.perf_counter()
    with open(out, "wb") as to_out, open(err, "wb") as to_err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=to_out, stderr=to_err, preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
    return {"cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2), "seconds": round(time.perf_counter() - start, 2),
            "peak_mb": round(usage.ru_maxrss / 1024, 1), "status": os.waitstatus_to_exitcode(status)}


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5:])))
