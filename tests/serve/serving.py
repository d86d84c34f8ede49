# SPDX-License-Identifier: Apache-2.0
"""A server of `semblance serve` over an empty folder, and requests to it over plain sockets, byte by byte."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PATIENCE = 600  # seconds for anything that must come: a loaded machine is slow, not wrong
SANITIZED = "SBL_SANITIZED" in os.environ  # an instrumented program holds on to what it freed: its memory is no measure


class Checks:
    def __init__(self):
        self.done = self.failures = 0

    def that(self, holds, what):
        self.done += 1
        if not holds:
            self.failures += 1
            print(f"FAILED: {what}", flush=True)
        return holds

    def result(self):
        print(f"{self.done - self.failures} checks passed, {self.failures} failed")
        return 1 if self.failures else 0


class Server:
    """Use as a context manager. root holds `outside`, which must stay unknown, and `data`, the folder that is served."""

    def __init__(self, program, root=None, options=(), environment=None, before=None):
        """before: called in the new process before the program starts, to limit it."""
        self.program, self.options, self.before = os.path.abspath(program), options, before
        self.environment = environment or {}
        self.own_root = root is None
        self.root = root or tempfile.mkdtemp(prefix="sbl serve, [a]-")  # signs of lists and patterns, which it is not
        self.elsewhere = tempfile.mkdtemp(prefix="sbl-elsewhere-")  # the working directory, with which it has nothing to do
        self.folder = os.path.join(os.path.abspath(self.root), "data")
        os.makedirs(self.folder, exist_ok=True)
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()
        left = os.listdir(self.elsewhere)
        shutil.rmtree(self.elsewhere)
        if self.own_root:
            shutil.rmtree(self.root, ignore_errors=True)
        if left:
            raise RuntimeError(f"written to the working directory: {left}")

    def start(self):
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        environment.update(self.environment)
        self.process = subprocess.Popen([self.program, "serve", self.folder, *self.options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=environment, cwd=self.elsewhere, preexec_fn=self.before)
        self.url = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{64})/", self.url)
        if not match:
            raise RuntimeError(f"no address: {self.url!r} {self.process.stderr.read()}")
        self.port, self.token = int(match[1]), match[2]
        self.host = f"127.0.0.1:{self.port}"

    def end(self, number=signal.SIGINT):
        """The exit status and what was said."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said

    def is_alive(self):
        return self.process.poll() is None

    def memory(self):
        """The most memory that it ever held, in MB; 0 where that says nothing."""
        if SANITIZED:
            return 0
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1]) / 1024

    def holds(self):
        """(threads, open files)"""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            threads = int(re.search(r"Threads:\s+(\d+)", file.read())[1])
        return threads, len(os.listdir(f"/proc/{self.process.pid}/fd"))

    # ---- requests ----

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        return connection

    def raw(self, request):
        """Everything that comes back for these bytes; the server is asked to close."""
        with self.connect() as connection:
            try:
                connection.sendall(request)
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused before all of it was sent: the answer is there all the same
            return read_all(connection)

    def request(self, path, method="GET", body=b"", headers=None, token=True):
        """(status, headers, body); a header None is left out, a list is sent several times."""
        lines = {"Host": self.host, "Connection": "close"}
        if method == "POST":
            lines["Content-Type"] = "application/json"
            lines["Content-Length"] = str(len(body))
        lines.update(headers or {})
        prefix = f"/{self.token}/" if token else ""
        head = f"{method} {prefix}{path} HTTP/1.1\r\n"
        for name, value in lines.items():
            for one in value if isinstance(value, list) else [value]:
                if one is not None:
                    head += f"{name}: {one}\r\n"
        return parse(self.raw(head.encode("utf-8", "surrogateescape") + b"\r\n" + body))

    def get(self, path):
        status, _, body = self.request(path)
        return status, loads(body)

    def post(self, path, value):
        status, _, body = self.request(path, "POST", json.dumps(value).encode())
        return status, loads(body)

    def wait_for(self, run, states):
        """Until a run is in one of these states: what the list says of it."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            facts = self.get("api/runs")[1]["runs"]
            mine = [one for one in facts if one["run"] == run]
            if mine and mine[0]["state"] in states:
                return mine[0]
            time.sleep(0.05)
        raise RuntimeError(f"{run}: never {states}: {mine}")


def read_all(connection):
    received = b""
    while True:
        try:
            piece = connection.recv(1 << 16)
        except ConnectionResetError:
            return received
        if not piece:
            return received
        received += piece


def parse(answer):
    """(0, {}, b"") where nothing came."""
    if b"\r\n\r\n" not in answer:
        return 0, {}, b""
    head, body = answer.split(b"\r\n\r\n", 1)
    lines = head.decode("latin-1").split("\r\n")
    headers = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:]}
    return int(lines[0].split()[1]), headers, body


def loads(body):
    try:
        return json.loads(body)
    except ValueError:
        return body
