#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""More than anybody should send to `semblance serve`: connections, bytes, slowness, and things that are no requests.

    flood_serve.py SEMBLANCE [--full]

--full: 10,000 connections, an upload of 1 GB, and clients that are slow until they are cut, in real time (two minutes)."""
import os
import resource
import select
import signal
import socket
import sys
import threading
import time

from serving import Checks, PATIENCE, SANITIZED, Server, parse, read_all

FULL = "--full" in sys.argv
PATIENTS = "demo-clinic/patients.csv"


# ---- connections ----

def open_files(wanted):
    """Raises this process's limit as far as it may; how many connections it can hold."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, wanted + 200)), hard))
    return min(wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200)


def begin_connection(port, sent):
    """One that is being made; what is to be sent follows as soon as it is there."""
    connection = socket.socket()
    connection.setblocking(False)
    connection.connect_ex(("127.0.0.1", port))
    if sent:
        try:
            connection.send(sent)
        except OSError:
            pass  # not there yet, or cut: it says nothing, then
    return connection


def check_crowd(server, checks):
    """All of them at once: it holds its own limits, and whoever has the token is served all the same."""
    count, memory, waits = open_files(10000 if FULL else 1500), server.memory(), []
    words = (b"", b"GET / HTTP/1.1\r\nX-Slow: ", f"GET /{server.token[:-1]}".encode(), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    held, most = [], (0, 0)
    for i in range(count):
        held.append(begin_connection(server.port, words[i % len(words)]))
        if i % 250 == 249:
            began = time.monotonic()
            checks.that(server.request("api/files")[0] == 200, f"served beside {i + 1} connections")
            waits.append(time.monotonic() - began)
            most = max(most, server.holds())
    checks.that(most[0] <= 560 and most[1] <= 600, f"it held {most[0]} threads and {most[1]} files")
    checks.that(SANITIZED or server.memory() < memory + 100, f"memory {memory:.0f} -> {server.memory():.0f} MB")
    status, found = server.post("api/promise", {"epsilon": 1})
    checks.that(status == 200 and found["mu"] > 0, "a request that works is served, too")
    print(f"{count} connections: the owner waited {max(waits):.2f} s at most; {most[0]} threads, {most[1]} files, "
          f"{server.memory() - memory:.0f} MB more than the {memory:.0f} before")
    for connection in held:
        connection.close()
    checks.that(server.request("api/files")[0] == 200, "and afterwards")
    deadline = time.monotonic() + PATIENCE
    while server.holds()[0] > 20 and time.monotonic() < deadline:
        time.sleep(0.1)
    checks.that(server.holds()[0] <= 20, f"threads end with their connections: {server.holds()}")


# ---- bytes ----

def upload(server, name, size, expect=False):
    """(status, body) of a file of so many bytes that nobody has."""
    piece = b"0123456,89012345\n" * 4096
    head = f"POST /{server.token}/api/upload?name={name} HTTP/1.1\r\nHost: {server.host}\r\nConnection: close\r\nContent-Length: {size}\r\n"
    with server.connect() as connection:
        connection.sendall((head + ("Expect: 100-continue\r\n" if expect else "") + "\r\n").encode())
        if expect:
            first = connection.recv(1 << 16)
            if not first.startswith(b"HTTP/1.1 100"):
                status, _, body = parse(first + read_all(connection))
                return status, body
        sent = 0
        while sent < size:
            sent += connection.send(piece[:min(len(piece), size - sent)])
        status, _, body = parse(read_all(connection))
    return status, body


def check_upload(server, checks):
    memory, size, began = server.memory(), (1000 if FULL else 64) * 1000 * 1000, time.monotonic()
    status, body = upload(server, "huge.csv", size)
    path = os.path.join(server.folder, "huge.csv")
    checks.that(status == 200 and os.path.getsize(path) == size, f"a large file: {status} {body[:200]}")
    checks.that(SANITIZED or server.memory() < memory + 16, f"memory {memory:.0f} -> {server.memory():.0f} MB")
    print(f"an upload of {size / 1e9:.2f} GB: {time.monotonic() - began:.1f} s, {server.memory() - memory:.0f} MB more than the {memory:.0f} before")
    # The same again: refused for its name, in words, whether the client waits for them or sends on.
    status, body = upload(server, "huge.csv", size, expect=True)
    checks.that(status == 400 and b"already" in body, f"refused before it is sent: {status} {body[:200]}")
    status, body = upload(server, "huge.csv", 20 << 20)
    checks.that(status == 400 and b"already" in body, f"refused after it was sent: {status} {body[:200]}")
    os.remove(path)


def check_full_disk(program, checks):
    """A disk without room, here a limit on the size of files: said in words, and nothing is left of it."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 20, 8 << 20))

    with Server(program, before=limit) as server:
        status, body = upload(server, "large.csv", 24 << 20)
        checks.that(400 <= status < 600 and b"was not kept" in body, f"a full disk: {status} {body[:200]}")
        checks.that(os.listdir(server.folder) == [], f"nothing is left: {os.listdir(server.folder)}")
        checks.that(upload(server, "small.csv", 1 << 20)[0] == 200, "a file that has room is kept")
        room = os.statvfs(server.folder)
        if room.f_bavail * room.f_frsize < 15 << 30:  # else there is none that it would refuse for that
            status, body = upload(server, "space.csv", 15 << 30, expect=True)
            checks.that(b"too little free space" in body, f"no room: {status} {body[:200]}")


# ---- slowness ----

class Slow(threading.Thread):
    """Sends a byte now and then, until it is cut; how long that took."""

    def __init__(self, server, head, every, reads=True):
        super().__init__(daemon=True)
        self.server, self.head, self.every, self.reads = server, head, every, reads
        self.seconds = None

    def run(self):
        began = time.monotonic()
        with self.server.connect() as connection:
            if not self.reads:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(self.head)
            while time.monotonic() - began < 300:
                try:
                    if self.reads and select.select([connection], [], [], self.every)[0] and connection.recv(1 << 16) == b"":
                        break
                    if not self.reads:
                        time.sleep(self.every)
                    if self.every < 100:
                        connection.send(b"x")
                except OSError:
                    break
        self.seconds = time.monotonic() - began


def check_slow(server, checks):
    """Whatever does not come in time is cut, without anybody else waiting."""
    post = f"POST /{server.token}/api/check HTTP/1.1\r\nHost: {server.host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{"
    send = f"POST /{server.token}/api/upload?name=slow.csv HTTP/1.1\r\nHost: {server.host}\r\nContent-Length: 1000\r\n\r\nabc"
    again = f"GET /{server.token}/api/result?run=large.csv.runs/1&name=synthetic.csv HTTP/1.1\r\nHost: {server.host}\r\n\r\n"
    folder = os.path.join(server.folder, "large.csv.runs", "1")
    os.makedirs(folder)
    with open(os.path.join(folder, "synthetic.csv"), "wb") as file:
        file.truncate(64 << 20)  # more than sockets hold
    clients = {"says nothing": (Slow(server, b"", 200), 19, 45), "a header, byte by byte": (Slow(server, b"GET / HTTP/1.1\r\nX: ", 0.5), 19, 45),
               "a body, byte by byte": (Slow(server, post.encode(), 0.5), 19, 45), "an upload that stops": (Slow(server, send.encode(), 200), 59, 90),
               "reads nothing": (Slow(server, again.encode(), 2, reads=False), 100, 200)}
    for client, _, _ in clients.values():
        client.start()
    while any(client.is_alive() for client, _, _ in clients.values()):
        began = time.monotonic()
        checks.that(server.request("api/files")[0] == 200 and time.monotonic() - began < 10, "others are served meanwhile")
        time.sleep(5)
    for name, (client, least, most) in clients.items():
        print(f"{name}: cut after {client.seconds:.0f} s")
        checks.that(least <= client.seconds <= most, f"{name}: {client.seconds:.0f} s")
    checks.that(not os.path.exists(os.path.join(server.folder, "slow.csv.upload.part")), "what was not received whole is removed")


# ---- who went away ----

def begin_inspection(server, name):
    """An inspection that is under way: its connection."""
    body = b'{"path": "%s"}' % name.encode()
    connection = server.connect()
    connection.sendall(f"POST /{server.token}/api/inspect HTTP/1.1\r\nHost: {server.host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    while server.get("api/progress")[1]["rows"] == 0:
        if select.select([connection], [], [], 0)[0]:
            raise RuntimeError(f"too quick: {connection.recv(1000)}")
    return connection


def check_gone(server, checks):
    """Whoever does not wait for an answer any more keeps nobody from his; nor does it keep the server from ending."""
    with open(os.path.join(server.folder, "long.csv"), "w", encoding="utf-8") as file:
        file.write("age,town\n" + "".join(f"{i % 90},{'abcdefg'[i % 7]}\n" for i in range(40000)) * 40)
    begin_inspection(server, "long.csv").close()
    while server.get("api/progress")[1]["reads"]:
        pass  # until it is noticed
    checks.that(server.post("api/inspect", {"path": PATIENTS})[0] == 200, "the next is served")
    connection = begin_inspection(server, "long.csv")
    began = time.monotonic()
    status, said = server.end()
    checks.that(status == 0 and "Sanitizer" not in said, f"Ctrl-C while a table is read: {status} {said[-500:]}")
    print(f"it ended {time.monotonic() - began:.1f} s after it was told to, in the middle of a reading")
    connection.close()
    server.start()


# ---- what is no request ----

def say_all(server, said):
    """Everything that comes back where the client says all this and then closes its side."""
    with server.connect() as connection:
        try:
            connection.sendall(said)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # cut already: the answer is there all the same
        return read_all(connection)


def check_half(server, checks):
    """A client that has said all closes its side, and still hears the answer."""
    for path, want in (("api/files", b'"folder"'), ("", b"<!DOCTYPE html>"), ("nothing", b"no such page")):
        request = f"GET /{server.token}/{path} HTTP/1.1\r\nHost: {server.host}\r\nConnection: close\r\n\r\n".encode()
        checks.that(want in say_all(server, request), f"half closed: {path!r}")
    for pieces in (b"", b"G", b"GET /", f"GET /{server.token}/api/files HTTP/1.1\r\nHo".encode()):
        checks.that(b"HTTP/1.1 200" not in say_all(server, pieces), f"half a request: {pieces[:20]!r}")


def answers(received):
    """The statuses of all answers that came."""
    return [int(one[:3]) for one in received.split(b"HTTP/1.1 ")[1:]]


def check_pipeline(server, checks):
    """Several in one piece: each is judged by itself, and nothing behind a request belongs to it."""
    files = f"GET /{server.token}/api/files HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode()
    evil = files.replace(b"\r\n\r\n", b"\r\nOrigin: http://evil.example\r\n\r\n")
    found = answers(server.raw(files * 3 + evil + files))
    checks.that(found == [200, 200, 200, 403], f"one after the other, and a refusal is the last word: {found}")
    for garbage in (b"\x00" * 500, b"\xff\xfe\r\n\r\n", b"HELLO\r\n\r\n", b"GET\r\n\r\n", b" / HTTP/1.1\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 300,
                    b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 3000 + b"\r\n", b"GET / HTTP/1.1\r\n: x\r\n\r\n", b"GET / HTTP/1.1\r\n folded\r\n\r\n"):
        found = answers(say_all(server, files + garbage))
        checks.that(found[:1] == [200] and found.count(200) == 1, f"garbage behind a request: {garbage[:20]!r} {found}")
    body = b"{}"
    for lines in ("Content-Length: 2\r\nContent-Length: 60\r\n", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "Content-Length: +2\r\n", "Content-Length: -1\r\n",
                  "Content-Length: 0x2\r\n", "Content-Length: 99999999999999999999\r\n", "Transfer-Encoding: chunked, chunked\r\n"):
        head = f"POST /{server.token}/api/promise HTTP/1.1\r\nHost: {server.host}\r\nContent-Type: application/json\r\n{lines}\r\n".encode()
        found = answers(say_all(server, head + body + files))
        checks.that(200 not in found[:1], f"two lengths: {lines!r} {found}")
    checks.that(server.is_alive() and server.request("api/files")[0] == 200, "it goes on")


def main():
    checks = Checks()
    with Server(sys.argv[1]) as server:
        checks.that(server.post("api/demo", {}) == (200, {"path": PATIENTS}), "the demo")
        for check in (check_half, check_pipeline, check_upload, check_crowd, check_gone) + ((check_slow,) if FULL else ()):
            began = time.monotonic()
            check(server, checks)
            print(f"{check.__name__}: {time.monotonic() - began:.1f} s")
            if not checks.that(server.is_alive(), f"alive after {check.__name__}"):
                break
        status, said = server.end()
        checks.that(status == 0 and "Sanitizer" not in said, f"Ctrl-C: {status} {said[-2000:]}")
    check_full_disk(sys.argv[1], checks)
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
