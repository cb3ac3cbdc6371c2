#!/usr/bin/env python3
"""Tests of halocline-trace on traces that are written here, without an MPI: clocks that are off and drift, who waited for whom, the
critical path, files that end early, and the picture.

Usage: tool_test.py PATH_OF_HALOCLINE_TRACE

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

CLOCK = "11"
OTHER = {"offset_ns": -7_000_000_000, "drift": 2e-5}  # what the second host's clock differs by: it is ahead, and slow


def span(rank, name, times, category="swap", **args):
    """times: begin and end in microseconds of the true time."""
    return {"name": name, "cat": category, "ph": "X", "pid": rank, "tid": 0, "ts": times[0], "dur": times[1] - times[0], "args": args}


def local(time_us):
    """The time that the other clock shows."""
    true_ns = time_us * 1000
    return (true_ns - OTHER["offset_ns"]) / (1 + OTHER["drift"]) / 1000


def sample(time_us):
    at = round(local(time_us) * 1000)
    return {"name": "halocline_clock", "ph": "M", "pid": 1, "tid": 0,
            "args": {"reference": 0, "reference_clock": CLOCK, "at_ns": at, "offset_ns": round(time_us * 1000) - at, "round_trip_ns": 2000}}


def both_ends(rank, times, **args):
    """A swap in flight."""
    about = {"name": "swap", "cat": "swap", "pid": rank, "tid": 0, "args": args}
    return [{**about, "ph": phase, "ts": time} for phase, time in zip("be", times)]


def write(folder, rank, events, ranks=2, clock=CLOCK):
    about = {"name": "halocline_rank", "ph": "M", "pid": rank, "tid": 0,
             "args": {"format": 1, "rank": rank, "ranks": ranks, "clock": clock, "host": f"host{clock}"}}
    (folder / f"rank-{rank}.json").write_text("[\n" + ",\n".join(json.dumps(line) for line in [about, *events]) + "\n]\n")


def run(tool, folder, *words):
    command = [sys.executable, tool, str(folder), *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    return done.returncode, done.stdout


def answer_of(tool, folder):
    code, text = run(tool, folder, "--json")
    return json.loads(text) if code == 0 else {"failed": text}


def swap_events(shift):
    """Rank 1 sends at 500 us, for which rank 0 waits from 100 us to 510 us."""
    about = {"plan": 1, "round": 1, "of": "flow"}
    late = [span(1, "start", (480, 505), **about), span(1, "put", (490, 500), peer=0, bytes=8, **about),
            span(1, "finish", (506, 530), **about)]
    for event in late:
        event["ts"] = shift(event["ts"])
    early = [span(0, "start", (80, 100), **about), span(0, "put", (85, 95), peer=1, **about), span(0, "finish", (100, 600), **about),
             span(0, "wait", (100, 510), "wait", peer=1, **about), span(0, "unpack", (510, 520), peer=1, **about)]
    return early, late


def check_swap(tool, folder):
    early, late = swap_events(lambda time: time)
    write(folder, 0, early)
    write(folder, 1, late)
    found = answer_of(tool, folder)
    yield "says for whom rank 0 waited", found["waits_ns"] == {"0": {"1": 410_000}, "1": {}}
    steps = [[rank, begin // 1000, end // 1000] for rank, begin, end in found["path"]["steps"]]
    yield "finds the path through the late rank", steps == [[1, 480, 500], [0, 510, 600]]
    yield "and what it consists of", found["path"]["by_name_ns"]["unpack"] == 10_000
    merged = json.loads((folder / "merged.json").read_text())["traceEvents"]
    ends = {event["ph"]: event for event in merged if event["ph"] in "sf"}
    yield "draws an arrow from the put to the wait's end", ends["s"]["pid"] == 1 and ends["f"]["pid"] == 0 and \
        abs(ends["f"]["ts"] - ends["s"]["ts"] - 10) < 1e-6
    root = xml.etree.ElementTree.parse(folder / "timeline.svg").getroot()
    yield "makes a picture with a lane for each rank", {"rank 0", "rank 1"} <= {text.text for text in root.iter() if text.text}
    yield "which needs no other file", "href" not in (folder / "timeline.svg").read_text()


def check_clocks(tool, folder):
    early, late = swap_events(local)
    write(folder, 0, early)
    write(folder, 1, [sample(0), *late, sample(2_000_000)], clock="22")
    found = answer_of(tool, folder)
    steps = [[rank, round(begin / 1000), round(end / 1000)] for rank, begin, end in found["path"]["steps"]]
    yield "corrects a clock that is off and drifts", steps == [[1, 480, 500], [0, 510, 600]]
    yield "and says so", any("host22" in line and "within 1.0 us" in line for line in found["remarks"])
    write(folder, 1, late, clock="22")
    found = answer_of(tool, folder)
    yield "says that a clock was never compared", any("never compared" in line for line in found["remarks"])


def compared(reference, of, offset_us, round_trip_ns=2000):
    """A comparison, of clocks that do not drift: rank `of` asked `reference`."""
    return {"name": "halocline_clock", "ph": "M", "pid": of, "tid": 0,
            "args": {"reference": reference, "reference_clock": f"{reference}{reference}", "at_ns": 1_000_000,
                     "offset_ns": offset_us * 1000, "round_trip_ns": round_trip_ns}}


def check_chains(tool, folder):
    """Hosts 1 and 3 were compared with host 2 alone, in one direction each, and host 2 with host 0. All do at once what they do."""
    ahead = {0: 0, 1: 30_000, 2: 5_000, 3: -700}  # of host 0's clock, in microseconds
    samples = {1: [compared(2, 1, ahead[2] - ahead[1])], 2: [compared(0, 2, -ahead[2]), compared(3, 2, ahead[3] - ahead[2], 6000)]}
    for rank, shift in ahead.items():
        write(folder, rank, [span(rank, "hlc_barrier", (100 + shift, 200 + shift), "segment", plan=1), *samples.get(rank, [])], 4,
              f"{rank}{rank}")
    found = answer_of(tool, folder)
    merged = json.loads((folder / "merged.json").read_text())["traceEvents"] if "ranks" in found else []
    begins = [event["ts"] for event in merged if event["ph"] == "X"]
    yield f"follows chains of comparisons: {begins}", len(begins) == 4 and max(begins) - min(begins) < 0.01
    remarks = " ".join(found.get("remarks", []))
    wanted = ("-30000.0 us off, within 2.0 us", "+700.0 us off, within 4.0 us")
    yield f"and says so, with the errors' sum: {remarks}", "never compared" not in remarks and \
        all(words in remarks for words in wanted) and remarks.count("compared through the clock of host host22") == 2


def titles_in(folder):
    """The titles of the picture's rectangles, with their upper edges."""
    root = xml.etree.ElementTree.parse(folder / "timeline.svg").getroot()
    rectangles = [(part, part.find("{*}title")) for part in root.iter() if part.tag.endswith("rect")]
    return {title.text.split(":")[0]: float(part.get("y")) for part, title in rectangles if title is not None}


