#!/usr/bin/env python3
"""What `halocline advise` concludes from recordings that this test makes up: grids, shares, words. Nothing is launched.

SPDX-License-Identifier: BSD-3-Clause
"""
import itertools
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python" / "src"))

from halocline.command import advise  # noqa: E402
from halocline.command.advice import conclusion, exchanges, grids, pages, recording, replaying, sources  # noqa: E402
from halocline.command.status import Exit, Failure  # noqa: E402


def swap(shape, periodic, box=False, fields=1, skip_self=False):
    """The messages of one step in a grid of ranks, by a loop of its own."""
    found = []
    for at in itertools.product(*map(range, shape)):
        for step in itertools.product((-1, 0, 1), repeat=len(shape)):
            to = [x + dx for x, dx in zip(at, step)]
            if not any(step) or (sum(map(abs, step)) > 1 and not box):
                continue
            if any(not 0 <= x < size and not wraps for x, size, wraps in zip(to, shape, periodic)):
                continue
            sender, receiver = number(at, shape), number([x % size for x, size in zip(to, shape)], shape)
            if not (skip_self and sender == receiver):
                found += [replaying.Message(sender, receiver, 0, 64, 64, 64, False)] * fields
    return found


def number(at, shape):
    rank = 0
    for x, size in zip(at, shape):
        rank = rank * size + x
    return rank


def lists(shape, periodic):
    """What MPI_Cart_shift says on each rank."""
    found = []
    for at in itertools.product(*map(range, shape)):
        one = []
        for d, sign in itertools.product(range(len(shape)), (-1, 1)):
            to = [x + (sign if i == d else 0) for i, x in enumerate(at)]
            inside = periodic[d] or 0 <= to[d] < shape[d]
            one.append(number([x % size for x, size in zip(to, shape)], shape) if inside else grids.OUTSIDE)
        found.append(one)
    return found


def fits(value, truth):
    return value is None or value == truth


class Grids(unittest.TestCase):
    def test_two_by_two_ranks_are_told_apart_by_counts(self):
        for periodic in ((False, False), (False, True), (True, False)):
            found = grids.find(swap((2, 2), periodic), 4)
            self.assertEqual((found.shape, found.periodic, found.box), ((2, 2), periodic, False))

    def test_two_fields_and_two_sides_are_not_told_apart(self):
        for messages in (swap((2, 2), (True, True)), swap((2, 2), (False, False), fields=2)):
            found = grids.find(messages, 4)
            self.assertEqual(found.periodic, (None, None))
            text = "\n".join(grids.spec(found, messages))
            self.assertIn("(int[]){2, 2}, (int[]){PERIODIC_X, PERIODIC_Y}", text)
            self.assertIn("PERIODIC_X, PERIODIC_Y: 0 or 1", text)

    def test_a_topology_decides(self):
        for shape in ((2, 2), (1, 4), (4, 1), (1, 1), (2,), (2, 3), (2, 1, 2)):
            for periodic in itertools.product((False, True), repeat=len(shape)):
                messages = swap(shape, periodic)
                if not messages:
                    continue
                found = grids.find(messages, len(lists(shape, periodic)), lists(shape, periodic))
                self.assertEqual((found.shape, found.periodic), (shape, periodic))

    def test_no_value_is_wrong(self):
        for shape in ((2,), (3,), (4,), (2, 2), (2, 3), (3, 2), (4, 2), (3, 3), (2, 2, 2), (1, 3), (2, 1, 2)):
            for periodic, box, fields in itertools.product(itertools.product((False, True), repeat=len(shape)), (False, True), (1, 2)):
                if len(shape) == 1 and box or any(size == 1 and not wraps for size, wraps in zip(shape, periodic)):
                    continue
                found = grids.find(swap(shape, periodic, box, fields), number([x - 1 for x in shape], shape) + 1)
                if found is None:
                    continue
                self.assertTrue(all(map(fits, found.shape, shape)), (shape, periodic, box, fields, found))
                self.assertTrue(all(map(fits, found.periodic, periodic)), (shape, periodic, box, fields, found))
                self.assertTrue(fits(found.box, box), (shape, periodic, box, fields, found))

    def test_messages_to_itself_are_a_periodic_dimension_of_one_rank(self):
        messages = swap((4, 1), (False, True))
        found = grids.find(messages, 4)
        self.assertEqual(set(found.shapes), {(4, 1), (1, 4)})
        self.assertIn("RANKS: {1, 4} or {4, 1}", "\n".join(grids.spec(found, messages)))

    def test_larger_grids_are_found(self):
        for shape, periodic in (((3, 2), (True, False)), ((3, 2), (False, True)), ((2, 3), (True, True)), ((5,), (True,))):
            found = grids.find(swap(shape, periodic), number([x - 1 for x in shape], shape) + 1)
            self.assertEqual((found.shape, found.periodic), (shape, periodic))


