"""A headless Chromium that opens a page: what it complains of, how wide the page is, what it shows. It is driven through a pair of pipes.

SPDX-License-Identifier: BSD-3-Clause
"""
import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-breakpad", "--disable-crash-reporter", "--disable-extensions",
         "--mute-audio", "--hide-scrollbars", "--remote-debugging-pipe")
TIMEOUT_S = 40
# Expressions of a page: how many of its pictures are shown, and by how much it is wider than its window.
SHOWN = """[...document.querySelectorAll('figure svg, figure img')].filter(one => {
  const box = one.getBoundingClientRect();
  return box.width > 200 && box.height > 80 && (one.tagName !== 'IMG' || one.naturalWidth > 0);
}).length"""
OVERHANG = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
COMPLAINTS = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")


def find():
    """The browser; None if there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def has_members(group):
    """Whether a process of this group runs."""
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = status.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(its_group) == group and state not in "ZX":
            return True
    return False


class Browser:
    """One tab. complaints: errors and warnings on its console; requests: what it has asked for beside the page."""

    def __init__(self, program):
        self.complaints, self.requests, self.number, self.buffer, self.session = [], [], 0, b"", None
        self.folder = tempfile.TemporaryDirectory(prefix="halocline-browser-")
        from_us, self.to = os.pipe()
        self.back, to_us = os.pipe()
        # Chromium reads from 3 and writes to 4.
        shell = f"exec 3<&{from_us} 4>&{to_us}; exec \"$@\""
        command = ["bash", "-c", shell, "sh", program, *FLAGS, f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(from_us, to_us), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True)
        os.close(from_us)
        os.close(to_us)
        try:
            self.start()
        except BaseException:
            self.end()
            raise

    def start(self):
        """Opens a tab."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{part}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Ends all processes of the browser, then removes its folder: they write to it until they end."""
        group = self.process.pid
        os.killpg(group, signal.SIGKILL)
        self.process.wait()
        until = time.monotonic() + TIMEOUT_S
        while has_members(group) and time.monotonic() < until:
            time.sleep(0.01)
        os.close(self.to)
        os.close(self.back)
        self.folder.cleanup()

    def read(self, until):
        """The next message."""
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            some = os.read(self.back, 1 << 20)
            if not some:
                raise ConnectionError("the browser has ended")
            self.buffer += some
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        """Keeps what the page complains of, and asks for."""
        method, words = message.get("method"), message.get("params", {})
        if method in COMPLAINTS and words.get("type", "error") in ("error", "warning", "assert") and \
                words.get("entry", {}).get("level", "error") in ("error", "warning"):
            self.complaints.append(json.dumps(words)[:400])
        if method == "Network.requestWillBeSent" and not words["request"]["url"].startswith(("data:", "file:", "about:")):
            self.requests.append(words["request"]["url"])

    def ask(self, method, **words):
        """Sends a command and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": words} | ({"sessionId": self.session} if self.session else {})
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + TIMEOUT_S
        while True:
            answer = self.read(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def show(self, width, height=900, scheme="light", media=""):
        """Makes the tab so wide, in CSS pixels, with a light or dark scheme, for a screen or for print."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
                 screenWidth=width, screenHeight=height)
        self.ask("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        """Opens a file, and waits until all of it is there."""
        self.ask("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        until = time.monotonic() + TIMEOUT_S
        while self.value("document.readyState + location.protocol") != "completefile:":
            if time.monotonic() > until:
                raise TimeoutError(f"{path} does not load")
            time.sleep(0.02)

    def value(self, expression):
        """The value of an expression of the page."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def picture(self, path, whole=True):
        """A PNG of the page."""
        answer = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(answer["data"]))

    def print(self, path):
        """A PDF, as the page prints."""
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("Page.printToPDF", printBackground=False)["data"]))
