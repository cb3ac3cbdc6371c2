// Check mode of a halo: guards, poison and comparison.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/check.hpp"

#include <algorithm>
#include <cstring>

#include "device/pointers.hpp"
#include "engine/communicator/communicator.hpp"
#include "halo/cells.hpp"

namespace halocline::core {
namespace {

/// Of a field's array: the cells that are not halo, and all cells.
Box block_of(const HaloField &field) { return {field.extents.low, field.extents.block}; }
Box whole_of(const HaloField &field) {
  Box box;
  for (int d = 0; d < kMaxDims; ++d) box.count[static_cast<std::size_t>(d)] = field.extents.cells(d);
  return box;
}

}  // namespace

HaloCheck::HaloCheck(const HaloTables &tables, Exchange &exchange, const hlc_halo_spec &spec)
    : tables_(tables), exchange_(exchange), check_(*exchange.check()), findings_(check_.findings()) {
  for (const HaloField &field : tables_.fields) {
    poisons_.emplace_back(field.type, field.element, exchange.plan().communicator->rank());
    if (spec.rebind) planned_.push_back(field.data);
  }
  tainted_.resize(poisons_.size());
  sums_.resize(poisons_.size());
}

// ---------------------------------------------------------------- words

/// A cell as the user counts it: 0 is the first of the block, so that low halo cells are negative. A stage's block has grown by some of
/// them.
std::string HaloCheck::name(std::size_t f, const Cells &cell) const {
  std::string place;
  for (std::size_t d = 0; d < static_cast<std::size_t>(tables_.ndims); ++d)
    place += (d ? ", " : "") + std::to_string(cell[d] - field(f).extents.low[d] - tables_.grown[d]);
  return "cell (" + place + ") of field " + std::to_string(f) + " '" + field(f).name + "' (counted from 0)";
}

std::string HaloCheck::value(std::size_t f, const char *cell) const { return element_in_words(field(f).type, field(f).element, cell); }

/// Poison does not tell from which halo it was read; most stencils read the nearest.
int HaloCheck::nearest_neighbour(std::size_t f, const Cells &cell) const {
  int rank = -1;
  std::int64_t least = INT64_MAX;
  for (const auto *paths : {&tables_.paths, &tables_.self_paths, &tables_.repeats})
    for (const HaloPath &path : *paths) {
      const Box &halo = path.moves[f].halo_box;
      std::int64_t distance = halo.cells() > 0 ? 0 : INT64_MAX;
      for (std::size_t d = 0; d < cell.size() && distance < INT64_MAX; ++d) {
        const std::int64_t first = halo.start[d], last = first + halo.count[d] - 1;
        distance += std::max({first - cell[d], cell[d] - last, std::int64_t{0}});
      }
      if (distance >= least) continue;
      least = distance;
      rank = path.direction.rank;
    }
  return rank;
}

/// What the swap moves, as numbers to compare and as words. Swaps that move the same are described alike, however they were asked for.
void HaloCheck::describe(const hlc_swap *what) {
  const bool one_dim = what && what->one_dim && !(tables_.ndims == 1 && what->side == HLC_SIDE_BOTH);
  const char *sides[] = {"both sides", "the low side", "the high side"};
  descriptor_.what = {tables_.reverse, one_dim, one_dim ? what->dim : 0, one_dim ? what->side : 0};
  descriptor_.what.push_back(tables_.most == kWholeDepth ? 0 : static_cast<int>(tables_.most));
  descriptor_.words = tables_.swapped.size() == tables_.fields.size() ? "all fields" : "the fields";
  for (const int f : tables_.swapped) {
    descriptor_.what.push_back(f);
    if (descriptor_.words.size() < 200 && tables_.swapped.size() < tables_.fields.size())
      descriptor_.words += " '" + field(static_cast<std::size_t>(f)).name + "'";
  }
  if (!planned_.empty()) describe_arrays();
  if (one_dim) descriptor_.words += std::string(", ") + sides[what->side] + " of dimension " + std::to_string(what->dim);
  if (tables_.most != kWholeDepth) descriptor_.words += ", " + std::to_string(tables_.most) + " deep";
  if (tables_.reverse) descriptor_.words += ", in reverse";
}

/// Which fields use another array than the spec's. All ranks must do so for the same fields; addresses may differ.
void HaloCheck::describe_arrays() {
  std::string others;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const bool other = field(f).data != planned_[f];
    descriptor_.what.push_back(other);
    if (other && others.size() < 200) others += " '" + field(f).name + "'";
  }
  if (!others.empty()) descriptor_.words += ", with other arrays for" + others;
}

