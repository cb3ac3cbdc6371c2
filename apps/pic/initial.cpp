// SPDX-License-Identifier: BSD-3-Clause
#include "state.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace pic {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

/// A number between 0 and 1 of a seed and four numbers (splitmix64).
double random(std::uint64_t seed, std::uint64_t species, std::uint64_t cell, std::uint64_t index, std::uint64_t which) {
  std::uint64_t hash = seed;
  for (const std::uint64_t word : {species, cell, index, which}) {
    hash += word + 0x9e3779b97f4a7c15;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    hash ^= hash >> 31;
  }
  return (static_cast<double>(hash >> 11) + 0.5) * 0x1p-53;
}

/// The digits of a number behind the point, in reverse order.
double radical_inverse(std::uint64_t number, std::uint64_t base) {
  double result = 0, digit = 1.0 / static_cast<double>(base);
  for (; number > 0; number /= base, digit /= static_cast<double>(base)) result += static_cast<double>(number % base) * digit;
  return result;
}

/// The normal deviate below which the part p lies (bisection of the error function).
double normal(double p) {
  double low = -9, high = 9;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Two Harris sheets across y, at a quarter and at three quarters of the length.
struct Sheets {
  explicit Sheets(const Options &options) : o(options) {}

  double field(double y) const {
    return o.sheet_field *
           (std::tanh((y - 0.25 * o.length[1]) / o.sheet_thickness) - std::tanh((y - 0.75 * o.length[1]) / o.sheet_thickness) - 1);
  }
  static double sech2(double y) { return 1 / (std::cosh(y) * std::cosh(y)); }
  double lower(double y) const { return sech2((y - 0.25 * o.length[1]) / o.sheet_thickness); }
  double upper(double y) const { return sech2((y - 0.75 * o.length[1]) / o.sheet_thickness); }
  /// Of the first species' charge density; density 1 in the middle of a sheet.
  double density(double y) const { return lower(y) + upper(y) + o.sheet_background; }
  /// Temperature: pressure of the sheet is that of the field.
  double temperature(std::size_t s) const {
    const double sum = 0.5 * o.sheet_field * o.sheet_field, ratio = o.sheet_temperature_ratio;
    return o.charge[s] > 0 ? sum * ratio / (1 + ratio) : sum / (1 + ratio);
  }
  /// Mean velocity along z of a species in the lower sheet; the opposite in the upper one. Current -dB/dy = -field / thickness.
  double drift(std::size_t s) const { return -2 * temperature(s) / (o.charge[s] * o.sheet_field * o.sheet_thickness); }

  const Options &o;
};

class Loader {
 public:
  Loader(const Block &block, const Options &options) : block_(block), o_(options), sheets_(options) {
    for (std::size_t s = 0; s < o_.species.size(); ++s) deviates_.push_back(deviates(s));
  }

  Species load(std::size_t s) const {
    Species made;
    made.name = o_.species[s];
    made.charge_to_mass = o_.charge[s] / o_.mass[s];
    made.charge_density = o_.charge[s] * o_.density[s];
    for (std::int64_t i = block_.start(0); i < block_.start(0) + block_.n(0); ++i)
      for (std::int64_t j = block_.start(1); j < block_.start(1) + block_.n(1); ++j)
        for (std::int64_t k = block_.start(2); k < block_.start(2) + block_.n(2); ++k)
          for (std::int64_t n = 0; n < o_.per_cell[s]; ++n) made.particles.push_back(particle(s, {i, j, k}, n));
    return made;
  }

 private:
  /// Evenly spaced in the distribution.
  std::vector<double> deviates(std::size_t s) const {
    std::vector<double> all;
    for (std::int64_t n = 0; n < o_.per_cell[s]; ++n)
      all.push_back(normal((static_cast<double>(n) + 0.5) / static_cast<double>(o_.per_cell[s])));
    return all;
  }
  std::uint64_t number_of(const Int3 &cell) const {
    return static_cast<std::uint64_t>((cell[0] * block_.global(1) + cell[1]) * block_.global(2) + cell[2]);
  }
  Particle particle(std::size_t s, const Int3 &cell, std::int64_t n) const {
    Particle p{};
    const auto number = static_cast<std::uint64_t>(n);
    p.id = number_of(cell) * static_cast<std::uint64_t>(o_.per_cell[s]) + number;
    place(s, cell, number, p);
    give_velocity(s, cell, number, p);
    const auto count = static_cast<double>(o_.per_cell[s]);
    p.charge = o_.charge[s] * o_.density[s] * block_.volume() / count;
    if (o_.sheet_field != 0) give_sheet(s, cell, number, p);
    if (s == 0) perturb(p);
    return p;
  }
  void place(std::size_t s, const Int3 &cell, std::uint64_t n, Particle &p) const {
    const auto count = static_cast<double>(o_.per_cell[s]);
    // Beams of one speed are evenly spaced. Elsewhere velocities are in order, and places are not.
    const bool cold = o_.thermal_speed[s] == 0 && o_.sheet_field == 0;
    const double quiet[3] = {cold ? (static_cast<double>(n) + 0.5) / count : radical_inverse(n, 2) + 0.5 / count, radical_inverse(n, 3),
                             radical_inverse(n, 5)};
    for (std::size_t d = 0; d < 3; ++d) {
      const double part = o_.start == "quiet" ? quiet[d] : random(o_.seed, s, number_of(cell), n, d);
      p.x[d] = wrapped((static_cast<double>(cell[d]) + part) * block_.spacing(static_cast<int>(d)), o_.length[d]);
    }
  }
  void give_velocity(std::size_t s, const Int3 &cell, std::uint64_t n, Particle &p) const {
    const bool quiet = o_.start == "quiet";
    for (std::size_t d = 0; d < 3; ++d) {
      const double deviate = o_.thermal_speed[s] == 0 ? 0
                             : quiet                  ? deviates_[s][order(n, d, deviates_[s].size())]
                                                      : normal(random(o_.seed, s, number_of(cell), n, 3 + d));
      p.v[d] = o_.thermal_speed[s] * deviate;
    }
    p.v[0] += o_.drift[s];
  }
  /// Along x the deviates are in order, along y and z in orders that have to do with neither that nor places.
  static std::size_t order(std::uint64_t n, std::size_t d, std::size_t count) {
    if (d == 0) return n;
    return std::min(static_cast<std::size_t>(radical_inverse(n, d == 1 ? 7 : 11) * static_cast<double>(count)), count - 1);
  }
  /// Weights follow the density, and each particle belongs to a sheet or to the background.
  void give_sheet(std::size_t s, const Int3 &cell, std::uint64_t n, Particle &p) const {
    const double density = sheets_.density(p.x[1]), speed = std::sqrt(sheets_.temperature(s) / o_.mass[s]);
    p.charge *= density;
    for (std::size_t d = 0; d < 3; ++d) p.v[d] = speed * normal(random(o_.seed, s, number_of(cell), n, 3 + d));
    const double choice = random(o_.seed, s, number_of(cell), n, 6) * density;
    if (choice < sheets_.lower(p.x[1]))
      p.v[2] += sheets_.drift(s);
    else if (choice < sheets_.lower(p.x[1]) + sheets_.upper(p.x[1]))
      p.v[2] -= sheets_.drift(s);
  }
  /// A displacement along the mode, whose density is 1 + perturbation cos(k x).
  void perturb(Particle &p) const {
    if (o_.perturbation == 0) return;
    double k[3], phase = 0, square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      k[d] = kTwoPi * static_cast<double>(o_.mode[d]) / o_.length[d];
      phase += k[d] * p.x[d];
      square += k[d] * k[d];
    }
    for (std::size_t d = 0; d < 3 && square > 0; ++d)
      p.x[d] = wrapped(p.x[d] - o_.perturbation * k[d] / square * std::sin(phase), o_.length[d]);
  }

  const Block &block_;
  const Options &o_;
  Sheets sheets_;
  std::vector<std::vector<double>> deviates_;
};

