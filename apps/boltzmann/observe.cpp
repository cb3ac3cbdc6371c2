// SPDX-License-Identifier: BSD-3-Clause
#include "observe.hpp"

#include "exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace boltzmann {
namespace {

std::uint64_t mixed(std::uint64_t word) {
  word ^= word >> 30;
  word *= 0xbf58476d1ce4e5b9U;
  word ^= word >> 27;
  word *= 0x94d049bb133111ebU;
  return word ^ word >> 31;
}

std::uint64_t bits_of(double value) {
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

/// Calls body(x, y, z) for the sites of the block.
template <class Body>
void for_sites(const Domain &domain, Body body) {
  for (std::int64_t x = 0; x < domain.n(0); ++x)
    for (std::int64_t y = 0; y < domain.n(1); ++y)
      for (std::int64_t z = 0; z < domain.n(2); ++z) body(x, y, z);
}

/// The sum of a hash of each value and its place, so that it does not depend on the order.
std::uint64_t fingerprint_of(Fluid &fluid) {
  const Domain &domain = fluid.domain();
  std::uint64_t sum = 0;
  for (int c = 0; c < fluid.stored_components(); ++c)
    for_sites(domain, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
      const auto place = static_cast<std::uint64_t>(domain.number(x, y, z) * 64 + c);
      sum += mixed(mixed(place + 0x9e3779b97f4a7c15U) ^ bits_of(fluid.stored_row(c, x, y)[z]));
    });
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

// ---------------------------------------------------------------- analytic solutions

/// The relative distance of the velocity from the right one: the root of the sum of squares over that of the right one.
template <class Right>
double velocity_error(const halocline::Context &context, Fluid &fluid, Right right) {
  const Domain &domain = fluid.domain();
  Sums sums(2);
  for_sites(domain, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const Site site = fluid.site(x, y, z);
    const std::array<double, kDims> is = right(x + domain.start(0), y + domain.start(1), z + domain.start(2));
    for (std::size_t d = 0; d < kDims; ++d) {
      sums.add(0, (site.u[d] - is[d]) * (site.u[d] - is[d]));
      sums.add(1, is[d] * is[d]);
    }
  });
  const std::vector<double> total = sums.total(context);
  return std::sqrt(total[0] / total[1]);
}

/// Between plates half a spacing outside of the first and the last site: u = F / (2 rho nu) (s + 1/2) (n - 1/2 - s).
std::vector<Comparison> compare_poiseuille(const halocline::Context &context, const Options &options, Fluid &fluid) {
  const auto across = static_cast<std::size_t>(std::find(options.walls.begin(), options.walls.end(), 1) - options.walls.begin());
  const auto n = static_cast<double>(fluid.domain().global(static_cast<int>(across)));
  const auto right = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const std::int64_t at[kDims] = {x, y, z};
    const auto s = static_cast<double>(at[across]);
    std::array<double, kDims> u{};
    for (std::size_t d = 0; d < kDims; ++d) u[d] = options.force[d] / (2 * options.viscosity) * (s + 0.5) * (n - 0.5 - s);
    return u;
  };
  const double error = velocity_error(context, fluid, right);
  return {{"velocity of Poiseuille's flow, distance from the parabola", error, 0, error}};
}

/// Vortices in planes of x and z.
struct Vortices {
  Vortices(const Domain &domain, double the_speed)
      : kx(2 * M_PI / static_cast<double>(domain.global(0))), kz(2 * M_PI / static_cast<double>(domain.global(2))), speed(the_speed) {}
  std::array<double, kDims> velocity(std::int64_t x, std::int64_t z) const {
    const double a = kx * (static_cast<double>(x) + 0.5), b = kz * (static_cast<double>(z) + 0.5);
    return {-speed * std::cos(a) * std::sin(b), 0, speed * kx / kz * std::sin(a) * std::cos(b)};
  }
  /// Over the density, less its mean.
  double pressure(std::int64_t x, std::int64_t z) const {
    const double a = kx * (static_cast<double>(x) + 0.5), b = kz * (static_cast<double>(z) + 0.5);
    return -speed * speed / 4 * (std::cos(2 * a) + kx * kx / (kz * kz) * std::cos(2 * b));
  }
  double kx, kz, speed;
};

