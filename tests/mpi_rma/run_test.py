#!/usr/bin/env python3
"""Checks halocline-run, and what the drop-in does in programs that it does not fit.

Usage: run_test.py RUN DROP_IN PROGRAM SESSION LATE [ABI_DROP_IN ABI_PROGRAM] -- LAUNCHER [FLAG...]

PROGRAM and ABI_PROGRAM are random RMA programs for the build's MPI and for the MPI-5 ABI; SESSION has no MPI_Init, and LATE
makes a window in MPI_Finalize. The drop-ins are those that RUN finds. Other programs are
made here with the C compiler: of another MPI, with MPI inside, static. Prints a line per case and the totals.

SPDX-License-Identifier: BSD-3-Clause
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

QUICK = ["--seed=3", "--flavor=0", "--sync=3", "--delay-us=0"]


class Skipped(Exception):
    """What the case needs is not here."""


class Bench:
    """The programs of a run, and a folder for those that are made."""

    def __init__(self, folder, words, launcher):
        self.folder, self.launcher = pathlib.Path(folder), launcher
        self.run, self.drop_in, self.program, self.session, self.late, *abi = words
        self.abi_drop_in, self.abi_program = abi or (None, None)
        needed = subprocess.run(["readelf", "-d", self.drop_in], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.own = re.search(r"\[(libmpi(?:ch)?\.so\.\d+)\]", needed).group(1)
        self.other = "libmpi.so.12" if self.own == "libmpi.so.40" else "libmpi.so.40"
        # MPICH by a name that the drop-in does not need.
        self.renamed = "libmpi_gnu_123.so.12" if self.own == "libmpich.so.12" else "libmpich.so.12"

    def call(self, *command, preload=None, **environment):
        """Status, and all output."""
        full = {**os.environ, **environment}
        if preload:
            full["LD_PRELOAD"] = str(preload)
        done = subprocess.run(
            [str(word) for word in command], env=full, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100, check=False
        )
        return done.returncode, done.stdout

    def need_abi(self):
        if not self.abi_drop_in:
            raise Skipped("this build has no drop-in for the MPI-5 ABI")

    def compile(self, name, source, *flags):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            raise Skipped("no C compiler")
        file = self.folder / f"{name}.c"
        file.write_text(source)
        made = self.folder / name
        if self.call(compiler, "-o", made, file, *flags)[0]:
            raise Skipped(f"the C compiler does not make a program with {' '.join(map(str, flags))}")
        return made

    def write(self, name, text):
        file = self.folder / name
        file.write_text(text)
        file.chmod(0o755)
        return file

    def program_of_other_mpi(self, name=None):
        name = name or self.other
        library = self.compile(name, "int MPI_Init(int *c, char ***v) { return !c + !v; }\n", "-shared", "-fPIC", f"-Wl,-soname,{name}")
        return library, self.compile(
            "other",
            "int MPI_Init(int *, char ***);\nint main(int c, char **v) { return MPI_Init(&c, &v); }\n",
            library,
            f"-Wl,-rpath,{self.folder}",
        )


def says(answer, status, *patterns):
    """What is wrong with the answer; None if it has the status and a match of every pattern."""
    missing = [pattern for pattern in patterns if not re.search(pattern, answer[1])]
    return None if answer[0] == status and not missing else f"status {answer[0]}, expected {status}; no '{missing}' in: {answer[1]}"


def all_right(answer, ranks):
    carried = len(re.findall(r"windows carried: \d+ by MPI_Win_allocate; left to the host MPI: none", answer[1]))
    wrong = says(answer, 0, r"\b0 wrong values")
    return wrong or (None if carried == ranks else f"{carried} of {ranks} ranks say that the windows were carried: {answer[1]}")


def runs_in_each_rank(bench):
    """a launcher starts halocline-run in each rank"""
    return all_right(bench.call(*bench.launcher, "-n", 2, bench.run, "--mpi", "--strict", "--info", bench.program, *QUICK), 2)


def starts_the_launcher(bench):
    """halocline-run starts the launcher, with its flags"""
    launcher = ["--launcher", " ".join(bench.launcher)]
    return all_right(bench.call(bench.run, "--mpi", "-n", 2, *launcher, "--strict", "--info", bench.program, *QUICK), 2)


def runs_the_mpi_5_abi(bench):
    """a program of the MPI-5 ABI gets the library for that"""
    bench.need_abi()
    shown = bench.call(bench.run, "--mpi", "--show", bench.abi_program)
    return says(shown, 0, r"libhalocline_mpi_abi\.so ") or all_right(
        bench.call(*bench.launcher, "-n", 2, bench.run, "--mpi", "--strict", "--info", bench.abi_program, *QUICK), 2
    )


def tells_what_falls_back(bench):
    """windows that the engine does not carry are counted with their reason, or are errors with it"""
    informed = bench.call(*bench.launcher, "-n", 1, bench.run, "--mpi", "--info", bench.session)
    if "skipped:" in informed[1]:
        raise Skipped("this MPI has no sessions")
    wrong = says(
        informed,
        0,
        r"windows carried: none; left to the host MPI: \d+ by MPI_Win_create \(the program uses MPI sessions without MPI_Init",
    )
    strict = bench.call(*bench.launcher, "-n", 1, bench.run, "--mpi", "--strict", bench.session)
    if not wrong and (strict[0] == 0 or not re.search("HALOCLINE_MPI_STRICT=1.*sessions", strict[1])):
        wrong = f"status {strict[0]}: {strict[1]}"
    return wrong


def names_wrong_variables(bench):
    """a variable with a wrong value is named once, though the program runs by the host MPI"""
    for name, words in ({"CHECK": "0 or 1", "MPI_STRICT": "0 or 1", "LOG": "info", "MPI_LOCK": "mcs"}).items():
        answer = bench.call(*bench.launcher, "-n", 2, bench.run, "--mpi", bench.program, *QUICK, **{f"HALOCLINE_{name}": "yes"})
        line = f"the host MPI carries all windows: .*HALOCLINE_{name} is 'yes' but must be {words}\n"
        # The program runs to its end, with status 1 if values are wrong: in Open MPI 5.0.11's own windows some are.
        allowed = answer[0] if bench.own == "libmpi.so.40" and answer[0] == 1 else 0
        wrong = says(answer, allowed, line, r"\b\d+ wrong values")
        if wrong or len(re.findall(line, answer[1])) > 1:
            return wrong or answer[1]
    return None


def counts_windows_of_the_end(bench):
    """windows that are made in MPI_Finalize are in the one summary of each rank"""
    answer = bench.call(*bench.launcher, "-n", 2, bench.run, "--mpi", "--strict", "--info", bench.late)
    wrong = says(answer, 0, *(rf"rank {rank}: windows carried: 2 by MPI_Win_allocate; left to the host MPI: none" for rank in (0, 1)))
    return wrong or (None if answer[1].count("windows carried:") == 2 else answer[1])


def finds_the_launcher(bench):
    """without a launcher it takes the mpiexec of the program's MPI"""
    return says(
        bench.call(bench.run, "--mpi", "-n", 3, "--show", bench.program, "--seed=1"),
        0,
        r"^/.*mpiexec\S*( --oversubscribe)?( --allow-run-as-root)?( -x HALOCLINE_\w+)* "
        rf"-n 3 \S*halocline-run --mpi {re.escape(bench.program)} --seed=1\n$",
    )