// ---------------------------------------------------------------- start

std::vector<char> HaloCheck::pack(std::size_t f, const Box &box) const {
  const HaloField &from = field(f);
  std::vector<char> packed(static_cast<std::size_t>(box.cells() * from.element));
  const Strides strides = packed_strides(box.count, from.element, from.order);
  copy(packed.data(), from.data + box_offset(box, from.strides), plan_copy(box.count, strides, from.strides, from.element, from.order));
  return packed;
}

/// What goes to a neighbour, packed as in the message.
std::vector<char> HaloCheck::pack_for(const HaloPath &path) const {
  std::vector<char> all;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const HaloMove &move = path.moves[f];
    if ((tables_.reverse ? move.halo_bytes : move.edge_bytes) == 0) continue;
    const Box &box = tables_.reverse ? move.halo_box : move.edge_box;
    const std::vector<char> cells = is_on_device(f) ? pack_image(f, tables_.reverse ? move.halo : move.edge, box) : pack(f, box);
    all.insert(all.end(), cells.begin(), cells.end());
  }
  return all;
}

bool HaloCheck::is_on_device(std::size_t f) const { return field(f).device != device::kHost; }

std::vector<char> HaloCheck::pack_image(std::size_t f, const char *image, const Box &box) const {
  return {image, image + box.cells() * field(f).element};
}

void HaloCheck::guard(const Guard &guard) {
  if (is_on_device(guard.field)) return;
  guards_.push_back(guard);
  if (!guard.is_poisoned) guards_.back().copy = pack(guard.field, guard.box);
}

void HaloCheck::guard_edge(const HaloPath &path, Box HaloMove::*box, std::int64_t HaloMove::*of) {
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    if (path.moves[f].*of > 0) guard({f, path.moves[f].*box, path.direction.rank, true, false, {}});
  }
}

void HaloCheck::guard_halo(const HaloPath &path) {
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    if (path.moves[f].halo_bytes > 0) guard({f, path.moves[f].halo_box, path.direction.rank, false, !tables_.reverse, {}});
  }
}

/// Forwards, what is sent are edges and what is filled are halos; in reverse, halos are sent and edges are added to.
void HaloCheck::list_guards() {
  guards_.clear();
  const bool forward = !tables_.reverse;
  for (std::size_t e = 0; e < tables_.paths.size(); ++e) {
    const HaloPath &path = tables_.paths[e];
    const Part &part = exchange_.parts()[e];
    if ((forward ? part.out : part.in) > 0) guard_edge(path, &HaloMove::edge_box, &HaloMove::edge_bytes);
    if ((forward ? part.in : part.out) > 0) guard_halo(path);
  }
  for (const HaloPath &path : tables_.self_paths) {
    if (!path.active) continue;
    guard_edge(path, &HaloMove::source, &HaloMove::halo_bytes);
    guard_halo(path);
  }
  for (const HaloPath &path : tables_.repeats)
    if (path.active) guard_halo(path);
}