/// The vortices keep their form, and decay with exp(-nu (kx^2 + kz^2) t).
std::vector<Comparison> compare_vortices(const halocline::Context &context, const Options &options, Fluid &fluid) {
  const Domain &domain = fluid.domain();
  const Vortices first(domain, options.speed);
  const double left = std::exp(-options.viscosity * (first.kx * first.kx + first.kz * first.kz) * fluid.steps());
  const Vortices now(domain, options.speed * left);
  Sums sums(2);
  for_sites(domain, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const Site site = fluid.site(x, y, z);
    const auto was = first.velocity(x + domain.start(0), z + domain.start(2));
    for (std::size_t d = 0; d < kDims; ++d) {
      sums.add(0, site.u[d] * was[d]);
      sums.add(1, was[d] * was[d]);
    }
  });
  const std::vector<double> total = sums.total(context);
  const double part = total[0] / total[1];
  const double error = velocity_error(context, fluid, [&](std::int64_t x, std::int64_t, std::int64_t z) { return now.velocity(x, z); });
  return {{"decay of Taylor and Green's vortices", part, left, std::abs(part / left - 1)},
          {"their velocity, distance from the solution", error, 0, error}};
}

/// The drop's centre, as coordinates of sites.
double centre(const Domain &domain, int d) { return (static_cast<double>(domain.global(d)) - 1) / 2; }

/// A lattice with one site along one dimension has a cylinder along it, others a sphere.
bool is_round_along(const Domain &domain, int d) { return domain.global(d) > 1; }
bool is_cylinder(const Domain &domain) { return !is_round_along(domain, 0) || !is_round_along(domain, 1) || !is_round_along(domain, 2); }

double distance_from_centre(const Domain &domain, const std::array<std::int64_t, kDims> &at) {
  double square = 0;
  for (int d = 0; d < kDims; ++d) {
    const double away = static_cast<double>(at[static_cast<std::size_t>(d)]) - centre(domain, d);
    if (is_round_along(domain, d)) square += away * away;
  }
  return std::sqrt(square);
}

double radius_of(const Options &options, const Domain &domain) {
  if (options.radius > 0) return options.radius;
  std::int64_t shortest = INT64_MAX;
  for (int d = 0; d < kDims; ++d)
    if (is_round_along(domain, d)) shortest = std::min(shortest, domain.global(d));
  return static_cast<double>(shortest) / 4;
}

double width_of(const Options &options) { return std::sqrt(2 * options.kappa / options.bulk); }

/// Inside and outside are where the order parameter has settled.
double inner_end(const Options &options, const Domain &domain) { return radius_of(options, domain) / 3; }
double outer_begin(const Options &options, const Domain &domain) { return radius_of(options, domain) + 5 * width_of(options); }

/// The tension of a flat interface in this lattice: of its profile, where the chemical potential is 0 with the lattice's differences, the sum
/// of kappa (d phi)^2. It is that of the continuum, 4 kappa / (3 xi), for a wide interface: 1 % less at a width of 4, 4 % at 2.
double lattice_tension(const FreeEnergy &energy, double width) {
  if (width > 50) return 4 * energy.kappa / (3 * width);
  const auto half = static_cast<int>(std::ceil(12 * width));
  std::vector<double> phi(static_cast<std::size_t>(2 * half));
  for (std::size_t i = 0; i < phi.size(); ++i) phi[i] = std::tanh((static_cast<double>(i) - half + 0.5) / width);
  double largest = 1;
  for (int round = 0; round < 1000000 && largest > 1e-12 * energy.bulk; ++round) {
    largest = 0;
    for (std::size_t i = 1; i + 1 < phi.size(); ++i) {
      const double potential = energy.bulk * phi[i] * (phi[i] * phi[i] - 1) - energy.kappa * (phi[i - 1] + phi[i + 1] - 2 * phi[i]);
      phi[i] -= potential / (2 * energy.bulk + 2 * energy.kappa);
      largest = std::max(largest, std::abs(potential));
    }
  }
  double tension = 0;
  for (std::size_t i = 1; i + 1 < phi.size(); ++i) tension += energy.kappa * (phi[i + 1] - phi[i - 1]) * (phi[i + 1] - phi[i - 1]) / 4;
  return tension;
}