def starts_open_mpi_as_root_and_with_more_ranks_than_cores(bench):
    """the mpiexec of Open MPI gets the flags without which it refuses to start"""
    name = "libmpi.so.40"
    library, program = bench.program_of_other_mpi(name)
    drop_in = bench.compile("drop_in.so", "int MPI_Init(int *, char ***);\nint i(void) { return MPI_Init(0, 0); }\n", "-shared", "-fPIC",
                            library, f"-Wl,-rpath,{bench.folder}")
    # As /bin is: Open MPI takes the folder above for its prefix, which must not be "/".
    (bench.folder / "usr" / "bin").mkdir(parents=True)
    (bench.folder / "bin").symlink_to("usr/bin")
    mpiexec = bench.write("usr/bin/mpiexec.openmpi", "#!/bin/sh\n")
    root = " --allow-run-as-root" if os.geteuid() == 0 else ""
    words = [bench.run, "--mpi", "-n", 64, "--library", drop_in, "--show", program]
    flags = rf"--oversubscribe{root}( -x HALOCLINE_\w+)* -n 64 "
    return says(bench.call(*words, HALOCLINE_LOG="info", MPIEXEC=""), 0, f"^{mpiexec} {flags}", " -x HALOCLINE_LOG ") or says(
        bench.call(*words, MPIEXEC="/a/launcher"), 0, f"^/a/launcher {flags}")