const RoundDescriptor &HaloCheck::start(const hlc_swap *what) {
  look_for_poison("when the next swap was started");
  describe(what);
  reported_.assign(poisons_.size(), 0);
  list_guards();
  descriptor_.values.resize(tables_.paths.size());
  for (std::size_t e = 0; e < tables_.paths.size(); ++e) {
    descriptor_.values[e].clear();
    if (exchange_.parts()[e].out > 0) descriptor_.values[e] = pack_for(tables_.paths[e]);
  }
  for (const Guard &guard : guards_) {
    if (!guard.is_poisoned) continue;
    const std::vector<char> &poison = poisons_[guard.field].cell();
    const HaloField &to = field(guard.field);
    for_each_cell(guard.box, to.strides, to.order, to.data, [&](const Cells &, char *cell) {
      std::memcpy(cell, poison.data(), poison.size());
      return true;
    });
  }
  return descriptor_;
}

// ---------------------------------------------------------------- finish

void HaloCheck::before_finish() {
  for (const Guard &guard : guards_) report_if_written(guard);
}

void HaloCheck::before_delivery() {
  if (tables_.reverse) expect_sums();
}

void HaloCheck::report_if_written(const Guard &guard) {
  if (reported_[guard.field]) return;
  if (!guard.is_poisoned && pack(guard.field, guard.box) == guard.copy) return;
  const HaloField &of = field(guard.field);
  const char *was = guard.is_poisoned ? poisons_[guard.field].cell().data() : guard.copy.data();
  for_each_cell(guard.box, of.strides, of.order, of.data, [&](const Cells &cell, const char *is) {
    if (std::memcmp(was, is, static_cast<std::size_t>(of.element)) == 0) {
      was += guard.is_poisoned ? 0 : of.element;
      return true;
    }
    report_written(guard, cell, was, is);
    return false;
  });
}

void HaloCheck::report_written(const Guard &guard, const Cells &cell, const char *was, const char *is) {
  reported_[guard.field] = 1;
  const std::string who = findings_.where() + ": " + name(guard.field, cell), them = "rank " + std::to_string(guard.rank);
  const std::string values = value(guard.field, was) + " at start, " + value(guard.field, is) + " now";
  if (guard.is_edge)
    findings_.found("edges written between start and finish", who + ", in the edge that " + them +
                                                                  " needs, was written between start and finish (" + values +
                                                                  "); cells for the rank itself, and all cells in mode direct, may be read "
                                                                  "as late as in finish, with either value; other modes took "
                                                                  "a copy at start");
  else
    findings_.found("halos written between start and finish", who + ", in the halo that " + them + (tables_.reverse ? " takes" : " fills") +
                                                                  ", was written between start and finish (" + values + "); finish " +
                                                                  (tables_.reverse ? "may deliver either" : "overwrites it"));
}

/// A block that is known to hold poison is reported again only after it has been clean.
void HaloCheck::look_for_poison(const char *when) {
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const HaloField &of = field(f);
    if (is_on_device(f)) continue;
    const bool clean = for_each_cell(block_of(of), of.strides, of.order, of.data, [&](const Cells &cell, const char *address) {
      if (!poisons_[f].found_in(address)) return true;
      if (!tainted_[f])
        findings_.found("halos read before finish", findings_.where() + ": " + name(f, cell) + " holds poison, found " + when +
                                                        ": a halo cell was read between start and finish, probably one that rank " +
                                                        std::to_string(nearest_neighbour(f, cell)) + " fills");
      return false;
    });
    tainted_[f] = !clean;
  }
}

void HaloCheck::after_finish() {
  look_for_poison("at finish");
  tables_.reverse ? compare_sums() : compare_halos();
}

void HaloCheck::found_other_array(const HaloPath &path, std::size_t f) {
  findings_.found("ranks swap different arrays",
                  findings_.where() + ": field " + std::to_string(f) + " '" + field(f).name + "' of rank " +
                      std::to_string(path.direction.rank) +
                      " is in another hlc_field_alloc block than this rank's: all ranks must pass the same array");
}

void HaloCheck::report_wrong(const HaloPath &path, std::size_t f, const Cells &cell, const char *expected, const char *is) {
  const std::string them = "rank " + std::to_string(path.direction.rank);
  findings_.found("wrong values delivered", findings_.where() + ": " + name(f, cell) + " holds " + value(f, is) +
                                                (tables_.reverse ? " where the halo of " : " where ") + them +
                                                (tables_.reverse ? " makes it " : " had ") + value(f, expected) + " at start: " + them +
                                                " has written it since, or the value was lost, torn or misplaced on its way");
}