TICKS = 2  # per nanosecond: a clock of 2 GHz
MS = 1_000_000


def event(begin_ns, end_ns, kind, peer):
    """64 bytes with tag 0 on communicator 1."""
    return recording.EVENT.pack(begin_ns * TICKS, end_ns * TICKS, 64, 100, 0, peer, 0, 1, 0, 0, 1, kind, 0)


def swaps(peer, steps, period_ns, busy_ns):
    """Blocking sends and receives that take busy_ns of each period."""
    found = []
    for step in range(steps):
        begin = step * period_ns
        found += [event(begin, begin + busy_ns, recording.Kind.SENDRECV_SEND, peer),
                  event(begin, begin + busy_ns, recording.Kind.SENDRECV_RECEIVE, peer)]
    return found


def write(path, events, known_ns, finalised):
    """A file as the recorder leaves it. known_ns: when the two clocks were last compared. Other threads' heads are complete at the end."""
    rank, *threads = (int(word) for word in path.stem.split("-")[1:])
    thread = threads[0] if threads else 0
    complete = finalised or thread == 0
    earlier = len(events) // 3 * 2 if len(events) < recording.LATEST else len(events) - recording.LATEST // 2
    head = recording.HEAD.pack(recording.MAGIC, int(finalised), rank, 2, thread, len(events), earlier, 0, 0, known_ns * TICKS, 0, known_ns,
                               0, 0, 0, 0, b"vm" if complete else b"", b"MPICH Version: 5.0.2" if complete else b"")
    latest = b"".join(events[earlier:]).ljust(recording.LATEST * recording.EVENT.size, b"\xff")
    path.write_bytes(head.ljust(recording.HEAD_BYTES, b"\0") + latest + b"".join(events[:earlier]))