def only_ranks_are_preloaded(bench):
    """the launcher has no LD_PRELOAD, the ranks have"""
    launcher = bench.write("launcher.sh", '#!/bin/sh\necho "launcher: ${LD_PRELOAD:-nothing}, $1 $2 $3"\nshift 3\nexec "$@"\n')
    script = bench.write("rank.sh", '#!/bin/sh\necho "rank: $LD_PRELOAD, $1"\nexit 3\n')
    name = "openmpi" if bench.own == "libmpi.so.40" else "mpich"
    return says(
        bench.call(bench.run, "--mpi", "-n", 1, "--launcher", f"{launcher} -x", "--abi", name, script, "a b"),
        3,
        "launcher: nothing, -x -n 1",
        r"rank: \S*libhalocline_mpi\.so, a b",
    )


def takes_a_library_of_another_build(bench):
    """a library that is named, which need not be executable"""
    library = pathlib.Path(shutil.copy(bench.drop_in, bench.folder / "libhalocline_mpi.so"))
    library.chmod(0o644)
    shown = bench.call(bench.run, "--mpi", "--library", library, "--show", bench.program)
    return says(shown, 0, f"LD_PRELOAD={library} {re.escape(bench.program)}\n$")


def refuses_a_folder_that_cannot_be_preloaded(bench):
    """a drop-in below a folder with a space or a colon, which LD_PRELOAD cannot name, and by a link to it"""
    for name in ("a folder", "a:folder"):
        folder = bench.folder / name
        folder.mkdir()
        library = pathlib.Path(shutil.copy(bench.drop_in, folder / "libhalocline_mpi.so"))
        (bench.folder / "link").unlink(missing_ok=True)
        (bench.folder / "link").symlink_to(folder)
        wrong = says(bench.call(bench.run, "--mpi", "--library", library, bench.program, *QUICK), 2,
                     f"^halocline-run: LD_PRELOAD cannot name '{library}'.*ln -s '{folder}'") or says(
            bench.call(bench.run, "--mpi", "--library", bench.folder / "link" / library.name, "--show", bench.program), 0, "^LD_PRELOAD=")
        if wrong:
            return wrong
    return None


def keeps_what_is_preloaded(bench):
    """a tool that is preloaded stays before the drop-in"""
    tool = bench.compile("tool.so", "int of_a_tool;\n", "-shared", "-fPIC")
    return says(bench.call(bench.run, "--mpi", "--show", bench.program, preload=tool), 0, rf"LD_PRELOAD={tool}:\S*libhalocline_mpi\.so ")


def refuses_another_mpi(bench):
    """a program of an MPI for which there is no drop-in"""
    _, program = bench.program_of_other_mpi()
    wrong = says(bench.call(bench.run, "--mpi", program), 2, re.escape(bench.other), re.escape(bench.own), "no drop-in here is for that")
    _, renamed = bench.program_of_other_mpi(bench.renamed)
    named = rf"MPICH and Intel MPI \({bench.renamed}\), and no drop-in here is for that"
    return wrong or says(bench.call(bench.run, "--mpi", renamed), 2, named, re.escape(bench.own))


def refuses_a_missing_mpi(bench):
    """a program whose MPI is not found"""
    library, program = bench.program_of_other_mpi()
    library.unlink()
    found = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True).stdout
    if f"{bench.other} => not found" not in found:
        raise Skipped(f"the loader of this machine finds a {bench.other}")
    return says(bench.call(bench.run, "--mpi", program), 2, f"needs {bench.other}, which the loader does not find")


def refuses_what_is_no_mpi_program(bench):
    """files that are missing, scripts, broken, or have no MPI"""
    plain = bench.write("plain", "text\n")
    plain.chmod(0o644)
    cases = [
        ("./missing", "no such program: ./missing"),
        ("no_such_command", "no such program: no_such_command"),
        (bench.write("job.sh", "#!/bin/sh\n"), "is a script"),
        (bench.write("broken", "\x7fELF no more"), "is not a program for this machine"),
        (plain, "is not readable and executable"),
        (bench.folder, "is not readable and executable"),
        ("ls", "uses no shared library of MPI"),
    ]
    wrong = [says(bench.call(bench.run, "--mpi", program), 2, reason) for program, reason in cases]
    return "\n".join(filter(None, wrong)) or None


def refuses_an_mpi_inside(bench):
    """a program that MPI is linked into"""
    program = bench.compile(
        "inside", "int MPI_Init(int *c, char ***v) { return !c + !v; }\nint main(int c, char **v) { return MPI_Init(&c, &v); }\n"
    )
    return says(bench.call(bench.run, "--mpi", program), 2, "has MPI linked into it statically")


def refuses_a_static_program(bench):
    """a program that is linked statically"""
    return says(
        bench.call(bench.run, "--mpi", bench.compile("static", "int main(void) { return 0; }\n", "-static")), 2, "is linked statically"
    )


