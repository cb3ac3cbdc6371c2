"""The advice on one screen, and as a page for a browser.

SPDX-License-Identifier: BSD-3-Clause
"""
import textwrap

from halocline.command import page
from halocline.command.advice import replaying
from halocline.command.advice.conclusion import Advice, Conclusion, is_unanswered, title_of
from halocline.command.words import bytes_of, counted, mpi_of, spread_of, time_of

WIDTH = 120


def seconds(value: float) -> str:
    return time_of(1e6 * value)


def shown(name: str, time: replaying.Time) -> str:
    """A contender. Mode auto is named with the mode that it has chosen."""
    return "as recorded" if name == "recorded" else f"{name} ({time.mode})" if time.mode else name


def share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole > 0 else "–"


def about(said: Conclusion) -> str:
    host = said.hosts[0] if len(said.hosts) == 1 else f"{len(said.hosts)} hosts"
    return f"{said.program} on {counted(said.ranks, 'rank')} of {host}, {mpi_of(said.library)}: {how_long(said)}"


def how_long(said: Conclusion) -> str:
    until = "MPI_Finalize, or the last call of a rank that did not reach it" if said.unfinished else "MPI_Finalize"
    own = f"{seconds(said.seconds)} from MPI_Init to {until}"
    if said.threads == 1:
        return own
    return f"{own}; shares are of {seconds(said.whole)} of all threads that called MPI, up to {said.threads} per rank"


def what(one: Advice) -> str:
    low, high = one.partners
    partners = f"{low} to {high} partners" if high > low else counted(high, "partner")
    return f"{one.kind}, {counted(one.ranks, 'rank')} with {partners}, {bytes_of(one.bytes)} sent per rank and step"


def cost(one: Advice, whole: float) -> str:
    late = f", of it {time_of(one.late_us)} for late ranks" if one.late_us > 0.01 * one.cost_us else ""
    return (f"{one.steps:,} steps, one every {time_of(one.period_us)}; {time_of(one.cost_us)} per step in MPI{late}; "
            f"{seconds(one.seconds)}, {share(one.seconds, whole)} of the run")


def replayed(one: Advice) -> list[str]:
    """The contenders, the fastest first."""
    if one.replay is None:
        return [one.why_not]
    times = sorted(one.replay.times.items(), key=lambda item: item[1].median)
    return [f"{shown(name, time)} {time_of(time.median)} ({spread_of(time.low, time.high)})" for name, time in times]


def left_out(one: Advice) -> list[str]:
    """Modes that could not run again, with the reason."""
    reasons: dict[str, list[str]] = {}
    for name, reason in one.replay.without.items() if one.replay else ():
        reasons.setdefault(reason, []).append(name)
    return [f"without {' and '.join(names)}: {reason}" for reason, names in reasons.items()]


def winner(replay: replaying.Replay) -> str:
    """The fastest mode, with those that are not told apart from it."""
    others = f" ({' and '.join(replay.equals)} within its spread)" if replay.equals else ""
    return f"Mode {replay.best}{others}"


def saving(one: Advice, whole: float) -> str:
    if one.replay is None:
        return ""
    if one.replay.is_noisy:
        return "No saving is named: times of the same exchange spread by more than their median."
    middle, low, high = one.saved
    if middle <= 0 and one.replay.saving.median > 0:
        return "There is nothing to save: in the program this exchange only waits for late ranks."
    if middle <= 0:
        return "No mode is faster than the program's own messages."
    most, why = ("at most ", ", all that it costs without late ranks") if one.at_limit else ("", "")
    ends = share(max(0.0, low), whole), share(high, whole)
    spread = f" ({ends[0]} to {ends[1]})" if ends[0] != ends[1] else ""
    return (f"{winner(one.replay)} would save {most}{time_of(1e6 * middle / max(1, one.steps))} per step, {seconds(middle)} of the run: "
            f"{share(middle, whole)}{spread}{why}")


def screen(said: Conclusion) -> list[str]:
    width = max(len(name) for name, _, _ in said.parts)
    lines = ["", about(said), ""]
    for name, value, remark in said.parts:
        lines.append(f"  {name:<{width}}  {seconds(value):>9}  {share(value, said.whole):>7}{'   ' + remark if remark else ''}")
    for number, one in enumerate(said.advice, start=1):
        lines += ["", f"{number}. {what(one)}", f"   {cost(one, said.whole)}", f"   lines: {', '.join(one.places)}"]
        lines += textwrap.wrap("again: " + "; ".join(replayed(one)), WIDTH, initial_indent="   ", subsequent_indent="          ",
                               break_on_hyphens=False)
        for words in left_out(one):
            lines += textwrap.wrap(words, WIDTH, initial_indent="   ", subsequent_indent="          ", break_on_hyphens=False)
        if saving(one, said.whole):
            lines.append(f"   {saving(one, said.whole)}")
        if one.replay is None or one.saved[0] > 0:
            lines += [f"   change: {one.link}", *(f"     {line}" for line in one.change)]
    return [*lines, "", *filter(None, [said.headline, said.windows]), *(f"Note: {note}" for note in said.notes)]


def section(number: int, one: Advice, whole: float) -> str:
    parts = [page.paragraph(cost(one, whole)), page.paragraph("Lines: " + ", ".join(one.places))]
    if one.replay:
        times = sorted(one.replay.times.items(), key=lambda item: item[1].median)
        recorded = one.replay.recorded.median
        rows = [[shown(name, time), time_of(time.median), spread_of(time.low, time.high), f"{recorded / time.median:.2f}×"]
                for name, time in times]
        fastest = None if one.replay.is_noisy else [name for name, _ in times].index(one.replay.best)
        heads = ["mode", "median", "p10 – p90", "against recorded"]
        parts += [page.table(heads, rows, (1, 2, 3), fastest), *map(page.paragraph, left_out(one)), page.paragraph(saving(one, whole))]
    else:
        parts.append(page.paragraph(one.why_not))
    parts.append(page.paragraph(f"The change: {one.link}") + f"<pre>{page.text(chr(10).join(one.change))}</pre>")
    return page.section(f"{number}. {what(one)}", *parts)


def page_of(said: Conclusion) -> str:
    """The whole page."""
    header = f"<h1>{page.text(title_of(said))}</h1>" + page.paragraph(about(said))
    if is_unanswered(said):
        header += page.paragraph(said.headline)
    rows = [[name, seconds(value), share(value, said.whole), remark] for name, value, remark in said.parts]
    about_time = page.table(["part", "mean rank", "share", ""], rows, (1, 2))
    sections = [page.section("Where the time goes", about_time, page.paragraph(said.windows)),
                *(section(number, one, said.whole) for number, one in enumerate(said.advice, start=1)),
                page.section("Notes", page.listing(said.notes))]
    footer = page.paragraph("Each exchange ran again in the shape of the recorded job, and in these modes in turn. Times "
                            "are those of the slowest rank, with packing. halocline advise makes this page again.")
    return page.page(f"Advice for {said.program}", header, sections, footer)
