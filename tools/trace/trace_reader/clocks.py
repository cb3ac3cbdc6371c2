"""Puts the times of all ranks on one clock: that of the lowest rank. Ranks of one host read the same clock. A context compares the clocks
of its hosts with that of its rank 0, so a clock may be known by several comparisons, from host to host.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import dataclasses


def agree(samples, best):
    """Whether one offset is within the errors of all samples: half of their round trips."""
    return all(abs(sample["offset_ns"] - best["offset_ns"]) <= (sample["round_trip_ns"] + best["round_trip_ns"]) / 2 for sample in samples)


def fit(samples):
    """A time, the offset then, and the drift. Where the samples show none, that is the quickest sample; else a line, on which those count
    more that were quick."""
    best = min(samples, key=lambda sample: sample["round_trip_ns"])
    if agree(samples, best):
        return best["at_ns"], best["offset_ns"], 0.0
    weights = [1 / max(1, sample["round_trip_ns"]) ** 2 for sample in samples]
    first, lowest, total = samples[0]["at_ns"], best["offset_ns"], sum(weights)
    mean_at = sum(weight * (sample["at_ns"] - first) for weight, sample in zip(weights, samples)) / total
    mean = sum(weight * (sample["offset_ns"] - lowest) for weight, sample in zip(weights, samples)) / total
    points = [(weight, sample["at_ns"] - first - mean_at, sample["offset_ns"] - lowest - mean) for weight, sample in zip(weights, samples)]
    return first + mean_at, lowest + mean, sum(w * x * y for w, x, y in points) / sum(w * x * x for w, x, _ in points)


@dataclasses.dataclass
class Line:
    """What takes times of a clock to the reference: at a time `at`, of the former, the offset, and the drift. `error`: of the offset, at
    most. `through`: the clocks with which it was compared instead, in between."""
    at: float
    offset: float
    drift: float
    error: float
    through: tuple = ()

    def __call__(self, time):
        return round(time + self.offset + self.drift * (time - self.at))

    def then(self, other, clock):
        """This one, to a clock, and from there the other."""
        between = self.at + self.offset
        offset = self.offset + other.offset + other.drift * (between - other.at)
        return Line(self.at, offset, (1 + self.drift) * (1 + other.drift) - 1, self.error + other.error, (clock, *other.through))


def line_of(samples):
    at, offset, drift = fit(samples)
    return Line(at, offset, drift, (max if drift else min)(sample["round_trip_ns"] for sample in samples) / 2)


def seen_from_there(sample):
    """The same sample, of the other clock."""
    return {**sample, "at_ns": sample["at_ns"] + sample["offset_ns"], "offset_ns": -sample["offset_ns"]}


def comparisons(traces):
    """By two clocks: the line from the first to the second."""
    samples = collections.defaultdict(list)
    for trace in traces.values():
        for sample in trace.samples:
            samples[trace.clock, sample["reference_clock"]].append(sample)
            samples[sample["reference_clock"], trace.clock].append(seen_from_there(sample))
    return {pair: line_of(some) for pair, some in samples.items()}


def lines_to(reference, traces):
    """By clock: its line to the reference, over as few comparisons as possible, and of these the most precise ones."""
    compared, found, last = comparisons(traces), {reference: Line(0, 0, 0, 0)}, [reference]
    while last:
        further = {}
        for (clock, to), line in compared.items():
            if to in last and clock not in found:
                whole = line if to == reference else line.then(found[to], to)
                further[clock] = min(further.get(clock, whole), whole, key=lambda line: line.error)
        found |= further
        last = list(further)
    return found


def corrections(traces):
    """By clock: the function that takes its times to the reference, and sentences about what is not known."""
    reference = traces[min(traces)].clock
    found, said = lines_to(reference, traces), []
    names = {clock: name_of([trace for trace in traces.values() if trace.clock == clock]) for clock in {t.clock for t in traces.values()}}
    for clock in sorted(set(names) - {reference}):
        if clock not in found:
            said.append(f"the clock of {names[clock]} was never compared with that of rank {min(traces)}: its times are as they are")
            continue
        line = found[clock]
        through = "".join(f", compared through the clock of {names.get(between, 'another host')}" for between in line.through)
        said.append(f"the clock of {names[clock]} is {line.offset / 1000:+.1f} us off, within {line.error / 1000:.1f} us; it drifts by "
                    f"{line.drift * 1e6:+.2f} us per s{through}")
    return found, said


def name_of(ranks):
    return f"host {ranks[0].host} (ranks {', '.join(str(trace.rank) for trace in ranks)})"


def align(traces):
    """Corrects the times of all events. Returns sentences about the clocks."""
    found, said = corrections(traces)
    for trace in traces.values():
        correct = found.get(trace.clock)
        if correct is None:
            continue
        for event in trace.events:
            duration = event.duration
            event.begin = correct(event.begin)
            event.end = event.begin + duration
    return said