/// Compares the halo with the neighbour's own copy. Poison among a neighbour's values may be this rank's own, sent back; it has been
/// reported already.
void HaloCheck::compare_halos() {
  for (std::size_t e = 0; e < tables_.paths.size(); ++e) {
    const HaloPath &path = tables_.paths[e];
    if (exchange_.parts()[e].in == 0) continue;
    const char *expected = check_.values_of(static_cast<int>(e)).data();
    for (const int number : tables_.swapped) {
      const auto f = static_cast<std::size_t>(number);
      const HaloField &of = field(f);
      const char *end = expected + path.moves[f].halo_bytes;
      if (end == expected) continue;
      const Box &box = path.moves[f].halo_box;
      // The cells' places in the image are those in an array that begins before it.
      const Strides strides = is_on_device(f) ? packed_strides(box.count, of.element, of.order) : of.strides;
      char *const array = is_on_device(f) ? path.moves[f].halo - box_offset(box, strides) : of.data;
      for_each_cell(box, strides, of.order, array, [&](const Cells &cell, const char *is) {
        if (poisons_[f].found_in(expected)) tainted_.assign(tainted_.size(), 1);
        const bool right = std::memcmp(expected, is, static_cast<std::size_t>(of.element)) == 0;
        if (!right) report_wrong(path, f, cell, expected, is);
        expected += of.element;
        return right;
      });
      expected = end;
    }
  }
}

/// The sums that a reverse swap must make, in a copy. It adds in the same order: first to paths of the rank to itself, then the neighbours'
/// halos by edge.
void HaloCheck::expect_sums() {
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const HaloField &of = field(f);
    if (is_on_device(f)) continue;
    const Strides strides = packed_strides(whole_of(of).count, of.element, of.order);
    sums_[f] = pack(f, whole_of(of));
    const auto add_box = [&](const Box &to, const char *from) {
      const Strides packed = packed_strides(to.count, of.element, of.order);
      add(sums_[f].data() + box_offset(to, strides), from, plan_copy(to.count, strides, packed, of.element, of.order), of.type);
    };
    for (const HaloPath &path : tables_.self_paths)
      if (path.active && path.moves[f].halo_bytes > 0) add_box(path.moves[f].source, pack(f, path.moves[f].halo_box).data());
    for (std::size_t e = 0; e < tables_.paths.size(); ++e) {
      if (exchange_.parts()[e].in == 0 || tables_.paths[e].moves[f].edge_bytes == 0) continue;
      const char *from = check_.values_of(static_cast<int>(e)).data();
      for (const int before : tables_.swapped)
        from += before < number ? tables_.paths[e].moves[static_cast<std::size_t>(before)].edge_bytes : 0;
      add_box(tables_.paths[e].moves[f].edge_box, from);
    }
  }
}

void HaloCheck::compare_sums() {
  for (std::size_t e = 0; e < tables_.paths.size(); ++e) {
    const HaloPath &path = tables_.paths[e];
    if (exchange_.parts()[e].in == 0) continue;
    for (const int number : tables_.swapped) {
      const auto f = static_cast<std::size_t>(number);
      if (path.moves[f].edge_bytes == 0 || is_on_device(f)) continue;
      const HaloField &of = field(f);
      const Strides strides = packed_strides(whole_of(of).count, of.element, of.order);
      for_each_cell(path.moves[f].edge_box, of.strides, of.order, of.data, [&](const Cells &cell, const char *is) {
        const char *expected = sums_[f].data();
        for (std::size_t d = 0; d < cell.size(); ++d) expected += cell[d] * strides[d];
        const bool right = std::memcmp(expected, is, static_cast<std::size_t>(of.element)) == 0;
        if (!right) report_wrong(path, f, cell, expected, is);
        return right;
      });
    }
  }
}

}  // namespace halocline::core
