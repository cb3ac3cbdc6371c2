"""Tests of how programs are found and started, with made-up launchers.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest
from halocline.command import native
from halocline.command.status import Exit, Failure
from results import ROOT, call

INSTALLED = {"halocline-bench", "halocline-doctor", "halocline-info", "halocline-replay", "halocline-run", "halocline-simulate",
             "halocline-trace"}
VERSIONS = {"mpich": "HYDRA build details:\n    Version: 5.0.2", "openmpi": "mpiexec (Open MPI) 5.0.11",
            "intel": "Intel(R) MPI Library for Linux* OS, Version 2021.18"}


def made_up(path, body):
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.fixture(name="launchers")
def made_up_launchers(tmp_path, monkeypatch):
    """choose(family): from now on that MPI's mpiexec is used. It prints its arguments, or its version."""
    program = made_up(tmp_path / "model", "exit 7")

    def choose(family):
        answer = f'[ "$1" = --version ] && echo "{VERSIONS[family]}" && exit 0'
        mpiexec = made_up(tmp_path / f"mpiexec-{family}", answer + '\nprintf "%s " "$@"\nexit 5')
        monkeypatch.setenv("MPIEXEC", str(mpiexec))
        for name in [name for name in os.environ if name.startswith("HALOCLINE_")]:
            monkeypatch.delenv(name)
        return program
    return choose


def shown(capsys, *words):
    status, said, errors = call(capsys, "run", "--show", *words)
    assert status == 0, errors
    return shlex.split(said)


HOSTS = {"mpich": ["-hosts", "a,b"], "intel": ["-hosts", "a,b"], "openmpi": ["--host", "a:2,b:2"]}


@pytest.mark.parametrize(("family", "flags"), HOSTS.items())
def test_hosts_are_named_as_each_launcher_wants_it(capsys, launchers, family, flags):
    program = launchers(family)
    words = shown(capsys, "-n", 4, "--hosts", "a,b", program, "in.nml", "-n", "9")
    assert flags == words[words.index(flags[0]):][:2]
    assert words[-6:] == ["-n", "4", str(program), "in.nml", "-n", "9"]
    assert ("--oversubscribe" in words) == (family == "openmpi")


def test_open_mpi_gets_the_names_of_variables_to_hand_on(capsys, launchers):
    program = launchers("openmpi")
    words = shown(capsys, "--mode", "notify", "--check", program)
    assert words[:2] == ["HALOCLINE_MODE=notify", "HALOCLINE_CHECK=1"]
    assert [words[i + 1] for i, word in enumerate(words) if word == "-x"] == ["HALOCLINE_CHECK", "HALOCLINE_MODE"]


def test_open_mpi_gets_the_names_of_what_one_run_adds_too(launchers):
    words = native.command(launchers("openmpi"), 2, hosts=["a", "b"], environment={"HALOCLINE_TRACE": "traces", "TMPDIR": "/x"})
    assert [words[i + 1] for i, word in enumerate(words) if word == "-x"] == ["HALOCLINE_TRACE"]


