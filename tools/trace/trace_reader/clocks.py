"""Puts the times of all ranks on one clock: that of the lowest rank. Ranks of one host read the same clock.

SPDX-License-Identifier: BSD-3-Clause
"""


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


def corrections(traces):
    """By clock: the function that takes its times to the reference, and sentences about what is not known."""
    reference = traces[min(traces)].clock
    found, said = {reference: lambda time: time}, []
    for clock in sorted({trace.clock for trace in traces.values()} - {reference}):
        ranks = [trace for trace in traces.values() if trace.clock == clock]
        samples = [sample for trace in ranks for sample in trace.samples if sample["reference_clock"] == reference]
        names = f"host {ranks[0].host} (ranks {', '.join(str(trace.rank) for trace in ranks)})"
        if not samples:
            said.append(f"the clock of {names} was never compared with that of rank {min(traces)}: its times are as they are")
            found[clock] = lambda time: time
            continue
        at, offset, drift = fit(samples)
        found[clock] = lambda time, at=at, offset=offset, drift=drift: round(time + offset + drift * (time - at))
        error = (max if drift else min)(sample["round_trip_ns"] for sample in samples) / 2000
        said.append(f"the clock of {names} is {offset / 1000:+.1f} us off, within {error:.1f} us; it drifts by {drift * 1e6:+.2f} us per s")
    return found, said


def align(traces):
    """Corrects the times of all events. Returns sentences about the clocks."""
    found, said = corrections(traces)
    for trace in traces.values():
        correct = found[trace.clock]
        for event in trace.events:
            duration = event.duration
            event.begin = correct(event.begin)
            event.end = event.begin + duration
    return said