/// Laplace's law: the pressure in a drop is higher by 2 sigma / R, in a cylinder by sigma / R. R is the radius of as much of the inner fluid
/// as there is. The pressure has the terms of gradients, since the interface reaches into the drop: without them it is 8 % lower in a drop of
/// radius 12 with a width of 2.5.
std::vector<Comparison> compare_drop(const halocline::Context &context, const Options &options, Fluid &fluid) {
  const Domain &domain = fluid.domain();
  const FreeEnergy energy{options.bulk, options.kappa, options.mobility};
  const double inside = inner_end(options, domain), outside = outer_begin(options, domain), width = width_of(options);
  enum { kIn, kOut, kInPhi, kOutPhi, kInPressure, kOutPressure, kPhi, kKinds };
  Sums sums(kKinds);
  std::vector<double> pressure(static_cast<std::size_t>(domain.n(2)));
  fluid.share_order_parameter();
  for_sites(domain, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    if (z == 0) fluid.pressure(x, y, pressure.data());
    const Site site = fluid.site(x, y, z);
    const double away = distance_from_centre(domain, {x + domain.start(0), y + domain.start(1), z + domain.start(2)});
    const bool is_in = away<inside, is_out = away> outside;
    sums.add(kPhi, site.phi);
    if (!is_in && !is_out) return;
    sums.add(is_in ? kIn : kOut, 1);
    sums.add(is_in ? kInPhi : kOutPhi, site.phi);
    sums.add(is_in ? kInPressure : kOutPressure, pressure[static_cast<std::size_t>(z)]);
  });
  const std::vector<double> s = sums.total(context);
  const double in = s[kInPhi] / s[kIn], out = s[kOutPhi] / s[kOut];
  const double volume = (s[kPhi] - out * static_cast<double>(domain.global_sites())) / (in - out);
  const bool flat = is_cylinder(domain);
  const double found_radius = flat ? std::sqrt(volume / M_PI) : std::cbrt(3 * volume / (4 * M_PI));
  const double found = s[kInPressure] / s[kIn] - s[kOutPressure] / s[kOut];
  const double right = (flat ? 1 : 2) * lattice_tension(energy, width) / found_radius;
  return {{"Laplace's law: pressure in the drop less that outside", found, right, std::abs(found / right - 1)}};
}

/// The order parameter where a fluid has this chemical potential: bulk phi (phi^2 - 1) = potential, near sign.
double settled(const FreeEnergy &energy, double potential, double sign) {
  double phi = sign;
  for (int round = 0; round < 20; ++round) phi -= (phi * (phi * phi - 1) - potential / energy.bulk) / (3 * phi * phi - 1);
  return phi;
}

double random_number(std::uint64_t seed, std::uint64_t place) {
  return static_cast<double>(mixed(mixed(seed + 0x9e3779b97f4a7c15U) ^ mixed(place)) >> 11) * 0x1p-52 - 1;
}

/// The two fluids have the chemical potential of a drop at rest, half of the pressure that Laplace's law gives it: from -1 and 1 on the
/// potentials would become equal by diffusion alone, which takes tens of thousands of steps, while the drop shrinks, or is dissolved.
std::function<Site(const std::array<std::int64_t, kDims> &)> drop(const Options &options, const Domain &domain) {
  const FreeEnergy energy{options.bulk, options.kappa, options.mobility};
  const double radius = radius_of(options, domain), width = width_of(options);
  // A drop that is so small that no outer fluid has its potential is dissolved in any case.
  const double potential = std::min((is_cylinder(domain) ? 0.5 : 1) * lattice_tension(energy, width) / radius, options.bulk / 4);
  const double in = settled(energy, potential, 1), out = settled(energy, potential, -1);
  return [&domain, radius, width, in, out](const std::array<std::int64_t, kDims> &at) {
    Site site;
    site.phi = (in + out) / 2 - (in - out) / 2 * std::tanh((distance_from_centre(domain, at) - radius) / width);
    return site;
  };
}

}  // namespace

bool State::is_number() const { return std::isfinite(mass) && std::isfinite(order) && std::isfinite(kinetic) && std::isfinite(fastest); }