def conclude(lanes, known_ns, finalised=(True, True)):
    """lanes: of each rank the events of each thread."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for rank, threads in enumerate(lanes):
            for thread, events in enumerate(threads):
                name = f"rank-{rank}" + (f"-{thread}" if thread else "")
                write(folder / f"{name}.events", events, known_ns, finalised[rank])
            (folder / f"rank-{rank}.text").write_text("comm 1 77 2\n")
        found = recording.read(folder)
    return found, conclusion.conclude(found, "program", None)


def total(said):
    return sum(value for _, value, _ in said.parts)


class Files(unittest.TestCase):
    def test_records_are_read_in_the_order_of_their_calls(self):
        for count in (1, 7, 1000, 3000):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "rank-0.events"
                write(path, [event(10 * i, 10 * i + 1, recording.Kind.BARRIER, 0) for i in range(count)], 20 * MS, True)
                head = recording.Head(path)
                for first, some in ((0, count), (count // 2, count - count // 2), (count - 1, 1), (0, count // 2)):
                    rows = recording.EVENT.iter_unpack(recording.records_of(path, head, first, some))
                    self.assertEqual([row[0] for row in rows], [10 * i * TICKS for i in range(first, first + some)])
                self.assertEqual(recording.last_tick(path, head), (10 * count - 9) * TICKS)


class Shares(unittest.TestCase):
    def test_a_rank_that_did_not_finalise_counts_until_its_last_call(self):
        """The recorder compares clocks after 20 ms; the last call ends at 98 ms."""
        events = [[swaps(1 - rank, 10, 10 * MS, 8 * MS)] for rank in range(2)]
        for tail in ([], [recording.WORDS.pack(*range(7)) + struct.pack("<IHBB", 0, 0, recording.Kind.ITEMS, 7)]):
            found, said = conclude([[one[0] + tail] for one in events], 20 * MS, (False, False))
            self.assertAlmostEqual(said.seconds, 0.098, places=6)
            self.assertTrue(said.unfinished)
            self.assertAlmostEqual(total(said), said.whole, places=6)
            self.assertAlmostEqual(said.advice[0].share, 80 / 98, places=3)
            self.assertIn("or the last call", pages.about(said))
            self.assertEqual([rank.finalised for rank in found.ranks], [False, False])

    def test_too_short_a_time_is_refused(self):
        with self.assertRaisesRegex(Failure, "rank 0 ended before MPI_Finalize, after 20 calls in too short a time"):
            conclude([[swaps(1 - rank, 10, 10 * MS, 8 * MS)] for rank in range(2)], MS, (False, False))

    def test_threads_share_their_own_time(self):
        lanes = [[swaps(1 - rank, 10, 10 * MS, 8 * MS) for _ in range(3)] for rank in range(2)]
        for finalised in ((True, True), (False, False)):
            _, said = conclude(lanes, 100 * MS, finalised)
            self.assertEqual(said.threads, 3)
            self.assertAlmostEqual(said.whole, 3 * said.seconds)
            self.assertAlmostEqual(said.advice[0].share, 0.8, places=3)
            self.assertAlmostEqual(total(said), said.whole, places=6)
            self.assertIn("up to 3 per rank", pages.about(said))

    def test_collectives_of_all_threads_count(self):
        one, other = exchanges.Totals(recorded=1), exchanges.Totals(recorded=5)
        one.collectives["Bcast"], other.collectives["Bcast"], other.windows = 2.0, 3.0, 7.0
        made = exchanges.both(one, other)
        self.assertEqual((made.collectives["Bcast"], made.windows, made.recorded), (5.0, 7.0, 5))

    def test_all_ranks_that_did_not_finalise_are_named(self):
        self.assertEqual(advise.spans([0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8")


def time(median, spread=0.1):
    return replaying.Time(median, median * (1 - spread), median * (1 + spread), 20)


def said_of(recorded, best, spread=0.1):
    """Advice for an exchange of 80 % of the run, which takes 8 ms per step, from a replay in microseconds."""
    _, said = conclude([[swaps(1 - rank, 10, 10 * MS, 8 * MS)] for rank in range(2)], 100 * MS)
    for one in said.advice:
        one.late_us = 0.0
        conclusion.add_saving(one, replaying.Replay({"recorded": time(recorded, spread), "notify": time(best, spread)}, "notify"))
    said.headline = conclusion.headline_of(said)
    return said


class Words(unittest.TestCase):
    def test_the_time_is_named_for_what_it_is(self):
        _, said = conclude([[swaps(1 - rank, 10, 10 * MS, 8 * MS)] for rank in range(2)], 100 * MS)
        self.assertIn("100 ms from MPI_Init to MPI_Finalize", pages.about(said))

    def test_a_saving_at_its_limit_says_at_most(self):
        text = "\n".join(pages.screen(said_of(30000, 2000)))
        self.assertIn("would save at most 8.00 ms per step, 80.0 ms of the run: 80.0 %, all that it costs without late ranks", text)
        self.assertIn("Worth it: one-sided swaps in mode notify would save at most 80.0 % of the run.", text)

    def test_a_saving_below_its_limit_has_its_spread(self):
        text = "\n".join(pages.screen(said_of(8000, 6000)))
        self.assertIn("would save 2.00 ms per step, 20.0 ms of the run: 20.0 % (18.0 % to 22.0 %)", text)
        self.assertNotIn("at most", text)

    def test_the_winner_is_named_with_those_within_its_spread(self):
        times = {"recorded": time(10), "direct": replaying.Time(2, 1.9, 2.3, 20), "notify": replaying.Time(2.2, 2.1, 2.4, 20),
                 "pscw": replaying.Time(2.4, 2.3, 2.5, 20), "auto": replaying.Time(1.9, 1.8, 2.0, 20, "direct")}
        self.assertEqual(pages.winner(replaying.Replay(times, "direct")), "Mode direct (notify within its spread)")

    def test_auto_is_shown_with_its_choice_and_does_not_win(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "replay.txt"
            path.write_text("recorded 20 9.0 8.0 10.0 \nnotify 20 3.0 2.0 4.0 \nauto 20 2.9 2.0 4.0 notify\n")
            found = replaying.read_result(path)
        self.assertEqual((found.best, found.times["auto"].mode, found.times["notify"].mode), ("notify", "notify", ""))
        self.assertEqual("auto (notify)", pages.shown("auto", found.times["auto"]))

    def test_modes_that_are_left_out_are_named_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "replay.txt"
            path.write_text("without direct a reason\nwithout auto a reason\nrecorded 20 9.0 8.0 10.0 \nnotify 20 3.0 2.0 4.0 \n")
            found = replaying.read_result(path)
        said = said_of(8000, 6000)
        said.advice[0].replay = found
        for text in ("\n".join(pages.screen(said)), pages.page_of(said)):
            self.assertIn("without direct and auto: a reason", text)

    def test_too_busy_is_no_answer(self):
        said = said_of(8000, 3000, spread=0.6)
        text, page = "\n".join(pages.screen(said)), pages.page_of(said)
        self.assertIn("too busy for an answer", text)
        self.assertNotIn("would save", text + page)
        self.assertNotIn("<tr class=marked>", page)
        self.assertIn("<tr class=marked>", pages.page_of(said_of(8000, 6000)))
        self.assertIn("<h1>Exchanges that repeat take 80.0 % of the run</h1>", page)

    def test_the_code_of_a_page_scrolls_in_its_own_box(self):
        page = pages.page_of(said_of(8000, 6000))
        self.assertRegex(page, r"\npre \{ overflow-x: auto; max-width: 100%")
        self.assertIn("<pre>", page)

    def test_paths_of_a_build_have_no_steps_back(self):
        self.assertEqual(sources.shortened("/a/build/release/../../halo.c"), "/a/halo.c")

    def test_calls_of_mpi4py_are_one_place(self):
        module = "/usr/lib/mpi4py/MPI.mpich.cpython-311-x86_64-linux-gnu.so"
        lines = [sources.Line("", 0, name, module) for name in ("Waitall", "Isend")]
        self.assertEqual(sources.ranges(lines), ["mpi4py"])
        self.assertFalse(sources.is_mpi4py("/home/me/MPI.so"))

    def test_a_static_function_of_a_stripped_library_has_no_name(self):
        """addr2line would give it the name of the exported function before it."""
        tools = [shutil.which(name) for name in ("cc", "strip", "nm", "addr2line")]
        if not all(tools):
            self.skipTest("needs cc, strip, nm and addr2line")
        with tempfile.TemporaryDirectory() as folder:
            library = pathlib.Path(folder) / "libpart.so"
            code = "int shown(int x) { return x + 1; }\n__attribute__((noinline)) static int hidden(int x) { return shown(x) * 7; }\n" \
                   "int (*use(void))(int) { return hidden; }\n"
            subprocess.run([tools[0], "-shared", "-fPIC", "-O0", "-fno-toplevel-reorder", "-x", "c", "-", "-o", library], input=code,
                           text=True, check=True)
            places = {line.split()[-1]: int(line.split()[0], 16) for line in sources.nm("--defined-only", str(library)).splitlines()}
            for is_stripped, names in ((False, ["shown", "hidden"]), (True, ["shown", ""])):
                if is_stripped:
                    subprocess.run([tools[1], library], check=True)
                found = sources.look_up(str(library), [places["shown"] + 4, places["hidden"] + 4])
                self.assertEqual([line.function for line in found], names)

    def test_a_program_that_only_has_windows_is_told_of_the_drop_in(self):
        events = [event(MS * i, MS * i + 1000, recording.Kind.PUT, 1) for i in range(10)]
        events += [event(MS * i + 2000, MS * i + 900_000, recording.Kind.BARRIER, 0) for i in range(10)]
        _, said = conclude([[events], [events]], 10 * MS)
        self.assertEqual(said.headline, "No exchange of messages repeats; the program has MPI RMA.")
        self.assertIn("0.1 % of the run is MPI RMA, 89.8 % are collectives that may wait for it. `halocline run --mpi`", said.windows)

    def test_a_report_that_cannot_be_written_is_refused_before_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in (pathlib.Path(folder) / "none" / "a.html", pathlib.Path(folder)):
                with self.assertRaises(Failure) as refused:
                    advise.run(types.SimpleNamespace(report=path, given=None, program=["false"]))
                self.assertEqual(refused.exception.code, Exit.USAGE)
            advise.check_report(pathlib.Path(folder) / "a.html")

    def test_pages_are_named_by_their_titles(self):
        titles = {path.read_text().splitlines()[0].removeprefix("# ") for kind in ("howto", "guide")
                  for path in (ROOT / "docs" / kind).glob("*.md")}
        for name in (conclusion.FROM_P2P, conclusion.FROM_RMA, conclusion.EXCHANGE, conclusion.SPARSE):
            self.assertIn(name.split("'")[1], titles)


if __name__ == "__main__":
    unittest.main()