def start(*words, **more):
    """The command in a process of its own, which it leaves to the launcher."""
    command = [sys.executable, "-B", "-m", "halocline.command", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **more,
                            env={**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python" / "src")})


def started(*words):
    """Exit code, standard output and standard error of the command in a process of its own."""
    with start(*words) as process:
        out, errors = process.communicate(timeout=60)
    return process.returncode, out, errors


def test_it_ends_with_the_exit_code_of_the_launcher(launchers):
    assert started("run", launchers("mpich"))[0] == 5


def lives(pid):
    """Whether a process is there and has not ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(what):
    """Its value, as soon as that is true; fails after a while."""
    until = time.monotonic() + 30
    while not what():
        assert time.monotonic() < until
        time.sleep(0.02)
    return what()


# A launcher with a rank, which says who they are. On SIGTERM, or SIGINT, it takes half a second to end its rank, as that of MPICH does.
LAUNCHER = """[ "$1" = --version ] && exit 0
sh -c 'trap "" INT; while :; do sleep 0.05; done' & rank=$!
trap 'sleep 0.5; kill -9 $rank; exit 9' TERM INT
echo $$ $rank >who.new; mv who.new who
wait"""


@pytest.mark.parametrize(("number", "of_all"), [(signal.SIGTERM, False), (signal.SIGINT, True)])
def test_a_signal_reaches_the_launcher_which_ends_its_ranks(launchers, monkeypatch, tmp_path, number, of_all):
    program = launchers("mpich")
    monkeypatch.setenv("MPIEXEC", str(made_up(tmp_path / "mpiexec", LAUNCHER)))
    with start("run", program, cwd=tmp_path) as process:
        _, rank = map(int, wait_for((tmp_path / "who").exists) and (tmp_path / "who").read_text().split())
        # A terminal sends SIGINT to all processes of the command, a batch system SIGTERM to one.
        os.killpg(process.pid, number) if of_all else process.send_signal(number)
        assert process.wait(30) == 9
    assert not lives(rank)


def test_the_signal_that_ends_a_launcher_is_seen_outside(launchers, monkeypatch, tmp_path):
    program = launchers("mpich")
    monkeypatch.setenv("MPIEXEC", str(made_up(tmp_path / "mpiexec", 'kill -SEGV $$')))
    with start("run", program) as process:
        assert process.wait(30) == -signal.SIGSEGV  # a shell calls it 139
    assert native.capture(["sh", "-c", "kill -SEGV $$"], 30).returncode == 128 + signal.SIGSEGV


def test_what_takes_too_long_is_ended_with_its_ranks(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Failure, match="no end within 2 s"):
        native.capture([str(made_up(tmp_path / "mpiexec", LAUNCHER))], 2)
    assert not any(map(lives, (tmp_path / "who").read_text().split()))


def test_a_command_that_is_ended_while_it_captures_leaves_nothing(tmp_path):
    made_up(tmp_path / "mpiexec", LAUNCHER)
    lines = "import pathlib\nfrom halocline.command import native\nnative.capture([str(pathlib.Path('mpiexec').absolute())], 60)"
    with subprocess.Popen([sys.executable, "-B", "-c", lines], cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python" / "src")}) as process:
        wait_for((tmp_path / "who").exists)
        process.terminate()
        assert process.wait(30) == 128 + signal.SIGTERM
    assert not any(map(lives, (tmp_path / "who").read_text().split()))


def test_a_launcher_of_the_users_replaces_the_found_one(capsys, launchers):
    program = launchers("mpich")
    assert shown(capsys, "--launcher", "srun --mpi=pmix", "-n", 3, program) == ["srun", "--mpi=pmix", "-n", "3", str(program)]


@pytest.mark.parametrize(("words", "named"), [
    (("--launcher", 'srun "x'), "a quote or a backslash has no end"), (("--launcher", " "), "--launcher names no command"),
    (("--abi", "mpich"), "--abi needs --mpi"), (("--build", "/nonexistent"), "--build needs --mpi")])
def test_options_that_cannot_be_followed_are_refused(capsys, launchers, words, named):
    status, said, errors = call(capsys, "run", *words, "--show", launchers("mpich"))
    assert status == Exit.USAGE and said == "" and named in errors


def test_a_program_of_this_folder_without_its_path_is_named(capsys, launchers, monkeypatch, tmp_path):
    monkeypatch.chdir(launchers("mpich").parent)
    status, _, said = call(capsys, "run", "model")
    assert status == Exit.USAGE and said.endswith("write ./model\n")


def test_a_drop_in_is_loaded_in_the_ranks_alone(capsys, launchers, monkeypatch, tmp_path):
    program = launchers("mpich")
    helper = made_up(tmp_path / "halocline-run", "exit 0")
    monkeypatch.setattr(native, "folders", lambda build: [tmp_path])
    assert shown(capsys, "--mpi", "--abi", "mpich", program)[3:] == [str(helper), "--mpi", "--abi", "mpich", str(program)]


def test_what_is_missing_is_named(capsys, launchers, tmp_path):
    launchers("mpich")
    status, _, said = call(capsys, "run", tmp_path / "absent")
    assert status == Exit.USAGE and "no such program" in said
    assert call(capsys, "run")[0] == Exit.USAGE
    status, _, said = call(capsys, "doctor", "--build", tmp_path)
    assert status == Exit.MISSING and "halocline-doctor" in said
    status, _, said = call(capsys, "simulate", "--build", tmp_path)
    assert status == Exit.MISSING and "halocline-simulate" in said


def test_what_is_no_program_is_named(capsys, launchers, tmp_path):
    launchers("mpich")
    (tmp_path / "text").write_text("no program")
    status, _, said = call(capsys, "run", tmp_path / "text")
    assert status == Exit.USAGE and said == f"halocline: {tmp_path / 'text'} is not executable\n"


def test_a_static_program_does_not_run_to_find_its_mpi(launchers, tmp_path):
    """The loader's question LD_TRACE_LOADED_OBJECTS would start it."""
    launchers("mpich")
    (tmp_path / "main.c").write_text('#include <stdio.h>\nint main(void) { fclose(fopen("ran", "w")); return 0; }')
    for flags, needs in (["-static"], False), ([], True):
        done = subprocess.run(["cc", *flags, "-o", tmp_path / "program", tmp_path / "main.c"], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"cc {' '.join(flags)} links no program here")
        assert native.needs_loader(tmp_path / "program") == needs
        assert native.mpi_of(tmp_path / "program") is None
    assert not (tmp_path / "ran").exists() and not pathlib.Path("ran").exists()


def test_a_program_of_this_folder_is_asked_for_its_mpi(launchers, capsys, monkeypatch, tmp_path):
    launchers("mpich")
    (tmp_path / "model").write_bytes(pathlib.Path("/bin/ls").read_bytes())
    (tmp_path / "model").chmod(0o755)
    monkeypatch.delenv("MPIEXEC")
    monkeypatch.setenv("PATH", f"{tmp_path}/nowhere")
    mpiexec = made_up(tmp_path / "mpiexec", "exit 5")
    monkeypatch.chdir(tmp_path)
    assert native.needs_loader(pathlib.Path("model"))
    assert started("run", "./model")[0] == 5
    assert shown(capsys, "-n", 3, "./model") == [str(mpiexec), "-n", "3", "./model"]


@pytest.mark.parametrize("name", ["libmpich.so.12", "libmpi_gnu_123.so.12", "libmpi.so.12", "libmpi.so.40", "libmpi_abi.so.1"])
def test_the_mpi_of_a_program_is_found_by_each_of_its_names(launchers, monkeypatch, tmp_path, name):
    launchers("mpich")
    monkeypatch.delenv("MPIEXEC")
    (tmp_path / "lib").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "mpi.c").write_text("int MPI_Init(void *a, void *b) { return !a + !b; }")
    (tmp_path / "main.c").write_text("int MPI_Init(void *, void *);\nint main(void) { return MPI_Init(0, 0); }")
    library = tmp_path / "lib" / name
    for words in (["-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", library, tmp_path / "mpi.c"],
                  ["-o", tmp_path / "program", tmp_path / "main.c", library, f"-Wl,-rpath,{tmp_path / 'lib'}"]):
        if subprocess.run(["cc", *words], capture_output=True, check=False).returncode:
            pytest.skip("cc makes no library here")
    special = "mpiexec.openmpi" if name == "libmpi.so.40" else "mpiexec.mpich"
    mpiexec = made_up(tmp_path / "bin" / special, "exit 0")
    assert native.mpi_of(tmp_path / "program") == library
    assert native.mpiexec_of(tmp_path / "program") == str(mpiexec)


def test_libraries_beside_an_mpi_are_none():
    from halocline import _mpi_names

    for name in ("libmpichcxx.so.12", "libmpichfort.so.12", "libmpi_cxx.so.40", "libmpi_mpifh.so.40", "libmpifort.so.12",
                 "libmpi_gtl_cuda.so.0"):
        assert not _mpi_names.is_mpi(name)
    assert _mpi_names.variant_of("libmpich.so.12.2.2") == "mpich" and _mpi_names.is_mpi("libmpi.so.20")


def names_in(text):
    return set(re.findall(r"libmpi[a-z_*]*\.so\.[0-9]+", text))


def test_all_parts_know_the_same_names_of_mpis():
    from halocline import _mpi_names

    known = {name for names in _mpi_names.NAMES.values() for name in names}
    for file in ("tools/run/abi.cpp", "src/faces/mpi/interpose/loaded_mpi.cpp"):
        found = names_in((ROOT / file).read_text()) | ({"libmpi_abi.so.1"} if '"libmpi_abi.so.*"' in (ROOT / file).read_text() else set())
        assert found == known, file


def test_the_folder_of_a_launcher_is_no_link(launchers, monkeypatch, tmp_path):
    """Open MPI derives its prefix from the path, and ends with "only contained slashes" for /bin."""
    program = launchers("openmpi")
    monkeypatch.delenv("MPIEXEC")
    (tmp_path / "usr" / "bin").mkdir(parents=True)
    (tmp_path / "bin").symlink_to("usr/bin")
    mpiexec = made_up(tmp_path / "usr" / "bin" / "mpiexec.openmpi", "exit 0")
    monkeypatch.setattr(native, "mpi_of", lambda _: tmp_path / "lib" / "x86_64-linux-gnu" / "libmpi.so.40")
    assert native.mpiexec_of(program) == str(mpiexec)


def test_without_another_launcher_it_is_that_beside_the_program(launchers, monkeypatch, tmp_path):
    program = launchers("mpich")
    monkeypatch.delenv("MPIEXEC")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    mpiexec = made_up(tmp_path / "mpiexec", "exit 0")
    assert native.mpiexec_of(program) == str(mpiexec)


def test_options_of_the_native_program_are_handed_on(launchers, tmp_path):
    launchers("mpich")
    folder = tmp_path / "bin"
    folder.mkdir()
    made_up(folder / "halocline-bench", "exit 0")
    status, said, _ = started("bench", "halo", "-n", 3, "--build", tmp_path, "--ranks", "2,3", "--fields", 4)
    assert status == 5 and said.split() == ["-n", "3", str(folder / "halocline-bench"), "halo", "--ranks", "2,3", "--fields", "4"]


@pytest.mark.parametrize(("words_", "program", "asked"), [
    (("bench", "halo"), "halocline-bench", "halo --help"), (("bench",), "halocline-bench", "--help"),
    (("model",), "halocline-bench", "model --help"), (("doctor",), "halocline-doctor", "--help"),
    (("simulate",), "halocline-simulate", "--help")])
def test_help_has_the_options_of_the_native_program(capsys, tmp_path, words_, program, asked):
    (tmp_path / "bin").mkdir()
    made_up(tmp_path / "bin" / program, 'echo "native: $*"')
    status, said, _ = call(capsys, words_[0], "--build", tmp_path, *words_[1:], "--help")
    assert status == 0 and said.startswith(f"usage: halocline {words_[0]}") and said.endswith(f"\nnative: {asked}\n")


def test_a_package_that_was_not_compiled_says_so():
    """In the sources there is no extension, and which MPI there is does not matter."""
    source = ROOT / "bindings" / "python" / "src"
    done = subprocess.run([sys.executable, "-B", "-c", "import halocline; halocline.Context()"], capture_output=True, text=True,
                          check=False, env={**os.environ, "PYTHONPATH": str(source)})
    assert done.returncode == 1 and f"no compiled extension in {source / 'halocline'}" in done.stderr, done.stderr
    assert "build_wheel.sh" in done.stderr and "no MPI can be loaded" not in done.stderr


def test_help_says_that_the_native_program_is_not_installed(capsys, tmp_path):
    status, said, _ = call(capsys, "bench", "--build", tmp_path, "halo", "-h")
    assert status == 0 and "exit codes" in said and "options of halocline-bench halo, which is not installed here:" in said


def test_other_commands_refuse_what_they_do_not_know(capsys):
    status, _, said = call(capsys, "info", "--fields", 4)
    assert status == Exit.USAGE and "unrecognized arguments" in said


def test_a_program_that_is_not_there_can_be_had_as_the_message_says(capsys, tmp_path, monkeypatch):
    status, _, said = call(capsys, "doctor", "--build", tmp_path)
    assert status == Exit.MISSING and f"Build it: cmake --build {tmp_path} --target halocline-doctor" in said
    assert native.how_to_get("halocline-run", None) == f"Build it: {ROOT / 'go'}"
    assert native.how_to_get("halocline-run", ROOT / "build" / "release") == f"Build it: {ROOT / 'go'}"
    monkeypatch.setattr(native, "checkout", lambda: None)
    assert "HALOCLINE_HOME" in native.how_to_get("halocline-run", None)


def test_a_wheel_explains_by_the_default_card_and_says_how_programs_are_had(tmp_path):
    """A copy of the package outside the sources, with what a wheel has, and no native program."""
    package = shutil.copytree(ROOT / "bindings/python/src/halocline", tmp_path / "site/halocline")
    shutil.copy(ROOT / "share/halocline/default_card.json", package / "command")
    (tmp_path / "site/halocline-1.2.3.dist-info").mkdir()
    (tmp_path / "site/halocline-1.2.3.dist-info/METADATA").write_text("Name: halocline\nVersion: 1.2.3\n")
    words = {"PYTHONPATH": str(tmp_path / "site"), "PATH": str(tmp_path), "HOME": str(tmp_path)}

    def said_by(*command):
        return subprocess.run([sys.executable, "-B", "-m", "halocline.command", *command], capture_output=True, text=True, check=False,
                              env=words, cwd=tmp_path)

    done = said_by("explain", "--local", "16,16,64")
    assert done.returncode == 0 and "is predicted to be the fastest" in done.stdout and "halocline-info" in done.stdout, done
    done = said_by("doctor")
    assert done.returncode == Exit.MISSING and "set HALOCLINE_HOME to its prefix" in done.stderr, done
    earlier = tmp_path / "halocline-tune" / "halo.json"
    earlier.parent.mkdir()
    earlier.write_text("{}")
    done = said_by("tune")
    assert done.returncode == Exit.MISSING and "set HALOCLINE_HOME to its prefix" in done.stderr and not done.stdout, done
    assert earlier.is_file()


def test_the_command_needs_only_programs_that_go_builds():
    sources = "".join(path.read_text() for path in (ROOT / "bindings" / "python" / "src" / "halocline" / "command").glob("*.py"))
    needed = set(re.findall(r'(?:need|find)_program\("([\w-]+)"', sources))
    rules = (ROOT / "cmake" / "HaloclineInstall.cmake").read_text()
    assert {"halocline-bench"} <= needed <= INSTALLED and all(name in rules for name in needed)
