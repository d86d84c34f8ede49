# SPDX-License-Identifier: Apache-2.0
"""Drives headless Chromium over the DevTools protocol, with the standard library only.

The browser is started with --remote-debugging-pipe: it reads commands from descriptor 3 and writes
answers and events to descriptor 4, each a JSON text that ends in a NUL byte. Nothing listens on a
port. Page.events keeps what the page did: console messages, exceptions, log entries, requests,
dialogs."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--disable-extensions", "--disable-dev-shm-usage",
    "--no-default-browser-check", "--hide-scrollbars", "--font-render-hinting=none", "--mute-audio",
    "--remote-debugging-pipe",
]
TIMEOUT = 300  # seconds for one answer: a loaded machine is slow, not wrong


def find():
    """Path of a Chromium, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None


def above(descriptor):
    """The same, moved to a number of two digits."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved


class Browser:
    """One browser with an empty profile; use as a context manager."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="sbl-browser-")
        command_read, self.commands = os.pipe()
        self.answers, answer_write = os.pipe()
        arguments = [program, *FLAGS, f"--user-data-dir={self.profile}", "about:blank"]
        # The shell puts the pipes at 3 and 4, wherever they are here: out of the way of these first. Not every
        # sh knows descriptors of two digits; bash does.
        command_read, answer_write = above(command_read), above(answer_write)
        line = f'exec "$@" 3<&{command_read} 4>&{answer_write}'
        self.process = subprocess.Popen(
            ["bash", "-c", line, "bash", *arguments], pass_fds=(command_read, answer_write),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command_read)
        os.close(answer_write)
        self.buffer = b""
        self.next_id = 1
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (OSError, RuntimeError, EOFError):
            pass
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self, deadline):
        """The next message, or None when the time is up."""
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                return None
            piece = os.read(self.answers, 1 << 16)
            if not piece:
                raise EOFError("the browser has gone")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        number, self.next_id = self.next_id, self.next_id + 1
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        deadline = time.monotonic() + TIMEOUT
        while True:
            answer = self.read(deadline)
            if answer is None:
                raise RuntimeError(f"{method}: no answer")
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def wait_for(self, method, session):
        """Until the event has been seen."""
        deadline = time.monotonic() + TIMEOUT
        while not any(e["method"] == method and e.get("sessionId") == session for e in self.events):
            answer = self.read(deadline)
            if answer is None:
                raise RuntimeError(f"{method}: was not seen")
            if "method" in answer:
                self.events.append(answer)


class Page:
    """A page of its own, watched from before it loads."""

    def __init__(self, browser, width=1280, height=900):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target,
                                    flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, path):
        self.url = "file://" + os.path.abspath(path)
        self.call("Page.navigate", url=self.url)
        self.browser.wait_for("Page.loadEventFired", self.session)
        self.evaluate("new Promise(r => setTimeout(r, 200))")  # what begins after loading counts too

    def visit(self, url):
        """A page that a server gives."""
        self.url = url
        self.call("Page.navigate", url=url)
        self.browser.wait_for("Page.loadEventFired", self.session)

    def wait(self, expression, what):
        """Until the expression is true in the page; its value."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            value = self.evaluate(expression)
            if value:
                return value
            time.sleep(0.05)
        raise RuntimeError(f"never came: {what}; the page: {self.evaluate('document.body.innerText')[:1500]}")

    def click(self, expression):
        """A press of the mouse on the middle of the element that the expression finds, which must be what lies there."""
        x, y, hit = self.evaluate(f"""(() => {{ const e = {expression};
            e.scrollIntoView({{block: 'center', inline: 'center'}});
            const box = e.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
            const top = document.elementFromPoint(x, y);
            return [x, y, e === top || e.contains(top)]; }})()""")
        if not hit:
            raise RuntimeError(f"cannot be clicked: {expression}")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, code=0):
        typed = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **(typed if kind == "keyDown" else {}))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"cannot evaluate: {result['exceptionDetails']}")
        return result["result"].get("value")

    def events(self, method):
        return [e["params"] for e in self.browser.events
                if e["method"] == method and e.get("sessionId") == self.session]

    def complaints(self):
        """Console messages, exceptions, log entries and dialogs, as texts."""
        found = []
        for event in self.events("Runtime.consoleAPICalled"):
            found.append("console: " + " ".join(str(a.get("value")) for a in event["args"]))
        for event in self.events("Runtime.exceptionThrown"):
            found.append("exception: " + event["exceptionDetails"]["text"])
        for event in self.events("Log.entryAdded"):
            found.append("log: " + event["entry"]["text"])
        for event in self.events("Page.javascriptDialogOpening"):
            found.append("dialog: " + event["message"])
        return found

    def requests(self):
        """Addresses asked for, but for the page itself and what it carries in itself."""
        urls = [e["request"]["url"] for e in self.events("Network.requestWillBeSent")]
        return [u for u in urls if u != self.url and not u.startswith("data:")]

    def screenshot(self, path, scale=1, most=16000):
        """most: pixels of the page from its top on."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], most),
                "scale": scale}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip=clip)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self, path):
        data = self.call("Page.printToPDF", printBackground=False, preferCSSPageSize=False,
                         paperWidth=8.27, paperHeight=11.69)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
