// SPDX-License-Identifier: BSD-3-Clause
#include "collide.hpp"

#include <utility>

// The sites of a row do not depend on each other.
#if defined(__clang__)
#define BOLTZMANN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define BOLTZMANN_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace boltzmann {
namespace {

template <class Body, std::size_t... p>
[[gnu::always_inline]] inline void for_numbers(Body body, std::index_sequence<p...>) {
  (body(std::integral_constant<int, static_cast<int>(p)>{}), ...);
}

/// The product of velocity i and a vector, without the terms that are 0.
template <int i>
[[gnu::always_inline]] inline double along(double x, double y, double z) {
  constexpr const int(&c)[kDims] = kC[i];
  double sum = 0;
  if constexpr (c[0] != 0) sum = c[0] > 0 ? x : -x;
  if constexpr (c[1] != 0) sum = c[1] > 0 ? sum + y : sum - y;
  if constexpr (c[2] != 0) sum = c[2] > 0 ? sum + z : sum - z;
  return sum;
}

/// A symmetric tensor.
struct Tensor {
  double xx, yy, zz, xy, xz, yz;
  double trace() const { return xx + yy + zz; }
};

/// c c : q for velocity i.
template <int i>
[[gnu::always_inline]] inline double along(const Tensor &q) {
  constexpr const int(&c)[kDims] = kC[i];
  double sum = 0;
  if constexpr (c[0] != 0) sum += q.xx;
  if constexpr (c[1] != 0) sum += q.yy;
  if constexpr (c[2] != 0) sum += q.zz;
  if constexpr (c[0] * c[1] != 0) sum += 2.0 * (c[0] * c[1]) * q.xy;
  if constexpr (c[0] * c[2] != 0) sum += 2.0 * (c[0] * c[2]) * q.xz;
  if constexpr (c[1] * c[2] != 0) sum += 2.0 * (c[1] * c[2]) * q.yz;
  return sum;
}

/// m u u, and what chemistry adds.
[[gnu::always_inline]] inline Tensor flux(double m, double ux, double uy, double uz) {
  return {m * ux * ux, m * uy * uy, m * uz * uz, m * ux * uy, m * ux * uz, m * uy * uz};
}

/// The equilibrium of velocity i is even + odd, of its opposite even - odd, of moments m, j and m / 3 + q.
template <int i>
[[gnu::always_inline]] inline double even_part(double m, const Tensor &q) {
  if constexpr (i == 0) return weight(0) * (m - 1.5 * q.trace());
  return weight(i) * (m + 4.5 * along<i>(q) - 1.5 * q.trace());
}
template <int i>
[[gnu::always_inline]] inline double odd_part(double x, double y, double z) {
  return weight(i) * 3.0 * along<i>(x, y, z);
}

using AllPairs = std::make_index_sequence<kPairs>;

/// Writes equilibria of one site. at(i): the value of velocity i.
template <class At>
[[gnu::always_inline]] inline void put_equilibrium(At at, double m, const double (&j)[kDims], const Tensor &q) {
  at(0) = even_part<0>(m, q);
  for_numbers(
      [&](auto pair) __attribute__((always_inline)) {
        constexpr int i = 2 * pair + 1;
        const double even = even_part<i>(m, q), odd = odd_part<i>(j[0], j[1], j[2]);
        at(i) = even + odd;
        at(i + 1) = even - odd;
      },
      AllPairs{});
}

[[gnu::always_inline]] inline void add(Tensor &q, const Rows &chemistry, std::int64_t z) {
  q.xx += chemistry[0][z];
  q.yy += chemistry[1][z];
  q.zz += chemistry[2][z];
  q.xy += chemistry[3][z];
  q.xz += chemistry[4][z];
  q.yz += chemistry[5][z];
}

template <bool kStressed>
bool collide_row(const Relaxation &r, double *f, std::int64_t stride, std::int64_t n, const Rows *chemistry, Rows *velocity) {
  const double even_force = 1 - r.even / 2, odd_force = 1 - r.odd / 2;
  const double fx = r.force[0], fy = r.force[1], fz = r.force[2];
  double *u_x = velocity ? (*velocity)[0] : nullptr, *u_y = velocity ? (*velocity)[1] : nullptr, *u_z = velocity ? (*velocity)[2] : nullptr;
  std::int64_t wrong = 0;
  BOLTZMANN_INDEPENDENT
  for (std::int64_t z = 0; z < n; ++z) {
    double rho = f[z], jx = 0, jy = 0, jz = 0;
    for_numbers(
        [&](auto pair) __attribute__((always_inline)) {
          constexpr int i = 2 * pair + 1;
          const double up = f[i * stride + z], down = f[(i + 1) * stride + z], difference = up - down;
          rho += up + down;
          if constexpr (kC[i][0] != 0) jx += kC[i][0] > 0 ? difference : -difference;
          if constexpr (kC[i][1] != 0) jy += kC[i][1] > 0 ? difference : -difference;
          if constexpr (kC[i][2] != 0) jz += kC[i][2] > 0 ? difference : -difference;
        },
        AllPairs{});
    // The velocity is that in the middle of the step, after half of the force.
    jx += 0.5 * fx, jy += 0.5 * fy, jz += 0.5 * fz;
    const double ux = jx / rho, uy = jy / rho, uz = jz / rho;
    wrong |= ((ux * ux + uy * uy + uz * uz < kMostMach * kMostMach / 3) & (rho > 0)) ? 0 : 1;
    Tensor q = flux(rho, ux, uy, uz);
    if constexpr (kStressed) {
      add(q, *chemistry, z);
      u_x[z] = ux, u_y[z] = uy, u_z[z] = uz;
    }
    const double work = ux * fx + uy * fy + uz * fz;
    f[z] += r.even * (even_part<0>(rho, q) - f[z]) - even_force * weight(0) * 3.0 * work;
    for_numbers(
        [&](auto pair) __attribute__((always_inline)) {
          constexpr int i = 2 * pair + 1;
          double &up = f[i * stride + z], &down = f[(i + 1) * stride + z];
          const double even = 0.5 * (up + down), odd = 0.5 * (up - down);
          const double push = along<i>(fx, fy, fz);
          const double even_change =
              r.even * (even_part<i>(rho, q) - even) + even_force * weight(i) * (9.0 * along<i>(ux, uy, uz) * push - 3.0 * work);
          const double odd_change = r.odd * (odd_part<i>(jx, jy, jz) - odd) + odd_force * weight(i) * 3.0 * push;
          up += even_change + odd_change;
          down += even_change - odd_change;
        },
        AllPairs{});
  }
  return wrong == 0;
}

}  // namespace

