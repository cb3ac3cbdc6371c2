#!/usr/bin/env python3
"""Checks cloud as an outsider does, from its NetCDF output alone. An advection step is computed once more, from the published equations by
code of its own: from the first state, whose values have formulas, and from a later one with winds in all directions. And cases that are
symmetric must stay so: mirror images in x and y with the wind reversed, mirror images of themselves without wind, and two equal halves.
Warm air rises as linear theory says.

outside.py CLOUD -- LAUNCHER FLAG...

Ends with 77 where NumPy or netCDF4 is not there, or cloud writes no NetCDF. Last line: N passed, N failed, N skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import netCDF4
    import numpy as np
except ImportError as why:
    print(f"skipped: {why}")
    sys.exit(77)

CELLS = (12, 10, 24)
SPACING = (35.0, 28.0)
TIME_STEP = 0.75
WIND = (7.0, -5.5)
CASE = f"""&case_parameters
  cells = {CELLS[0]}, {CELLS[1]}, {CELLS[2]}
  spacing = {SPACING[0]}, {SPACING[1]}
  refinement = 3.0
  time_step = {TIME_STEP}
  thermal_strength = 5.0
  theta_noise = 0
  water_noise = 0
  pressure_tolerance = 1.0e-11
"""
# The file has numbers of 32 bits, which a step and the scheme's differences pass on.
ROUNDING = 1e-6
CENTRES = ("theta_l", "q_t", "tracer_01", "tracer_07", "tracer_13", "tracer_19")


class Runs:
    def __init__(self, program, launcher, folder):
        self.program, self.launcher, self.folder = program, launcher, pathlib.Path(folder)

    def __call__(self, steps, wind=WIND, ranks=2, more=""):
        """First and last state as arrays of (x, y, z), and the coordinates."""
        case, file = self.folder / "case.nml", self.folder / "state.nc"
        case.write_text(f"{CASE}  wind = {wind[0]}, {wind[1]}\n{more}/\n")
        command = [*self.launcher, "-n", ranks, self.program, case, "--steps", steps, "--quiet", "--output", file]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=100)
        if "without NetCDF" in done.stderr or "netcdf-fortran" in done.stderr:
            print(f"skipped: {done.stderr.strip()}")
            sys.exit(77)
        if done.returncode:
            sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        with netCDF4.Dataset(file) as data:
            fields = {name: np.asarray(variable[:], np.float64) for name, variable in data.variables.items()}
        last = fields["time"].size - 1
        return [{name: field[at].T if field.ndim == 4 else field for name, field in fields.items()} for at in (0, last)]


def air(z):
    """Density of dry air of one potential temperature at rest: hydrostatic balance of the Exner pressure, law of ideal gases."""
    surface, reference, theta, gravity, gas, heat = 101780.0, 1.0e5, 289.0, 9.81, 287.04, 1005.0
    exner = (surface / reference) ** (gas / heat) - gravity * z / (heat * theta)
    return reference * exner ** (heat / gas) / (gas * theta * exner)


def van_leer(ratio):
    """Van Leer's limiter, of the slope behind over the slope ahead."""
    return (ratio + np.abs(ratio)) / (1 + np.abs(ratio))


def face_values(q, speed, courant, axis):
    """Second-order upwind values on the faces between each cell and the next along an axis of a periodic or padded array."""
    def at(step):
        return np.roll(q, -step, axis)

    def upwind(here, ahead, behind):
        with np.errstate(divide="ignore", invalid="ignore"):
            limiter = np.where(ahead == here, 0.0, van_leer((here - behind) / (ahead - here)))
        return here + 0.5 * (1 - np.abs(courant)) * limiter * (ahead - here)

    return np.where(speed >= 0, upwind(at(0), at(1), at(-1)), upwind(at(1), at(0), at(2)))


def advected(q, state):
    """q at the cells' centres after one forward step: q - dt / rho div(rho u q)."""
    face = np.concatenate(([0.0], state["z_w"]))
    thickness, between, rho, rho_face = np.diff(face), np.diff(state["z"]), air(state["z"]), air(state["z_w"])
    change = np.zeros_like(q)
    for axis, (name, spacing) in enumerate(zip("uv", SPACING)):
        speed = state[name]
        flux = speed * face_values(q, speed, speed * TIME_STEP / spacing, axis)
        change += (flux - np.roll(flux, 1, axis)) / spacing
    # Beyond ground and lid the column continues with its last value, and nothing passes them.
    padded = np.concatenate((q[..., :1], q[..., :1], q, q[..., -1:], q[..., -1:]), axis=-1)
    speed = np.zeros_like(padded)
    speed[..., 2:-3] = state["w"][..., :-1]
    courant = np.zeros_like(padded)
    courant[..., 2:-3] = state["w"][..., :-1] * TIME_STEP / between
    flux = (speed * face_values(padded, speed, courant, 2))[..., 1:-2]
    flux[..., 1:] *= rho_face
    change += np.diff(flux, axis=-1) / (rho * thickness)
    return q - TIME_STEP * change


