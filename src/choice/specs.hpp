// What mode auto takes from a plan's spec and its swaps: the mode of each candidate's plan, and names for what swaps move. Times of like
// swaps are compared; the names are the same on all ranks, as the swaps are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <algorithm>

#include "choice/trial.hpp"

namespace halocline::core {

/// The mode of a candidate's plan. A plan in mode view acts as one in mode direct until it is finished by views. An exchange has no fields
/// to read, so that direct is notify.
inline hlc_mode plan_mode(const hlc_halo_spec &, hlc_mode mode) { return mode == HLC_MODE_DIRECT ? HLC_MODE_VIEW : mode; }
inline hlc_mode plan_mode(const hlc_index_halo_spec &, hlc_mode mode) { return mode == HLC_MODE_DIRECT ? HLC_MODE_VIEW : mode; }
inline hlc_mode plan_mode(const hlc_blocks_spec &, hlc_mode mode) { return mode; }
inline hlc_mode plan_mode(const hlc_exchange_spec &, hlc_mode mode) { return mode == HLC_MODE_DIRECT ? HLC_MODE_NOTIFY : mode; }

/// Threads that drive a swap together; ranks may have different numbers of them.
template <class Spec>
int threads_of(const Spec &spec) {
  if constexpr (requires { spec.parts; })
    return spec.parts;
  else
    return 1;
}

/// Whether a test of a swap may have to start a part of it.
template <class Spec>
bool in_stages(const Spec &spec) {
  if constexpr (requires { spec.staged; })
    return spec.staged != 0;
  else
    return false;
}

/// The most halo cells on one side of a field, as the spec says. A swap may name that depth, and another rank pass 0.
inline std::int64_t deepest_of(const hlc_halo_spec &spec) {
  std::int64_t most = 0;
  for (int d = 0; d < spec.grid->ndims; ++d) {
    bool any = !spec.shapes;
    for (int f = 0; spec.shapes && f < spec.nfields; ++f)
      if (const hlc_field_shape &shape = spec.shapes[f]; shape.own_depth)
        most = std::max({most, shape.depth_low[d], shape.depth_high[d]});
      else
        any = true;
    if (any) most = std::max({most, spec.depth_low[d], spec.depth_high[d]});
  }
  return most;
}

/// What a swap of everything moves: a call may list it all, and another rank pass NULL.
struct Whole {
  int fields = 0, dims = 0;  // dims 0: swaps have no dimensions
  std::int64_t depth = 0;
};
inline Whole whole_of(const hlc_halo_spec &spec) { return {spec.nfields, spec.grid->ndims, deepest_of(spec)}; }
inline Whole whole_of(const hlc_index_halo_spec &spec) { return {spec.nfields}; }
/// How deep blocks are the plan knows.
inline Whole whole_of(const hlc_blocks_spec &spec) { return {spec.nfields}; }
inline Whole whole_of(const hlc_exchange_spec &) { return {}; }

/// No number of fields, and no dimension.
constexpr int kReverse = -1000, kDepth = -1001;

/// FNV-1a over numbers.
class SignatureHash {
 public:
  void add(int number) { hash_ = (hash_ ^ static_cast<unsigned>(number)) * 0x100000001B3u; }
  SwapSignature value() const { return hash_ | 1; }

 private:
  SwapSignature hash_ = 0xCBF29CE484222325u;
};

/// A rank's list that all share. What a call passes has not been checked yet: a list that is too long is not read.
inline void add_fields(SignatureHash &hash, const Whole &whole, int nfields, const int *fields) {
  hash.add(nfields);
  for (int i = 0; fields && nfields <= whole.fields && i < nfields; ++i) hash.add(fields[i]);
}

inline SwapSignature signature_of(const Whole &whole, const hlc_swap *what) {
  SignatureHash hash;
  if (!what) return hash.value();
  if (what->reverse) hash.add(kReverse);
  if (what->nfields > 0 && what->nfields != whole.fields) add_fields(hash, whole, what->nfields, what->fields);
  if (what->depth > 0 && what->depth < whole.depth) {
    hash.add(kDepth);
    hash.add(static_cast<int>(what->depth));
  }
  if (what->one_dim && (whole.dims != 1 || what->side != HLC_SIDE_BOTH)) {
    hash.add(-1 - what->dim);
    hash.add(static_cast<int>(what->side));
  }
  return hash.value();
}

inline SwapSignature signature_of(const Whole &whole, const hlc_index_swap *what) {
  SignatureHash hash;
  if (!what) return hash.value();
  if (what->reverse) hash.add(kReverse);
  if (what->nfields > 0 && what->nfields != whole.fields) add_fields(hash, whole, what->nfields, what->fields);
  return hash.value();
}

/// An exchange always moves the same.
inline SwapSignature signature_of(const Whole &) { return SignatureHash().value(); }

}  // namespace halocline::core