def check_epochs(tool, folder):
    """An exposure that begins before an access and ends after it; a halo that swaps within another's swap; two windows' fences in turns."""
    window, inner, outer = {"plan": 1, "of": "a window"}, {"plan": 2, "of": "inner", "round": 1}, {"plan": 1, "of": "outer", "round": 1}
    twins = [{"context": number, "plan": 1, "of": "a twin"} for number in (1, 2)]
    fences = [span(0, "MPI_Win_fence", (time, time + 5), "mpi", **twins[twin])
              for twin, time in ((0, 400), (1, 410), (1, 450), (0, 490))]
    calls = [("MPI_Win_post", (10, 12)), ("MPI_Win_start", (20, 22)), ("MPI_Win_complete", (80, 85)), ("MPI_Win_wait", (90, 95))]
    events = [*(span(0, name, times, "mpi", what="1", **window) for name, times in calls),
              *both_ends(0, (200, 300), **outer), *both_ends(0, (220, 280), **inner), *fences]
    write(folder, 0, events, 1)
    run(tool, folder)
    titles = titles_in(folder)
    wanted = {"exposure a window 1", "access a window 1", "swap outer 1", "swap inner 2"}
    yield f"draws epochs that are within others: {titles}", wanted <= set(titles)
    yield "in a row of their own", titles.get("access a window 1", 0) > titles.get("exposure a window 1", 1000) and \
        titles.get("swap inner 2", 0) > titles.get("swap outer 1", 1000)
    picture = (folder / "timeline.svg").read_text()
    yield "tells fences of two contexts apart", "fence a twin 1: 90.0 us" in picture and "fence a twin 1: 40.0 us" in picture
    many = [event for n in range(12) for event in both_ends(0, (n, 100 + n), plan=n, of="many", round=1)]
    write(folder, 0, [span(0, "start", (0, 1), plan=0, of="many", round=1), *many], 1)
    text, picture = run(tool, folder)[1], (folder / "timeline.svg").read_text()
    yield "says how many are not drawn", all("4 epochs are not drawn" in words for words in (text, picture))


def right_ends(folder):
    """Where the words of the picture end, at 6.2 pixels a letter, with those words; and its width."""
    root = xml.etree.ElementTree.parse(folder / "timeline.svg").getroot()
    share = {"start": 1, "middle": 0.5, "end": 0}
    return [(float(part.get("x")) + share[part.get("text-anchor")] * 6.2 * len(part.text), part.text)
            for part in root.iter() if part.tag.endswith("text")], float(root.get("width"))


def check_labels(tool, folder):
    """A long time in a narrow picture, with both sentences about what is not in it."""
    many = [event for n in range(12) for event in both_ends(0, (n, 123_456 + n), plan=n, of="many", round=1)]
    write(folder, 0, [span(0, "start", (0, 1), plan=0, of="many", round=1), *many], 70)
    for rank in range(1, 70):
        write(folder, rank, [span(rank, "hlc_barrier", (10, 123_457), "segment", plan=1)], 70)
    for width in (560, 1200):
        run(tool, folder, "--width", str(width))
        ends, most = right_ends(folder)
        beyond = [text for end, text in ends if end > most]
        yield f"{width} pixels hold all words: {beyond}", most == width and not beyond and len(ends) > 70