def refuses_wrong_options(bench):
    """options that are missing, unknown, or wrong for the program"""
    other = "mpich" if bench.own == "libmpi.so.40" else "openmpi"
    cases = [
        ([bench.program], "give --mpi"),
        (["--mpi"], "give the program"),
        (["--mpi", "--no-such-option", "ls"], "unknown option --no-such-option"),
        (["--mpi", "-n", "0", bench.program], "-n"),
        (["--mpi", "--abi", "cray", "ls"], "--abi"),
        (["--mpi", "--abi", other, bench.program], f"uses .*{bench.own}.* but --abi is .*{bench.other}"),
        (["--mpi", "--library", bench.run, bench.program], "is not a drop-in"),
    ]
    wrong = [says(bench.call(bench.run, *words), 2, reason) for words, reason in cases]
    return "\n".join(filter(None, wrong)) or says(bench.call(bench.run, "--help"), 0, "--launcher", "--abi")


def stops_in_another_mpi(bench):
    """preloaded into a program of another MPI, the drop-in names both and ends it"""
    for name in (bench.other, bench.renamed, "libmpi_cray.so.12"):
        _, program = bench.program_of_other_mpi(name)
        ended = bench.call(program, preload=bench.drop_in)
        wrong = says(ended, 2, rf"^halocline: {program} .*{re.escape(name)}.*{bench.own}.*halocline-run --mpi other\n$")
        if wrong:
            return wrong
    return None


def stops_in_another_abi(bench):
    """each drop-in in the program of the other"""
    bench.need_abi()
    cases = [
        (bench.program, bench.abi_drop_in, rf"{bench.own}.*libmpi_abi\.so\.1"),
        (bench.abi_program, bench.drop_in, rf"libmpi_abi\.so\.1.*{bench.own}"),
    ]
    wrong = [says(bench.call(program, *QUICK, preload=library), 2, rf"^halocline: .*{names}.*\n$") for program, library, names in cases]
    return "\n".join(filter(None, wrong)) or None


def stops_in_init(bench):
    """a program that loads another MPI while it runs"""
    library, _ = bench.program_of_other_mpi()
    late = bench.compile(
        "late.so",
        "int MPI_Init(int *, char ***);\nint late(void) { return MPI_Init(0, 0); }\n",
        "-shared",
        "-fPIC",
        library,
        f"-Wl,-rpath,{bench.folder}",
    )
    code = f"import ctypes; library = ctypes.CDLL('{late}'); print('loaded', flush=True); library.late()"
    return says(bench.call(sys.executable, "-c", code, preload=bench.drop_in), 2, rf"^loaded\nhalocline: .*{bench.other}.*{bench.own}.*\n$")


def is_silent_elsewhere(bench):
    """preloaded into programs without MPI, into a shell and into the launcher"""
    drop_ins = [path for path in (bench.drop_in, bench.abi_drop_in) if path]
    wrong = [says(bench.call("env", "sh", "-c", "echo $((6 * 7)); true | cat", preload=library), 0, r"^42\n$") for library in drop_ins]
    launched = bench.call(*bench.launcher, "-n", 2, bench.program, *QUICK, preload=bench.drop_in, HALOCLINE_MPI_STRICT="1")
    # mpiexec passes its own environment to the ranks.
    return (
        "\n".join(filter(None, wrong))
        or says(launched, 0, r"\b0 wrong values")
        or (None if "halocline:" not in launched[1] else launched[1])
    )


CASES = [
    runs_in_each_rank,
    starts_the_launcher,
    runs_the_mpi_5_abi,
    tells_what_falls_back,
    names_wrong_variables,
    counts_windows_of_the_end,
    finds_the_launcher,
    starts_open_mpi_as_root_and_with_more_ranks_than_cores,
    only_ranks_are_preloaded,
    takes_a_library_of_another_build,
    refuses_a_folder_that_cannot_be_preloaded,
    keeps_what_is_preloaded,
    refuses_another_mpi,
    refuses_a_missing_mpi,
    refuses_what_is_no_mpi_program,
    refuses_an_mpi_inside,
    refuses_a_static_program,
    refuses_wrong_options,
    stops_in_another_mpi,
    stops_in_another_abi,
    stops_in_init,
    is_silent_elsewhere,
]


def main():
    divider = sys.argv.index("--")
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix="halocline-run-test-") as folder:
            try:
                wrong = case(Bench(folder, sys.argv[1:divider], sys.argv[divider + 1 :]))
                outcome = "failed" if wrong else "passed"
            except Skipped as reason:
                wrong, outcome = str(reason), "skipped"
        counts[outcome] += 1
        print(f"{outcome}: {case.__doc__}" + (f"\n    {wrong}" if wrong else ""), flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