Relaxation::Relaxation(double viscosity, const std::vector<double> &given) {
  const double even_time = 3 * viscosity + 0.5;
  even = 1 / even_time;
  odd = 1 / (3.0 / 16 / (even_time - 0.5) + 0.5);
  for (std::size_t d = 0; d < kDims; ++d) force[d] = given[d];
}

bool collide(const Relaxation &relaxation, Rows &f, std::int64_t n, const Rows *chemistry, Rows *velocity) {
  return chemistry ? collide_row<true>(relaxation, f[0], f.stride(), n, chemistry, velocity)
                   : collide_row<false>(relaxation, f[0], f.stride(), n, nullptr, nullptr);
}

/// Gradients by the lattice's own weights, which are isotropic to the fourth order.
void add_chemistry(const FreeEnergy &energy, const Rows &around, std::int64_t n, Rows &chemistry) {
  const double bulk = energy.bulk, kappa = energy.kappa;
  BOLTZMANN_INDEPENDENT
  for (std::int64_t z = 0; z < n; ++z) {
    const double phi = around[4][z + 1];
    double gx = 0, gy = 0, gz = 0, laplacian = -4 * phi;
    for_numbers(
        [&](auto pair) __attribute__((always_inline)) {
          constexpr int i = 2 * pair + 1;
          constexpr const int(&c)[kDims] = kC[i];
          const double up = around[3 * (c[0] + 1) + c[1] + 1][z + 1 + c[2]];
          const double down = around[3 * (1 - c[0]) + 1 - c[1]][z + 1 - c[2]];
          const double difference = 3 * weight(i) * (up - down);
          laplacian += 6 * weight(i) * (up + down);
          if constexpr (c[0] != 0) gx += c[0] > 0 ? difference : -difference;
          if constexpr (c[1] != 0) gy += c[1] > 0 ? difference : -difference;
          if constexpr (c[2] != 0) gz += c[2] > 0 ? difference : -difference;
        },
        AllPairs{});
    const double square = phi * phi;
    const double isotropic = bulk * square * (0.75 * square - 0.5) - kappa * (phi * laplacian + 0.5 * (gx * gx + gy * gy + gz * gz));
    chemistry[0][z] = isotropic + kappa * gx * gx;
    chemistry[1][z] = isotropic + kappa * gy * gy;
    chemistry[2][z] = isotropic + kappa * gz * gz;
    chemistry[3][z] = kappa * gx * gy;
    chemistry[4][z] = kappa * gx * gz;
    chemistry[5][z] = kappa * gy * gz;
    chemistry[kPotential][z] = bulk * phi * (square - 1) - kappa * laplacian;
  }
}

void set_equilibrium(Rows &f, std::int64_t n, const double *rho, const Rows &velocity, const Rows *chemistry) {
  for (std::int64_t z = 0; z < n; ++z) {
    const double u[kDims] = {velocity[0][z], velocity[1][z], velocity[2][z]};
    Tensor q = flux(rho[z], u[0], u[1], u[2]);
    if (chemistry) add(q, *chemistry, z);
    put_equilibrium([&](int i) -> double & { return f[i][z]; }, rho[z], {rho[z] * u[0], rho[z] * u[1], rho[z] * u[2]}, q);
  }
}

/// What diffuses is spread like a density of 6 mobility mu, a third of which is its second moment, and the rest stays, as in Ludwig. So
/// nothing moves where mu is uniform. If phi itself were spread so that its second moment is 0, its fourth one would make interfaces wider
/// along diagonals, the more so the lower the mobility.
void set_order_parameter(const FreeEnergy &energy, Rows &g, std::int64_t n, const double *phi, const Rows &velocity,
                         const Rows &chemistry) {
  double *first = g[0];
  const std::int64_t stride = g.stride();
  const double *u_x = velocity[0], *u_y = velocity[1], *u_z = velocity[2], *potential = chemistry[kPotential];
  BOLTZMANN_INDEPENDENT
  for (std::int64_t z = 0; z < n; ++z) {
    const double m = phi[z], ux = u_x[z], uy = u_y[z], uz = u_z[z], moving = 6 * energy.mobility * potential[z];
    put_equilibrium(
        [&](int i) __attribute__((always_inline))->double & { return first[i * stride + z]; }, moving, {m * ux, m * uy, m * uz},
        flux(m, ux, uy, uz));
    first[z] += m - moving;
  }
}

}  // namespace boltzmann