def check_many(tool, folder):
    """More ranks than the picture has lanes."""
    for rank in range(70):
        write(folder, rank, [span(rank, "hlc_barrier", (10, 20), "segment", plan=1)], 70)
    words = "the first 64 of 70 ranks"
    yield "says on the terminal that ranks are cut", words in run(tool, folder)[1]
    yield "in the picture", words in (folder / "timeline.svg").read_text()
    yield "and in JSON", any(words in line for line in answer_of(tool, folder)["remarks"])
    code, text = run(tool, folder, "--json", "--no-files", "--columns", "20")
    found = json.loads(text) if code == 0 else {"lanes": {}, "remarks": []}
    yield "also with lanes of letters", len(found["lanes"]) == 64 and words in " ".join(found["remarks"])


def check_contexts(tool, folder):
    """Two contexts, whose plans have the same number and no name: each has a late rank of its own."""
    def events(rank, context, start, wait=None):
        about = {"context": context, "plan": 1, "round": 1}
        ends = [span(rank, "put", (start, start + 10), peer=1 - rank, bytes=8, **about), *both_ends(rank, (start, start + 400), **about)]
        return ends + ([span(rank, "wait", wait, "wait", peer=1 - rank, **about)] if wait else [])
    write(folder, 0, events(0, 1, 100, (150, 320)) + events(0, 2, 700))
    write(folder, 1, events(1, 1, 300) + events(1, 2, 600, (620, 720)))
    found = answer_of(tool, folder)
    merged = json.loads((folder / "merged.json").read_text())["traceEvents"]
    arrows = {event["pid"]: event["ts"] for event in merged if event["ph"] == "s"}
    yield f"finds in each context who ended the wait: {arrows} {found['path']['steps']}", arrows == {1: 210.0, 0: 610.0}
    ends = [event["id"] for event in merged if event["ph"] == "b"]
    yield f"gives swaps of two contexts different names: {ends}", len(set(ends)) == len(ends) == 4


def check_calls(tool, folder):
    """A barrier that rank 1 enters last; posts and completes; a lock that rank 1 holds."""
    window = {"plan": 1, "of": "a window"}
    ranks = {0: [span(0, "hlc_barrier", (0, 60), "segment", plan=3), span(0, "wait", (1, 59), "wait", plan=3, peer=2),
                 span(0, "MPI_Win_start", (100, 160), "mpi", what="1", **window), span(0, "wait", (101, 159), "wait"),
                 span(0, "MPI_Win_lock", (200, 250), "mpi", peer=2, **window), span(0, "wait", (201, 250), "wait")],
             1: [span(1, "hlc_barrier", (55, 60), "segment", plan=3), span(1, "MPI_Win_post", (150, 158), "mpi", what="0", **window),
                 span(1, "MPI_Win_lock", (190, 192), "mpi", peer=2, **window),
                 span(1, "MPI_Win_unlock", (240, 249), "mpi", peer=2, **window)],
             2: [span(2, "hlc_barrier", (20, 60), "segment", plan=3), span(2, "wait", (21, 59), "wait", plan=3, peer=0),
                 span(2, "MPI_Win_post", (99, 100), "mpi", what="1", **window)]}
    for rank, events in ranks.items():
        write(folder, rank, events, ranks=3)
    found = answer_of(tool, folder)
    yield "attributes barrier, start and lock to the rank that ended the wait", found["waits_ns"]["0"] == {"1": 58_000 + 58_000 + 49_000}
    yield "and the barrier's last rank also for others", found["waits_ns"]["2"] == {"1": 38_000}


def check_damage(tool, folder):
    code, text = run(tool, folder)
    yield "says that there is nothing", code == 1 and "no files rank-" in text and "Traceback" not in text
    early, late = swap_events(lambda time: time)
    write(folder, 0, early, ranks=3)
    write(folder, 1, late, ranks=3)
    file = folder / "rank-1.json"
    file.write_text(file.read_text().removesuffix("\n]\n") + ',\n{"name":"fini')
    found = answer_of(tool, folder)
    yield "reads what a dead rank has left", found.get("waits_ns", {}).get("0") == {"1": 410_000}
    remarks = " ".join(found.get("remarks", []))
    yield "and says which file ends early, and which is missing", "rank 1: its file ends early" in remarks and "rank 2 of 3" in remarks
    write(folder, 5, early, ranks=8)
    yield "leaves out an earlier run's file", "1 files are left out" in " ".join(answer_of(tool, folder).get("remarks", []))


def main():
    tool, failures, number = sys.argv[1], 0, 0
    for check in (check_swap, check_clocks, check_chains, check_calls, check_contexts, check_epochs, check_labels, check_many,
                  check_damage):
        with tempfile.TemporaryDirectory(prefix="halocline-test-") as folder:
            for name, right in check(tool, pathlib.Path(folder)):
                number += 1
                failures += not right
                print(f"{'passed' if right else 'FAILED'}: it {name}")
    print(f"{number - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures or number == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