def first_tracer(n, state):
    """Tracer n of the first state, by the formula of README.md and the waves that its number says."""
    x, y = (((np.arange(cells) + 0.5) / cells) for cells in CELLS[:2])
    waves = 1 + (n - 1) % 2, (n - 1) // 2 % 3, (n - 1) // 6
    columns = np.cos(np.pi * waves[2] * state["z"] / state["z_w"][-1])
    return n * (1 + 0.5 * np.cos(2 * np.pi * waves[0] * x)[:, None, None] * np.cos(2 * np.pi * waves[1] * y)[None, :, None] * columns)


def off(found, right, scale=None):
    """The largest difference, of the largest change that there was to find."""
    return float(np.abs(found - right).max() / (np.abs(right).max() if scale is None else scale))


def first_step(runs):
    first, last = runs(1)
    for n in (1, 7, 13, 19):
        name, q = f"tracer_{n:02}", first_tracer(n, first)
        if np.abs(first["w"]).max() or not np.allclose(first["u"], WIND[0]) or not np.allclose(first["v"], WIND[1]):
            yield f"{name}: the first wind", 1.0, 0.0
        yield f"{name}: the first state", off(first[name], q), ROUNDING
        right = advected(q, first)
        yield f"{name}: the first step", off(last[name], right), ROUNDING
        yield f"{name}: it has moved", float(np.abs(right - q).max() < 0.02 * n), 0.0


def later_step(runs):
    (_, before), (_, after) = runs(30), runs(31)
    yield "winds in all directions", float(min(np.abs(before["w"]).max(), np.abs(before["u"] - WIND[0]).max()) < 0.05), 0.0
    for name in CENTRES:
        q = before[name]
        right = advected(q, before)
        yield f"{name}: step 31", off(after[name], right), ROUNDING
        # What the wind has changed stands out of the rounding.
        limit = 1e-2 if name == "theta_l" else 1e-3
        yield f"{name}: the change of step 31", off(after[name] - q, right - q, np.abs(right - q).max()), limit


def mirrored(state, axis):
    """The mirror image: winds along the axis change their sign, and stand on the faces of the cells' other sides."""
    along = "uv"[axis]
    image = {name: np.flip(field, axis) for name, field in state.items() if name in (*CENTRES, *"uvw")}
    image[along] = -np.roll(image[along], -1, axis)
    return image


def symmetric(runs):
    _, state = runs(40)
    for axis, wind in enumerate([(-WIND[0], WIND[1]), (WIND[0], -WIND[1])]):
        _, other = runs(40, wind)
        for name, field in mirrored(other, axis).items():
            yield f"{name}: mirror image in {'xy'[axis]}", off(field, state[name], max(np.abs(state[name]).max(), 1.0)), ROUNDING
    half = CELLS[0] // 2
    for name in ("theta_l", "q_t", *"uvw"):
        yield f"{name}: two equal halves", off(np.roll(state[name], half, 0), state[name], max(np.abs(state[name]).max(), 1.0)), ROUNDING
    _, still = runs(40, (0.0, 0.0))
    yield "without wind air rises all the same", float(np.abs(still["w"]).max() < 0.05), 0.0
    for axis in (0, 1):
        for name, field in mirrored(still, axis).items():
            yield f"{name}: its own mirror image in {'xy'[axis]}", off(field, still[name], max(np.abs(still[name]).max(), 1.0)), ROUNDING


def warm_air_rises(runs):
    """Smooth warm and cool patches in a neutral layer between two lids: as long as little has moved, w grows by g θ'/θ k² / (k² + m²) per
    second, k and m being the wave numbers in the horizontal and vertical, of the differences that the grid has for them."""
    height, spacing, steps, strength = 840.0, (350.0, 280.0), 4, 0.05
    more = f"  top = {height}\n  refinement = 1.0\n  spacing = {spacing[0]}, {spacing[1]}\n  thermal_strength = {strength}\n"
    _, last = runs(steps, (0.0, 0.0), more=more)
    waves = [2 * np.pi * number / (cells * width) for number, cells, width in zip((2, 1), CELLS, spacing)] + [np.pi / height]
    sizes = (*spacing, height / CELLS[2])
    k2, l2, m2 = ((2 * np.sin(wave * size / 2) / size) ** 2 for wave, size in zip(waves, sizes))
    lift = 9.81 * strength / 289.0 * np.cos(waves[2] * sizes[2] / 2) * (k2 + l2) / (k2 + l2 + m2) * steps * TIME_STEP
    shape = [np.cos(wave * size * (np.arange(cells) + 0.5)) for wave, size, cells in zip(waves, spacing, CELLS)]
    right = lift * shape[0][:, None, None] * shape[1][None, :, None] * np.sin(waves[2] * last["z_w"])
    # The formula has one density for all heights, the model one that falls by 8 % here.
    yield "warm air rises as fast as theory says", off(last["w"], right), 0.01


def main():
    split = sys.argv.index("--")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(sys.argv[1], sys.argv[split + 1:], folder)
        for part in (warm_air_rises, first_step, later_step, symmetric):
            for what, found, limit in part(runs):
                right = found <= limit
                passed, failed = passed + right, failed + (not right)
                if not right:
                    print(f"FAILED  {what}: off by {found:.2e}, at most {limit:.0e}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