/// B of the sheets, with islands that begin the reconnection: B = curl of a vector potential along z, at the corners of the centres' cells.
void set_sheets(const Block &block, const Options &o, State &state) {
  const Sheets sheets(o);
  const double kx = kTwoPi / o.length[0], ky = kTwoPi / o.length[1];
  const double most = o.sheet_perturbation * o.sheet_field / ky;
  const auto potential = [&](double x, double y) { return most * std::cos(kx * (x - 0.25 * o.length[0])) * std::sin(ky * y); };
  for_own(block, [&](std::size_t cell, auto, std::int64_t i, std::int64_t j, auto) {
    const double dx = block.spacing(0), dy = block.spacing(1);
    const double x = static_cast<double>(block.start(0) + i) * dx, y = static_cast<double>(block.start(1) + j) * dy;
    const double a00 = potential(x, y), a10 = potential(x + dx, y), a01 = potential(x, y + dy), a11 = potential(x + dx, y + dy);
    state.magnetic.at(cell)[0] = sheets.field(y + 0.5 * dy) + 0.5 * ((a01 - a00) + (a11 - a10)) / dy;
    state.magnetic.at(cell)[1] = -0.5 * ((a10 - a00) + (a11 - a01)) / dx;
  });
}

/// A standing wave, E along z, or along y if the mode is not in the plane of x and y.
void set_wave(const Block &block, const Options &o, State &state) {
  const int along = o.mode[2] == 0 ? 2 : 1;
  for_own(block, [&](std::size_t cell, auto, std::int64_t i, std::int64_t j, std::int64_t k) {
    const std::int64_t index[3] = {i, j, k};
    double phase = 0;
    for (int d = 0; d < 3; ++d)
      phase += kTwoPi * static_cast<double>(o.mode[static_cast<std::size_t>(d)]) * static_cast<double>(block.start(d) + index[d]) /
               static_cast<double>(block.global(d));
    state.electric.at(cell)[along] = o.wave * std::cos(phase);
  });
}

}  // namespace

void set_initial(const Block &block, const Options &options, State &state) {
  const Loader loader(block, options);
  for (std::size_t s = 0; s < options.species.size(); ++s) state.species.push_back(loader.load(s));
  if (options.sheet_field != 0) set_sheets(block, options, state);
  if (options.wave != 0) set_wave(block, options, state);
}

}  // namespace pic
