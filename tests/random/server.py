"""The program that plays scenarios, kept alive over many of them, and started anew when one has killed it or left it hanging.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import pathlib
import select
import signal
import subprocess
import tempfile
import time

MOST_LINES = 60  # of the output of a program that crashed


class Server:
    """Plays scenarios with `command`, which takes the names of two pipes. A scenario that is not over after `limit_s` seconds hangs;
    the library itself gives up after half of that, where it can."""

    def __init__(self, command, limit_s):
        self.command = command
        self.limit_s = limit_s
        self.process = None

    def complaint(self, scenario):
        """Plays a scenario. Returns what was wrong, "" if nothing was."""
        if self.process is None:
            self._start()
        answer = self._ask(json.dumps(scenario, separators=(",", ":")))
        if isinstance(answer, str):
            return answer
        if not answer["usable"]:
            self.stop()
        return answer["complaints"]

    def stop(self):
        """Ends the program, whatever it is doing, with all of its ranks."""
        if self.process is None:
            return
        os.close(self.requests)
        os.close(self.answers)
        self._kill()
        self.folder.cleanup()
        self.process = None

    def end(self):
        """Lets the program end by itself. Returns what was wrong, "" if nothing was: contexts that cannot be closed, leaks."""
        if self.process is None:
            return ""
        os.write(self.requests, b"\n")
        try:
            status = self.process.wait(self.limit_s)
        except subprocess.TimeoutExpired:
            status = None
        text = "" if status == 0 else f"the program ended with status {status} (None: it hung) after its last scenario\n" + self._output()
        self.stop()
        return text

    def _start(self):
        self.folder = tempfile.TemporaryDirectory(prefix="halocline-random-")
        requests, answers, self.log = (pathlib.Path(self.folder.name) / name for name in ("requests", "answers", "output"))
        os.mkfifo(requests)
        os.mkfifo(answers)
        with self.log.open("w") as log:
            self.process = subprocess.Popen([*self.command, str(requests), str(answers)], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, start_new_session=True,
                                            env={**os.environ, "HALOCLINE_TIMEOUT": str(max(1, int(self.limit_s / 2)))})
        # Opened for reading and writing, so that opening does not wait for the program, which may never come.
        self.requests = os.open(requests, os.O_RDWR)
        self.answers = os.open(answers, os.O_RDWR | os.O_NONBLOCK)
        self.fresh = True

    def _ask(self, line):
        """Returns the program's answer as a dictionary, or says how it failed to give one."""
        os.write(self.requests, line.encode() + b"\n")
        deadline = time.monotonic() + self.limit_s + (60 if self.fresh else 0)  # starting takes long on a busy machine
        answer = b""
        while not answer.endswith(b"\n"):
            readable, _, _ = select.select([self.answers], [], [], 0.05)
            if readable:
                answer += os.read(self.answers, 1 << 16)
            elif self.process.poll() is not None:
                return self._fail(f"the program ended with status {self.process.returncode}")
            elif time.monotonic() > deadline:
                return self._fail(f"no answer after {self.limit_s} s")
        self.fresh = False
        return json.loads(answer)

    def _fail(self, text):
        text += "\n" + self._output()
        self.stop()
        return text

    def _output(self):
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join(lines if len(lines) <= MOST_LINES else lines[:MOST_LINES] + ["..."])

    def _kill(self):
        """The launcher passes SIGTERM on to the ranks; what is left of its session then is killed."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
