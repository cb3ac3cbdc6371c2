// From the calls that made a datatype to its layout: one function per combiner (MPI 4.1, section 5.1).
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/datatype/flatten.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "faces/mpi/datatype/envelope.hpp"
#include "faces/mpi/datatype/predefined.hpp"
#include "faces/mpi/datatype/segments.hpp"

namespace halocline::mpi {
namespace {

/// A few steps in line are cheaper than a loop that is done once.
constexpr std::size_t kFewSteps = 8;

bool is_contiguous(const Element &element) {
  const std::vector<Step> &top = element.piece.steps;
  if (top.empty()) return true;
  const Strip &strip = top[0].strip;
  return top.size() == 1 && top[0].end == 0 && strip.count == 1 && strip.offset == 0 && strip.bytes == element.extent;
}

/// Up to this size, sums of a few lengths and offsets have no more than 64 bits. The reach of absolute addresses begins far from 0.
std::int64_t most_elements(const Piece &piece, std::int64_t extent) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max() / 4;
  const std::int64_t farthest = std::max(-piece.reach.begin, piece.reach.end);
  const std::int64_t longest = std::max({std::int64_t{1}, piece.bytes, piece.basics, extent, -extent});
  return farthest < kMax ? (kMax - std::max<std::int64_t>(farthest, 0)) / longest : 0;
}

template <class T>
struct IsPair : std::false_type {};
template <class Value, class Index>
struct IsPair<Pair<Value, Index>> : std::true_type {};

Piece run_of(Basic basic, std::int64_t bytes) {
  Piece piece;
  piece.steps = {Step{{0, bytes, 1, 0}, 0, 0}};
  piece.bytes = bytes;
  piece.basics = 1;
  piece.basic = basic;
  piece.reach = {0, bytes};
  return piece;
}

/// The two numbers of a pair, without the gap between them.
Piece pair_data(Basic basic) {
  Piece list;
  with_element(basic, [&](auto element) {
    using T = decltype(element);
    if constexpr (IsPair<T>::value) {
      Pieces::append(list, run_of(basic, sizeof element.value), 0);
      Pieces::append(list, run_of(basic, sizeof element.index), offsetof(T, index));
      list.basics = 1;
    }
  });
  list.offset_bits = 0;  // what counts is where the pair is
  return list;
}

/// Where a rank's blocks are in one dimension of a distributed array.
struct Share {
  std::int64_t size, block, first, cycle;  // cells of the dimension, of a block, before the first block, from block to block
};

Share share_of(int distribution, std::int64_t argument, std::int64_t size, const std::pair<int, int> &ranks_and_mine) {
  const auto [ranks, mine] = ranks_and_mine;
  if (distribution == MPI_DISTRIBUTE_NONE) return {size, size, 0, size};
  std::int64_t block = argument;
  if (argument == MPI_DISTRIBUTE_DFLT_DARG) block = distribution == MPI_DISTRIBUTE_BLOCK ? (size + ranks - 1) / ranks : 1;
  return {size, block, block * mine, block * ranks};
}

}  // namespace

/// Flattens one datatype. With `whole_pairs` a pair is one run with the gaps inside it, else its data alone.
class Flattener {
 public:
  explicit Flattener(bool whole_pairs) : whole_pairs_(whole_pairs) {}

  static std::shared_ptr<const Layout> layout(MPI_Datatype type);

 private:
  const Element *element(MPI_Datatype type);
  bool build(MPI_Datatype type, Element &result);
  bool build_named(MPI_Datatype type, Element &result);
  bool build_predefined(int combiner, MPI_Datatype type, Contents &contents, Element &result);
  bool build_derived(Contents &contents, Piece &result);
  Piece predefined(Basic basic) const;

  Piece blocks(const std::vector<std::int64_t> &lengths, const std::vector<std::int64_t> &displacements, const Element &child);
  Piece vector(Contents &contents, const Element &child, bool bytes);
  Piece indexed(Contents &contents, const Element &child, bool bytes);
  Piece indexed_block(Contents &contents, const Element &child, bool bytes);
  Piece subarray(Contents &contents, const Element &child);
  Piece darray(Contents &contents, const Element &child);
  Piece share(const Share &share, const Piece &cell, std::int64_t stride);
  bool structure(Contents &contents, Piece &result);

  static std::shared_ptr<Layout> make(Flattener &data, const Element &element);
  static void add_elements(Layout &layout, Flattener &whole, const Element &element);

  bool whole_pairs_;
  Pieces pieces_;
  std::map<MPI_Datatype, Element> known_;  // of the datatypes that are being flattened
};

const Element *Flattener::element(MPI_Datatype type) {
  const auto found = known_.find(type);
  if (found != known_.end()) return &found->second;
  Element made;
  if (!build(type, made)) return nullptr;
  return &known_.emplace(type, std::move(made)).first->second;
}

