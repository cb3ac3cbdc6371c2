// Gathering and intersecting boxes. The halo of a block overlaps each periodic image of another, disjoint block in at most one box. With a
// star stencil only the parts beside the faces count. On nodes each halo value goes with a halo cell (docs/design/024-blocks.md): boxes are
// intersected as cells, and the result is moved to the nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/boxes.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>

#include "engine/communicator/collective.hpp"
#include "engine/memory/node_memory.hpp"
#include "engine/memory/rank_table.hpp"

namespace halocline::core {
namespace {

std::size_t at(int d) { return static_cast<std::size_t>(d); }

/// The intersection of two boxes; without cells if it is empty.
Box common(const Box &a, const Box &b) {
  Box both;
  for (std::size_t d = 0; d < a.start.size(); ++d) {
    both.start[d] = std::max(a.start[d], b.start[d]);
    both.count[d] = std::max<std::int64_t>(0, std::min(a.start[d] + a.count[d], b.start[d] + b.count[d]) - both.start[d]);
  }
  return both;
}

Box moved(Box box, const Cells &by, std::int64_t sign) {
  for (std::size_t d = 0; d < by.size(); ++d) box.start[d] += sign * by[d];
  return box;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// The periodic images of a box that may overlap another: from the first to the last, shifted by whole domains.
struct Images {
  Cells first{}, last{};
  bool none = false;

  Images(const Domain &domain, const Box &whole, const Box &from) {
    for (std::size_t d = 0; d < first.size() && !none; ++d) {
      // first: the lowest image that ends after the start of `whole`; last: the highest that starts before its end.
      const std::int64_t below = whole.start[d] - from.start[d] - from.count[d], above = whole.start[d] + whole.count[d] - from.start[d];
      if (domain.periodic[d]) {
        first[d] = floor_div(below, domain.extent[d]) + 1;
        last[d] = floor_div(above - 1, domain.extent[d]);
        none = first[d] > last[d];
      } else {
        none = below >= 0 || above <= 0;
      }
    }
  }

  /// Advances to the next image, the first dimension fastest; false after the last.
  bool next(Cells &image) const {
    for (std::size_t d = 0; d < image.size(); ++d) {
      if (++image[d] <= last[d]) return true;
      image[d] = first[d];
    }
    return false;
  }
};

/// Collects the overlaps of one pair of blocks.
class OverlapsOfPair {
 public:
  OverlapsOfPair(const Domain &domain, std::vector<Overlap> &overlaps) : domain_(domain), overlaps_(overlaps) {}

  /// A block of these cells with its halo, in values.
  Box whole_of(const Box &cells) {
    above_ = domain_.above(cells);
    return whole(domain_.own(cells));
  }
  /// The boxes are those of the two blocks' cells.
  void list(const Overlap &pair, const Box &to_cells, const Box &from_cells, bool same) {
    const Box to = domain_.own(to_cells), from = domain_.own(from_cells);
    above_ = domain_.above(to_cells);
    const Images images(domain_, whole(to), from);
    if (images.none) return;
    Cells image = images.first;
    do {
      if (same && image == Cells{}) continue;
      Cells shift{};
      for (std::size_t d = 0; d < shift.size(); ++d) shift[d] = image[d] * domain_.extent[d];
      if (domain_.star)
        list_faces(pair, to, from, shift);
      else
        add(pair, whole(to), to, from, shift);
    } while (images.next(image));
  }

 private:
  /// The box with its halo.
  Box whole(const Box &box) const {
    Box grown = box;
    for (std::size_t d = 0; d < grown.start.size(); ++d) {
      grown.start[d] -= domain_.low[d];
      grown.count[d] += domain_.low[d] + above_[d];
    }
    return grown;
  }

  void list_faces(const Overlap &pair, const Box &to, const Box &from, const Cells &shift) {
    for (int d = 0; d < domain_.ndims; ++d) {
      Box low = to, high = to;
      low.start[at(d)] -= domain_.low[at(d)];
      low.count[at(d)] = domain_.low[at(d)];
      high.start[at(d)] += to.count[at(d)];
      high.count[at(d)] = above_[at(d)];
      add(pair, low, to, from, shift);
      add(pair, high, to, from, shift);
    }
  }

  /// The values of a box of cells around a block. Of shared nodes the block has one value more than cells: what is behind its last cell moves on.
  Box values(Box cells, const Box &block) const {
    for (std::size_t d = 0; d < cells.start.size(); ++d) {
      const std::int64_t last = block.start[d] + block.count[d], end = cells.start[d] + cells.count[d];
      const std::int64_t start_by = cells.start[d] >= last ? domain_.shared[d] : 0, end_by = end >= last ? domain_.shared[d] : 0;
      cells.start[d] += start_by;
      cells.count[d] += end_by - start_by;
    }
    return cells;
  }

  /// Adds the cells of `region` that the image of `from` owns, as indices in both arrays, counted from the first halo cell.
  void add(Overlap pair, const Box &region, const Box &to, const Box &from, const Cells &shift) {
    const Box cells = common(region, moved(from, shift, +1));
    if (cells.cells() == 0) return;
    const Box met = values(cells, to);
    pair.halo = moved(moved(met, to.start, -1), domain_.low, +1);
    pair.edge = moved(moved(moved(met, shift, -1), from.start, -1), domain_.low, +1);
    overlaps_.push_back(pair);
  }

  const Domain &domain_;
  std::vector<Overlap> &overlaps_;
  Cells above_{};  // the halo above the block of the pair that is filled
};

std::string cell_name(int ndims, const Cells &cell) {
  std::string name = "(";
  for (int d = 0; d < ndims; ++d) name += (d ? ", " : "") + std::to_string(cell[at(d)]);
  return name + ")";
}

Status refuse_overlap(int ndims, int rank, const Placed &mine, int other, const Placed &theirs) {
  return fail(Status::argument, "hlc_blocks_init: block %lld of rank %d and block %lld of rank %d overlap: both own cell %s",
              static_cast<long long>(mine.id), rank, static_cast<long long>(theirs.id), other,
              cell_name(ndims, common(mine.box, theirs.box).start).c_str());
}

}  // namespace

Domain Domain::of(const hlc_blocks_spec &spec, const hlc_field_shape &shape) {
  Domain domain;
  domain.ndims = spec.ndims;
  domain.star = spec.stencil == HLC_STENCIL_STAR;
  for (int d = 0; d < spec.ndims; ++d) {
    domain.extent[at(d)] = spec.global[d];
    domain.low[at(d)] = shape.depth_low[d];
    domain.high[at(d)] = shape.depth_high[d];
    domain.shared[at(d)] = shape.stagger[d] == HLC_NODES_SHARED ? 1 : 0;
    domain.owned[at(d)] = shape.stagger[d] == HLC_NODES_OWNED ? 1 : 0;
    domain.periodic[at(d)] = spec.periodic[d] != 0;
  }
  return domain;
}

Box Domain::own(const Box &cells) const {
  Box values = cells;
  for (std::size_t d = 0; d < values.count.size(); ++d)
    if (!periodic[d] && cells.start[d] + cells.count[d] == extent[d]) values.count[d] += owned[d];
  return values;
}

Cells Domain::above(const Box &cells) const {
  const Box values = own(cells);
  Cells halo = high;
  for (std::size_t d = 0; d < halo.size(); ++d) halo[d] += cells.count[d] + owned[d] - values.count[d];
  return halo;
}

Status BoxTable::share(Communicator &communicator, NodeLeaders &leaders, const std::vector<Placed> &mine) {
  auto most = static_cast<std::int64_t>(mine.size());
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MAX, &most, 1));
  constexpr auto head = static_cast<std::int64_t>(sizeof(std::int64_t));
  constexpr auto limit = (INT_MAX - head) / static_cast<std::int64_t>(sizeof(Placed));
  if (most > limit)
    return fail(Status::argument, "hlc_blocks_init: a rank has %lld blocks, at most %lld can be planned", static_cast<long long>(most),
                static_cast<long long>(limit));
  std::vector<char> record;
  record_ = head + most * static_cast<std::int64_t>(sizeof(Placed));
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    record.resize(static_cast<std::size_t>(record_));
    const auto count = static_cast<std::int64_t>(mine.size());
    std::memcpy(record.data(), &count, sizeof count);
    if (!mine.empty()) std::memcpy(record.data() + head, mine.data(), mine.size() * sizeof(Placed));
    return Status::ok;
  }));
  return records_.share(communicator, leaders, Status::ok, {record.data(), static_cast<int>(record_)});
}

