// SPDX-License-Identifier: BSD-3-Clause
#include "fluid.hpp"

#include "rows.hpp"

#include <algorithm>
#include <cmath>

namespace boltzmann {
namespace {

const char *const kNames[kVelocities] = {"f0",  "f1",  "f2",  "f3",  "f4",  "f5",  "f6",  "f7",  "f8", "f9",
                                         "f10", "f11", "f12", "f13", "f14", "f15", "f16", "f17", "f18"};

std::vector<Component> distributions(int fluids) {
  std::vector<Component> all;
  for (int fluid = 0; fluid < fluids; ++fluid)
    for (int i = 0; i < kVelocities; ++i) all.push_back({kC[i], kNames[i]});
  return all;
}

/// Velocity and density of a site, of its distributions after a collision: at(i).
template <class At>
Site site_of(const Relaxation &relaxation, At at) {
  Site site;
  double momentum[kDims] = {};
  site.rho = 0;
  for (int i = 0; i < kVelocities; ++i) {
    const double value = at(i);
    site.rho += value;
    for (int d = 0; d < kDims; ++d) momentum[d] += kC[i][d] * value;
  }
  for (int d = 0; d < kDims; ++d) site.u[static_cast<std::size_t>(d)] = (momentum[d] - 0.5 * relaxation.force[d]) / site.rho;
  return site;
}

}  // namespace

double speed_of(const Site &site) {
  const double square = site.u[0] * site.u[0] + site.u[1] * site.u[1] + site.u[2] * site.u[2];
  return site.rho > 0 && std::isfinite(square) ? std::sqrt(square) : HUGE_VAL;
}

void TooFast::take(const TooFast &other) {
  const bool is_earlier = other.step != step ? other.step < step : other.speed != speed ? other.speed > speed : other.site < site;
  if (other.has_been() && is_earlier) *this = other;
}

Memories::Memories(const halocline::Context &context, const Domain &domain, const Options &options)
    : distributions(make_memory(context, domain, options.order_parameter == "lb" ? 2 * kVelocities : kVelocities)),
      phi(make_memory(context, domain, options.is_binary() ? 1 : 0)),
      fluxes(make_memory(context, domain, options.order_parameter == "fd" ? 1 + kDims : 0)),
      f(kVelocities, domain.n(2)),
      g(kVelocities, domain.n(2)),
      around(kAround, domain.n(2) + 2),
      chemistry(kChemistry, domain.n(2)),
      velocity(kDims, domain.n(2)) {}

Fluid::Fluid(const halocline::Context &context, const Domain &domain, const Options &options, common::Skew &skew, Memories &memories,
             const Kind &kind)
    : domain_(domain),
      is_binary_(options.is_binary()),
      is_differenced_(options.order_parameter == "fd"),
      overlap_(options.overlap),
      relaxation_(options.viscosity, options.force),
      energy_{options.bulk, options.kappa, options.mobility},
      f_(memories.f),
      g_(memories.g),
      around_(memories.around),
      chemistry_(memories.chemistry),
      velocity_(memories.velocity) {
  for_rows(domain, false, [&](std::int64_t, std::int64_t) { ++inner_rows_; });
  const auto make = [&](Memory &memory, const std::vector<Component> &components, const char *name) {
    return kind.make({context, domain, skew, memory, components, name, options.halo == "full"});
  };
  swap_ = make(memories.distributions, distributions(options.order_parameter == "lb" ? 2 : 1), kSwapNames[kDistributions]);
  if (is_binary_) phi_swap_ = make(memories.phi, {{nullptr, "phi"}}, kSwapNames[kOrderParameter]);
  if (is_differenced_)
    flux_swap_ = make(memories.fluxes, {{nullptr, "mu"}, {nullptr, "u_x"}, {nullptr, "u_y"}, {nullptr, "u_z"}}, kSwapNames[kGradients]);
}

std::int64_t Fluid::bytes_in() const {
  std::int64_t bytes = 0;
  for (const auto *one : {&swap_, &phi_swap_, &flux_swap_})
    if (*one) bytes += (*one)->bytes_in();
  return bytes;
}

void Fluid::settle() {
  for (auto *one : {&swap_, &phi_swap_, &flux_swap_})
    if (*one) (*one)->settle();
}

// ---------------------------------------------------------------- steps

/// Rows that need no other rank, and with them what is worth prefetching for the others. Returns the time at the end.
double Fluid::inner_rows(Swap &one, int turn, RowBody body) {
  const double begin = MPI_Wtime();
  common::Ahead ahead;
  bool asks = true;
  std::int64_t left = inner_rows_;
  for_rows(domain_, false, [&](std::int64_t x, std::int64_t y) {
    if (asks)
      if (const common::CacheLines *lines = one.look(turn)) {
        ahead = common::Ahead(*lines, static_cast<std::size_t>(left));
        asks = false;
      }
    ahead.step();
    --left;
    (this->*body)(x, y);
  });
  const double end = MPI_Wtime();
  times_.inner += end - begin;
  return end;
}

/// Swaps, and computes the rows, of which the inner ones need nothing that is swapped.
void Fluid::swap(Swapped which, int turn, RowBody body) {
  Swap &one = swap_of(which);
  double &spent = times_.swaps[which];
  const double begin = MPI_Wtime();
  one.start(turn);
  if (overlap_) {
    spent += MPI_Wtime() - begin;
    const double computed = inner_rows(one, turn, body);
    one.finish(turn);
    spent += MPI_Wtime() - computed;
  } else {
    one.finish(turn);
    spent += MPI_Wtime() - begin;
    inner_rows(one, turn, body);
  }
  const double last = MPI_Wtime();
  for_rows(domain_, true, [&](std::int64_t x, std::int64_t y) { (this->*body)(x, y); });
  times_.outer += MPI_Wtime() - last;
}

void Fluid::step() {
  if (!is_binary_) {
    swap(kDistributions, turn(), &Fluid::collide_single);
  } else if (!is_differenced_) {
    swap(kDistributions, turn(), &Fluid::sum_order_parameter);
    swap(kOrderParameter, turn(), &Fluid::collide_binary);
  } else {
    const double begin = MPI_Wtime();
    swap_->start(turn());
    swap_->finish(turn());
    times_.swaps[kDistributions] += MPI_Wtime() - begin;
    swap(kOrderParameter, turn(), &Fluid::collide_binary);
    swap(kGradients, turn(), &Fluid::advance_order_parameter);
  }
  ++step_;
}

void Fluid::pull_fluid(std::int64_t x, std::int64_t y) {
  for (int i = 0; i < kVelocities; ++i) pull(*swap_, turn(), 0, i, x, y, f_[i]);
}

/// Writes a row of the next turn.
void Fluid::put(Rows &from, int base, std::int64_t x, std::int64_t y) {
  for (int i = 0; i < kVelocities; ++i) std::copy(from[i], from[i] + domain_.n(2), swap_->row(1 - turn(), base + i, x, y));
}

/// Of a row that has collided, and has a site that is too fast.
void Fluid::note_speeds(std::int64_t x, std::int64_t y) {
  for (std::int64_t z = 0; z < domain_.n(2); ++z) {
    const double speed = speed_of(site_of(relaxation_, [&](int i) { return f_[i][z]; }));
    const TooFast here{step_ + 1, speed, domain_.number(x, y, z)};
    if (!(3 * speed * speed < kMostMach * kMostMach)) compressed_.take(here);
    if (!(3 * speed * speed < 1)) unstable_.take(here);
  }
}

void Fluid::collide_single(std::int64_t x, std::int64_t y) {
  pull_fluid(x, y);
  if (!collide(relaxation_, f_, domain_.n(2), nullptr, nullptr)) note_speeds(x, y);
  put(f_, 0, x, y);
}

void Fluid::sum_order_parameter(std::int64_t x, std::int64_t y) {
  const std::int64_t n = domain_.n(2);
  for (int i = 0; i < kVelocities; ++i) pull(*swap_, turn(), kVelocities, i, x, y, g_[i]);
  double *phi = phi_swap_->row(turn(), 0, x, y);
  std::copy(g_[0], g_[0] + n, phi);
  for (int i = 1; i < kVelocities; i += 2)
    for (std::int64_t z = 0; z < n; ++z) phi[z] += g_[i][z] + g_[i + 1][z];
}

void Fluid::find_chemistry(int turn, std::int64_t x, std::int64_t y) {
  for (int dx = -1; dx <= 1; ++dx)
    for (int dy = -1; dy <= 1; ++dy) read(*phi_swap_, turn, 0, x + dx, y + dy, around_[3 * (dx + 1) + dy + 1]);
  add_chemistry(energy_, around_, domain_.n(2), chemistry_);
}

void Fluid::collide_binary(std::int64_t x, std::int64_t y) {
  const std::int64_t n = domain_.n(2);
  find_chemistry(turn(), x, y);
  pull_fluid(x, y);
  if (!collide(relaxation_, f_, n, &chemistry_, &velocity_)) note_speeds(x, y);
  put(f_, 0, x, y);
  if (is_differenced_) {
    std::copy(chemistry_[kPotential], chemistry_[kPotential] + n, flux_swap_->row(turn(), 0, x, y));
    for (int d = 0; d < kDims; ++d) std::copy(velocity_[d], velocity_[d] + n, flux_swap_->row(turn(), 1 + d, x, y));
    return;
  }
  // All of the order parameter relaxes in one step, so that only its moments are needed.
  set_order_parameter(energy_, g_, n, phi_swap_->row(turn(), 0, x, y), velocity_, chemistry_);
  put(g_, kVelocities, x, y);
}

/// phi changes by what passes the six faces of a site: the mean of phi u on both sides, and the mobility times the difference of the
/// chemical potential. Both sites of a face compute the same flux. Nothing passes a wall.
void Fluid::advance_order_parameter(std::int64_t x, std::int64_t y) {
  const std::int64_t n = domain_.n(2);
  static constexpr int kStep[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  const double *old = phi_swap_->row(turn(), 0, x, y);
  double *next = phi_swap_->row(1 - turn(), 0, x, y);
  Rows here(kDims + 2, n + 2), there(3, n + 2);
  read(*phi_swap_, turn(), 0, x, y, here[0]);
  for (int c = 0; c < 1 + kDims; ++c) read(*flux_swap_, turn(), c, x, y, here[1 + c]);
  std::vector<double> loss(static_cast<std::size_t>(n), 0.0);
  const auto passes = [&](int d, std::int64_t at, int side) {
    const bool is_end = side < 0 ? at == 0 : at == domain_.n(d) - 1;
    return !(is_end && swap_->domain().ends_in_wall(d, side));
  };
  for (const auto &step : kStep) {
    const int d = step[0] != 0 ? 0 : 1, side = step[0] + step[1];
    if (!passes(d, d == 0 ? x : y, side)) continue;
    read(*phi_swap_, turn(), 0, x + step[0], y + step[1], there[0]);
    read(*flux_swap_, turn(), 0, x + step[0], y + step[1], there[1]);
    read(*flux_swap_, turn(), 1 + d, x + step[0], y + step[1], there[2]);
    for (std::int64_t z = 1; z <= n; ++z)
      loss[static_cast<std::size_t>(z - 1)] +=
          side * 0.5 * (here[0][z] * here[2 + d][z] + there[0][z] * there[2][z]) - energy_.mobility * (there[1][z] - here[1][z]);
  }
  for (std::int64_t z = 1; z <= n; ++z)
    for (const int side : {-1, 1})
      if (passes(2, z - 1, side))
        loss[static_cast<std::size_t>(z - 1)] += side * 0.5 * (here[0][z] * here[4][z] + here[0][z + side] * here[4][z + side]) -
                                                 energy_.mobility * (here[1][z + side] - here[1][z]);
  for (std::int64_t z = 0; z < n; ++z) next[z] = old[z] - loss[static_cast<std::size_t>(z)];
}

// ---------------------------------------------------------------- begin, and what there is

void Fluid::begin(const std::function<Site(const std::array<std::int64_t, kDims> &)> &at) {
  step_ = 0;
  compressed_ = unstable_ = {};
  const std::int64_t n = domain_.n(2);
  const auto all = [&](const auto &body) {
    for (const bool outer : {false, true}) for_rows(domain_, outer, body);
  };
  const auto given = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return at({x + domain_.start(0), y + domain_.start(1), z + domain_.start(2)});
  };
  // The first step writes phi to turn 0 anew, unless it has no distributions: neighbours may still read the one of the beginning.
  const int phi_turn = is_differenced_ ? 0 : 1;
  if (is_binary_) {
    all([&](std::int64_t x, std::int64_t y) {
      for (std::int64_t z = 0; z < n; ++z) phi_swap_->row(phi_turn, 0, x, y)[z] = given(x, y, z).phi;
    });
    phi_swap_->start(phi_turn);
    phi_swap_->finish(phi_turn);
  }
  std::vector<double> rho(static_cast<std::size_t>(n));
  all([&](std::int64_t x, std::int64_t y) {
    for (std::int64_t z = 0; z < n; ++z) {
      const Site site = given(x, y, z);
      rho[static_cast<std::size_t>(z)] = site.rho;
      // Half of the force has acted after a collision.
      for (int d = 0; d < kDims; ++d) velocity_[d][z] = site.u[static_cast<std::size_t>(d)] + 0.5 * relaxation_.force[d] / site.rho;
    }
    if (is_binary_) find_chemistry(phi_turn, x, y);
    set_equilibrium(f_, n, rho.data(), velocity_, is_binary_ ? &chemistry_ : nullptr);
    for (int i = 0; i < kVelocities; ++i) std::copy(f_[i], f_[i] + n, swap_->row(0, i, x, y));
    if (!is_binary_ || is_differenced_) return;
    set_order_parameter(energy_, g_, n, phi_swap_->row(phi_turn, 0, x, y), velocity_, chemistry_);
    for (int i = 0; i < kVelocities; ++i) std::copy(g_[i], g_[i] + n, swap_->row(0, kVelocities + i, x, y));
  });
}

double *Fluid::stored_row(int component, std::int64_t x, std::int64_t y) {
  return component < swap_->components() ? swap_->row(turn(), component, x, y) : phi_swap_->row(turn(), 0, x, y);
}

Site Fluid::site(std::int64_t x, std::int64_t y, std::int64_t z) {
  Site site = site_of(relaxation_, [&](int i) { return swap_->row(turn(), i, x, y)[z]; });
  if (is_differenced_) site.phi = phi_swap_->row(turn(), 0, x, y)[z];
  for (int i = 0; is_binary_ && !is_differenced_ && i < kVelocities; ++i) site.phi += swap_->row(turn(), kVelocities + i, x, y)[z];
  return site;
}

void Fluid::share_order_parameter() {
  const std::int64_t n = domain_.n(2);
  const auto sum = [&](std::int64_t x, std::int64_t y) {
    double *phi = phi_swap_->row(turn(), 0, x, y);
    for (std::int64_t z = 0; z < n; ++z) phi[z] = site(x, y, z).phi;
  };
  for (const bool outer : {false, true}) for_rows(domain_, outer, sum);
  phi_swap_->start(turn());
  phi_swap_->finish(turn());
}

void Fluid::pressure(std::int64_t x, std::int64_t y, double *to) {
  find_chemistry(turn(), x, y);
  for (std::int64_t z = 0; z < domain_.n(2); ++z)
    to[z] = site(x, y, z).rho / 3 + (chemistry_[0][z] + chemistry_[1][z] + chemistry_[2][z]) / 3;
}

}  // namespace boltzmann