bool Flattener::build(MPI_Datatype type, Element &result) {
  Contents contents;
  MPI_Aint begin = 0, extent = 0;
  if (!contents.read(type) || PMPI_Type_get_extent(type, &begin, &extent) != MPI_SUCCESS) return false;
  result.extent = extent;
  if (contents.combiner() == MPI_COMBINER_NAMED) return build_named(type, result);
  if (is_predefined(contents.combiner())) return build_predefined(contents.combiner(), type, contents, result);
  const bool built = build_derived(contents, result.piece);
  for (const MPI_Datatype child : contents.types()) known_.erase(child);  // others may get the handles that are freed now
  contents.free_types();
  Pieces::combine(result.piece);
  return built;
}

Piece Flattener::predefined(Basic basic) const {
  return is_pair(basic) && !whole_pairs_ ? pair_data(basic) : run_of(basic, basic_bytes(basic));
}

/// What is not in the table is a run of bytes, of no type to compute with. The markers MPI_LB and MPI_UB have none.
bool Flattener::build_named(MPI_Datatype type, Element &result) {
  static const std::vector<Predefined> all = predefined_types();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Predefined &one) { return one.type == type; });
  if (found != all.end() && is_element(found->basic)) {
    result.piece = predefined(found->basic);
    return true;
  }
  int bytes = 0;
  if (PMPI_Type_size(type, &bytes) != MPI_SUCCESS) return false;
  if (bytes > 0) result.piece = run_of(Basic::other, bytes);
  return true;
}

/// Types that the MPI has made, without names: numbers of Fortran with a given precision, pairs.
bool Flattener::build_predefined(int combiner, MPI_Datatype type, Contents &contents, Element &result) {
  int bytes = 0;
  if (PMPI_Type_size(type, &bytes) != MPI_SUCCESS) return false;
  Basic basic = combiner == MPI_COMBINER_F90_REAL      ? real_of(bytes)
                : combiner == MPI_COMBINER_F90_COMPLEX ? complex_of(bytes)
                                                       : integer_of(bytes);
  if (contents.types().size() == 2) {
    const Element *value = element(contents.types()[0]), *index = element(contents.types()[1]);
    basic = value && index ? pair_of(value->piece.basic, index->piece.basic) : Basic::other;
  }
  result.piece = is_element(basic) ? predefined(basic) : run_of(Basic::other, bytes);
  return true;
}

bool Flattener::build_derived(Contents &contents, Piece &result) {
  if (contents.combiner() == MPI_COMBINER_STRUCT) return structure(contents, result);
  const Element *child = contents.types().empty() ? nullptr : element(contents.types().front());
  if (!child) return false;
  switch (contents.combiner()) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: result = child->piece; return true;
    case MPI_COMBINER_CONTIGUOUS: result = pieces_.repeat(child->piece, contents.count(), child->extent); return true;
    case MPI_COMBINER_VECTOR: result = vector(contents, *child, false); return true;
    case MPI_COMBINER_HVECTOR: result = vector(contents, *child, true); return true;
    case MPI_COMBINER_INDEXED: result = indexed(contents, *child, false); return true;
    case MPI_COMBINER_HINDEXED: result = indexed(contents, *child, true); return true;
    case MPI_COMBINER_INDEXED_BLOCK: result = indexed_block(contents, *child, false); return true;
    case MPI_COMBINER_HINDEXED_BLOCK: result = indexed_block(contents, *child, true); return true;
    case MPI_COMBINER_SUBARRAY: result = subarray(contents, *child); return true;
    case MPI_COMBINER_DARRAY: result = darray(contents, *child); return true;
    default: return false;
  }
}

/// `bytes`: displacements are in bytes, otherwise in elements.
Piece Flattener::vector(Contents &contents, const Element &child, bool bytes) {
  const std::int64_t count = contents.count(), length = contents.count();
  const std::int64_t stride = bytes ? contents.displacement() : contents.count() * child.extent;
  return pieces_.repeat(pieces_.repeat(child.piece, length, child.extent), count, stride);
}

Piece Flattener::indexed(Contents &contents, const Element &child, bool bytes) {
  const std::int64_t count = contents.count();
  const std::vector<std::int64_t> lengths = contents.counts(count);
  std::vector<std::int64_t> displacements = bytes ? contents.displacements(count) : contents.counts(count);
  if (!bytes)
    for (std::int64_t &displacement : displacements) displacement *= child.extent;
  return blocks(lengths, displacements, child);
}

Piece Flattener::indexed_block(Contents &contents, const Element &child, bool bytes) {
  const std::int64_t count = contents.count(), length = contents.count();
  std::vector<std::int64_t> displacements = bytes ? contents.displacements(count) : contents.counts(count);
  if (!bytes)
    for (std::int64_t &displacement : displacements) displacement *= child.extent;
  return blocks(std::vector<std::int64_t>(displacements.size(), length), displacements, child);
}

/// Blocks of one length, which follow each other in most datatypes, are made once.
Piece Flattener::blocks(const std::vector<std::int64_t> &lengths, const std::vector<std::int64_t> &displacements, const Element &child) {
  const Piece one = pieces_.shorten(child.piece, 1);
  Piece list, block;
  std::int64_t length = -1;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] != length) block = pieces_.repeat(one, lengths[i], child.extent);
    length = lengths[i];
    Pieces::append(list, block, displacements[i]);
  }
  return list;
}