std::span<const Placed> BoxTable::of(int rank) const {
  const char *record = records_.all() + record_ * rank;
  std::int64_t count = 0;
  std::memcpy(&count, record, sizeof count);
  return {reinterpret_cast<const Placed *>(record + sizeof count), static_cast<std::size_t>(count)};
}

std::vector<Overlap> list_overlaps(const Domain &domain, std::span<const Placed> to, const BoxIndex &from) {
  const bool same_rank = to.data() == from.boxes().data();
  std::vector<Overlap> overlaps;
  OverlapsOfPair pair(domain, overlaps);
  for (std::size_t a = 0; a < to.size(); ++a)
    for (const int b : from.near(pair.whole_of(to[a].box)))
      pair.list({static_cast<int>(a), b, {}, {}}, to[a].box, from.boxes()[at(b)].box, same_rank && at(b) == a);
  return overlaps;
}

Status check_disjoint(const Topology &topology, int ndims, const BoxTable &table, const BoxIndex &mine) {
  const int me = topology.rank();
  for (int rank = 0; rank < topology.size(); ++rank) {
    const std::span<const Placed> theirs = table.of(rank);
    for (std::size_t c = 0; c < theirs.size(); ++c)
      for (const int b : mine.near(theirs[c].box))
        if ((rank != me || at(b) != c) && common(mine.boxes()[at(b)].box, theirs[c].box).cells() > 0)
          return refuse_overlap(ndims, me, mine.boxes()[at(b)], rank, theirs[c]);
  }
  return Status::ok;
}

}  // namespace halocline::core