State observe(const halocline::Context &context, Fluid &fluid) {
  State state;
  double extremes[3] = {0, -HUGE_VAL, -HUGE_VAL};
  Sums sums(3 + kDims);
  bool finite = true;
  for_sites(fluid.domain(), [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const Site site = fluid.site(x, y, z);
    double square = 0;
    for (std::size_t d = 0; d < kDims; ++d) square += site.u[d] * site.u[d];
    finite = finite && std::isfinite(site.rho + square + site.phi) && std::abs(site.rho) < 1e3 && std::abs(site.phi) < 1e3;
    if (!finite) return;
    sums.add(0, site.rho);
    sums.add(1, site.phi);
    sums.add(2, 0.5 * site.rho * square);
    for (std::size_t d = 0; d < kDims; ++d) sums.add(3 + d, site.rho * site.u[d]);
    extremes[0] = std::max(extremes[0], std::sqrt(square));
    extremes[1] = std::max(extremes[1], site.phi);
    extremes[2] = std::max(extremes[2], -site.phi);
  });
  if (!finite) extremes[0] = HUGE_VAL;
  MPI_Allreduce(MPI_IN_PLACE, extremes, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const std::vector<double> total = sums.total(context);
  state.mass = total[0], state.order = total[1], state.kinetic = total[2];
  std::copy(total.begin() + 3, total.end(), state.momentum);
  state.fastest = extremes[0], state.most_phi = extremes[1], state.least_phi = -extremes[2];
  state.fingerprint = fingerprint_of(fluid);
  return state;
}

std::string where(const Domain &domain, TooFast mine) {
  const auto reduce = [](auto &value, MPI_Datatype type, MPI_Op op) { MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, op, MPI_COMM_WORLD); };
  TooFast all = mine;
  reduce(all.step, MPI_INT, MPI_MIN);
  if (!all.has_been()) return "";
  all.speed = mine.step == all.step ? mine.speed : 0;
  reduce(all.speed, MPI_DOUBLE, MPI_MAX);
  all.site = mine.step == all.step && mine.speed == all.speed ? mine.site : INT64_MAX;
  reduce(all.site, MPI_INT64_T, MPI_MIN);
  const std::int64_t row = all.site / domain.global(2);
  const std::string at = "(" + std::to_string(row / domain.global(1)) + ", " + std::to_string(row % domain.global(1)) + ", " +
                         std::to_string(all.site % domain.global(2)) + ")";
  char text[200];
  std::snprintf(text, sizeof text, "in step %d the fluid at site %s moves at %.3g, %.3g times the speed of sound", all.step, at.c_str(),
                all.speed, all.speed * std::sqrt(3));
  if (std::isfinite(all.speed)) return text;
  std::snprintf(text, sizeof text, "in step %d the velocity at site %s is not a number, or the density not positive", all.step, at.c_str());
  return text;
}

std::string why_no_comparison(const Options &options, const Domain &domain) {
  if (options.problem != "drop") return "";
  std::array<std::int64_t, kDims> corner{}, middle{};
  for (int d = 0; d < kDims; ++d) middle[static_cast<std::size_t>(d)] = domain.global(d) / 2;
  char text[240];
  const double outside = outer_begin(options, domain), farthest = distance_from_centre(domain, corner);
  std::snprintf(text, sizeof text,
                "a drop of radius %g has an interface that ends %.1f from its centre, but no site is farther away than %.1f; use a smaller "
                "--radius, or more sites",
                radius_of(options, domain), outside, farthest);
  if (!(farthest > outside)) return text;
  std::snprintf(text, sizeof text, "a drop of radius %g has no site inside; use a larger --radius", radius_of(options, domain));
  return distance_from_centre(domain, middle) < inner_end(options, domain) ? "" : text;
}

std::vector<Comparison> compare(const halocline::Context &context, const Options &options, Fluid &fluid) {
  if (options.problem == "poiseuille") return compare_poiseuille(context, options, fluid);
  if (options.problem == "taylor_green") return compare_vortices(context, options, fluid);
  if (options.problem == "drop") return compare_drop(context, options, fluid);
  return {};
}

std::function<Site(const std::array<std::int64_t, kDims> &)> beginning(const Options &options, const Domain &domain) {
  using At = std::array<std::int64_t, kDims>;
  if (options.problem == "taylor_green")
    return [vortices = Vortices(domain, options.speed)](const At &at) {
      Site site;
      site.u = vortices.velocity(at[0], at[2]);
      site.rho = 1 + 3 * vortices.pressure(at[0], at[2]);
      return site;
    };
  if (options.problem == "drop") return drop(options, domain);
  if (options.problem == "spinodal")
    return [&options, &domain](const At &at) {
      Site site;
      const auto place =
          (static_cast<std::uint64_t>(at[0]) * static_cast<std::uint64_t>(domain.global(1)) + static_cast<std::uint64_t>(at[1])) *
              static_cast<std::uint64_t>(domain.global(2)) +
          static_cast<std::uint64_t>(at[2]);
      site.phi = options.noise * random_number(options.seed, place);
      return site;
    };
  return [](const At &) { return Site{}; };
}

}  // namespace boltzmann
