"""Tests of how programs are found and started, with made-up launchers.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import shlex
import subprocess

import pytest
from halocline.command import native
from halocline.command.status import Exit
from results import call

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


def test_it_ends_with_the_exit_code_of_the_launcher(capsys, launchers):
    assert call(capsys, "run", launchers("mpich"))[0] == 5


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
    assert status == Exit.USAGE and "there is no program" in said
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
    assert call(capsys, "run", "./model")[0] == 5
    assert shown(capsys, "-n", 3, "./model") == [str(mpiexec), "-n", "3", "./model"]


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


def test_options_of_the_native_program_are_handed_on(capfd, launchers, tmp_path):
    launchers("mpich")
    folder = tmp_path / "bin"
    folder.mkdir()
    made_up(folder / "halocline-bench", "exit 0")
    status, said, _ = call(capfd, "bench", "halo", "-n", 3, "--build", tmp_path, "--ranks", "2,3", "--fields", 4)
    assert status == 5 and said.split() == ["-n", "3", str(folder / "halocline-bench"), "halo", "--ranks", "2,3", "--fields", "4"]


def test_other_commands_refuse_what_they_do_not_know(capsys):
    status, _, said = call(capsys, "info", "--fields", 4)
    assert status == Exit.USAGE and "unrecognized arguments" in said
