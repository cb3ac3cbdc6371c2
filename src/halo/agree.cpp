// Comparing specs, and finding the order of the dimensions in memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/agree.hpp"

#include <cstdio>
#include <string>

#include "engine/communicator/consistency.hpp"
#include "exchange/fields.hpp"
#include "halo/grid.hpp"
#include "halo/tables.hpp"

namespace halocline::core {
namespace {

/// The directions in which a field is filled, as the bits of a number: directions 0 to 59 (part 0), or the others (part 1).
std::int64_t fills_as_number(const hlc_halo_spec &spec, int field, int part) {
  constexpr int kBits = 60;
  std::int64_t bits = 0;
  for_each_direction(spec, [&](const std::array<int, kMaxDims> &v) {
    const int number = direction_index(v, spec.grid->ndims);
    if (number / kBits == part && fills(spec, static_cast<std::size_t>(field), v)) bits |= std::int64_t{1} << (number % kBits);
  });
  return bits;
}

const char *shapes_word(std::int64_t value) { return value ? "given" : "NULL"; }

const char *own_depth_word(std::int64_t value) { return value ? "1" : "0 (the spec's depths)"; }

void add_shape(std::vector<Rule> &rules, const std::string &who, const hlc_field_shape &shape, int ndims) {
  rules.push_back({"shape.own_depth of " + who, shape.own_depth != 0, own_depth_word});
  for (int d = 0; d < ndims; ++d) {
    rules.push_back({indexed("shape.stagger", d) + " of " + who, shape.stagger[d], stagger_word});
    rules.push_back({indexed("shape.depth_low", d) + " of " + who, shape.own_depth ? shape.depth_low[d] : 0});
    rules.push_back({indexed("shape.depth_high", d) + " of " + who, shape.own_depth ? shape.depth_high[d] : 0});
  }
}

const char *stencil_word(std::int64_t value) { return value == HLC_STENCIL_STAR ? "star" : "box"; }

Nesting nesting_of(const hlc_halo_spec &spec, int field) {
  const Extents extents = Extents::of(spec, field);
  return find_nesting(extents, spec.grid->ndims, field_strides(spec, spec.fields[field], extents));
}

/// What each rank knows of the fields' order in memory, and what all know together.
struct Nestings : Job {
  std::vector<Nesting> mine, all;
};

/// Two dimensions of which ranks disagree which of them varies faster.
struct Contradiction {
  int inner = -1, outer = -1;  // below 0: no two ranks, but three or more
  std::int64_t ranks[2] = {0, 0};  // the lowest that has it so, and the lowest that has the two exchanged
};

/// The same on all ranks, as `all` is. Collective; allocates nothing.
Status find_contradiction(Communicator &communicator, int ndims, const Nesting &mine, const Nesting &all, Contradiction *found) {
  for (int inner = 0; inner < ndims; ++inner)
    for (int outer = 0; outer < ndims && found->inner < 0; ++outer)
      if (all.inside[inner][outer] && all.inside[outer][inner]) found->inner = inner, found->outer = outer;
  if (found->inner < 0) return Status::ok;
  found->ranks[0] = mine.inside[found->inner][found->outer] ? communicator.rank() : communicator.size();
  found->ranks[1] = mine.inside[found->outer][found->inner] ? communicator.rank() : communicator.size();
  return reduce(communicator, communicator.comm(), MPI_MIN, found->ranks, 2);
}

Status refuse_nesting(Communicator &communicator, const hlc_halo_spec &spec, const char *field, const Nesting &mine, const Nesting &all) {
  Contradiction found;
  HLC_TRY(find_contradiction(communicator, spec.grid->ndims, mine, all, &found));
  char how[160] = "";
  if (found.inner >= 0)
    std::snprintf(how, sizeof how, "on rank %lld dimension %d varies faster than dimension %d, on rank %lld it is the other way round; ",
                  static_cast<long long>(found.ranks[0]), found.inner, found.outer, static_cast<long long>(found.ranks[1]));
  return fail(
      Status::mismatch,
      "%s: ranks disagree on the order of the dimensions of field '%s' in memory: %sgive all ranks the same layout, or stride_bytes "
      "that grow in the same order",
      PlanCall(communicator, spec.name).text, field, how);
}

}  // namespace

Status agree_on_spec(Communicator &communicator, const hlc_halo_spec &spec, const Options &options) {
  const int ndims = spec.grid->ndims;
  const PlanCall call(communicator, spec.name);
  HLC_TRY(check_rules(communicator, call.text, [&] {
    std::vector<Rule> rules = rules_of(options);
    rules.insert(rules.end(), {{"ndims", ndims},
                               {"nfields", spec.nfields},
                               {"stencil", spec.stencil, stencil_word},
                               {"rebind", spec.rebind != 0},
                               {"staged", spec.staged != 0},
                               {"shapes", spec.shapes != nullptr, shapes_word},
                               order_rule(spec.neighbours ? hlc_grid{} : *spec.grid)});
    return rules;
  }));
  return check_rules(communicator, call.text, [&] {
    std::vector<Rule> rules;
    for (int d = 0; d < ndims; ++d) {
      rules.push_back({"depth_low[" + std::to_string(d) + "]", spec.depth_low[d]});
      rules.push_back({"depth_high[" + std::to_string(d) + "]", spec.depth_high[d]});
    }
    for (int f = 0; f < spec.nfields; ++f) {
      const std::string who = indexed("fields", f) + " '" + field_name(spec, f) + "'";
      rules.push_back({"type of " + who, spec.fields[f].type, type_name});
      rules.push_back({"element_bytes of " + who, element_bytes(spec.fields[f])});
      if (spec.shapes) add_shape(rules, who, spec.shapes[f], ndims);
      for (int part = 0; part < 2; ++part)
        rules.push_back({(part ? "fills, from 60 on, of " : "fills of ") + who, fills_as_number(spec, f, part)});
    }
    return rules;
  });
}

Status agree_on_orders(Communicator &communicator, const hlc_halo_spec &spec, std::vector<HaloField> &fields) {
  std::unique_ptr<Nestings> nestings;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    nestings = std::make_unique<Nestings>();
    for (int f = 0; f < spec.nfields; ++f) nestings->mine.push_back(nesting_of(spec, f));
    nestings->all.resize(nestings->mine.size());
    nestings->requests.resize(1, MPI_REQUEST_NULL);
    return Status::ok;
  }));
  const auto count = static_cast<int>(nestings->mine.size() * sizeof(Nesting) / sizeof(int));
  HLC_TRY(check_mpi(
      MPI_Iallreduce(nestings->mine.data(), nestings->all.data(), count, MPI_INT, MPI_MAX, communicator.comm(), nestings->requests.data()),
      "MPI_Iallreduce"));
  HLC_TRY(await(communicator, nestings));
  for (std::size_t f = 0; f < nestings->all.size(); ++f)
    if (!order_dims(nestings->all[f], spec.grid->ndims, spec.layout, fields[f].order))
      return refuse_nesting(communicator, spec, fields[f].name.c_str(), nestings->mine[f], nestings->all[f]);
  return Status::ok;
}

}  // namespace halocline::core