bool Flattener::structure(Contents &contents, Piece &result) {
  const std::int64_t count = contents.count();
  const std::vector<std::int64_t> lengths = contents.counts(count), displacements = contents.displacements(count);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const Element *field = element(contents.types()[i]);
    if (!field) return false;
    Pieces::append(result, pieces_.shorten(pieces_.repeat(field->piece, lengths[i], field->extent), kFewSteps), displacements[i]);
  }
  return true;
}

/// From the dimension that is contiguous to the slowest one.
Piece Flattener::subarray(Contents &contents, const Element &child) {
  const int dimensions = contents.integer();
  const std::vector<std::int64_t> sizes = contents.counts(dimensions), subsizes = contents.counts(dimensions),
                                  starts = contents.counts(dimensions);
  const bool of_c = contents.integer() == MPI_ORDER_C;
  Piece piece = child.piece;
  std::int64_t stride = child.extent, begin = 0;
  for (int i = 0; i < dimensions; ++i) {
    const auto d = static_cast<std::size_t>(of_c ? dimensions - 1 - i : i);
    piece = pieces_.repeat(piece, subsizes[d], stride);
    begin += starts[d] * stride;
    stride *= sizes[d];
  }
  Piece list;
  Pieces::append(list, piece, begin);
  return list;
}

/// The grid of ranks is always in the order of C.
Piece Flattener::darray(Contents &contents, const Element &child) {
  int ranks = contents.integer(), rank = contents.integer();
  const int dimensions = contents.integer();
  const std::vector<std::int64_t> sizes = contents.counts(dimensions);
  const std::vector<int> distributions = contents.integers(dimensions), arguments = contents.integers(dimensions),
                         grid = contents.integers(dimensions);
  const bool of_c = contents.integer() == MPI_ORDER_C;
  std::vector<int> mine(grid.size());
  for (std::size_t d = 0; d < grid.size(); ++d) {
    ranks /= grid[d];
    mine[d] = rank / ranks;
    rank %= ranks;
  }
  Piece piece = child.piece;
  std::int64_t stride = child.extent;
  for (int i = 0; i < dimensions; ++i) {
    const auto d = static_cast<std::size_t>(of_c ? dimensions - 1 - i : i);
    piece = share(share_of(distributions[d], arguments[d], sizes[d], {grid[d], mine[d]}), piece, stride);
    stride *= sizes[d];
  }
  return piece;
}

/// The whole blocks of a share, then the one that the array's end cuts.
Piece Flattener::share(const Share &share, const Piece &cell, std::int64_t stride) {
  const std::int64_t left = std::max<std::int64_t>(share.size - share.first, 0);
  const std::int64_t whole = left / share.cycle + (left % share.cycle >= share.block ? 1 : 0);
  const std::int64_t rest = left % share.cycle >= share.block ? 0 : left % share.cycle;
  const Piece one = pieces_.shorten(cell, 1);
  Piece list;
  Pieces::append(list, pieces_.repeat(pieces_.repeat(one, share.block, stride), whole, share.cycle * stride), share.first * stride);
  Pieces::append(list, pieces_.repeat(one, rest, stride), (share.first + whole * share.cycle) * stride);
  return list;
}

std::shared_ptr<Layout> Flattener::make(Flattener &data, const Element &element) {
  const Piece &piece = element.piece;
  auto layout = std::make_shared<Layout>();
  layout->bytes_ = piece.bytes;
  layout->basics_ = piece.basics;
  layout->basic_ = piece.basic;
  layout->reach_ = piece.reach;
  const std::uint64_t bits = piece.offset_bits | static_cast<std::uint64_t>(element.extent) | 64;
  layout->alignment_ = static_cast<std::int64_t>(bits & (~bits + 1));
  layout->most_ = most_elements(piece, element.extent);
  layout->contiguous_ = layout->dense_ = is_contiguous(element);
  layout->steps_ = std::move(data.pieces_).finish(piece, element.extent);
  return layout;
}

void Flattener::add_elements(Layout &layout, Flattener &whole, const Element &element) {
  layout.dense_ = is_contiguous(element);
  layout.elements_ = std::move(whole.pieces_).finish(element.piece, element.extent);
}

std::shared_ptr<const Layout> Flattener::layout(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return nullptr;
  Flattener data(false);
  const Element *element = data.element(type);
  if (!element) return nullptr;
  const std::shared_ptr<Layout> layout = make(data, *element);
  if (!is_pair(layout->basic())) return layout;
  Flattener whole(true);
  if (const Element *pairs = whole.element(type)) add_elements(*layout, whole, *pairs);
  return layout;
}

std::shared_ptr<const Layout> flatten(MPI_Datatype type) { return Flattener::layout(type); }

Reach Layout::reach(std::int64_t count) const {
  if (count <= 0 || bytes_ == 0) return {};
  const std::int64_t last = (count - 1) * extent();
  return {reach_.begin + std::min<std::int64_t>(last, 0), reach_.end + std::max<std::int64_t>(last, 0)};
}

}  // namespace halocline::mpi
