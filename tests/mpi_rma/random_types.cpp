// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_rma/random_types.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace random_rma {
namespace {

struct Row {
  const char *name;
  int bytes;
};
constexpr std::array<Row, static_cast<std::size_t>(Basic::count_)> kRows{
    {{"int8", 1}, {"uint8", 1}, {"int16", 2}, {"int32", 4}, {"uint32", 4}, {"int64", 8}, {"uint64", 8}, {"float32", 4}, {"float64", 8}}};

/// Adds `length` consecutive elements that begin `first` elements after offset 0.
void add_run(Layout &layout, std::int64_t first, int length) {
  for (int i = 0; i < length; ++i) layout.offsets.push_back((first + i) * bytes_of(layout.basic));
}

/// `elements` as blocks of random lengths.
std::vector<int> split(Random &random, int elements) {
  std::vector<int> lengths;
  while (elements > 0) {
    lengths.push_back(static_cast<int>(pick(random, 1, std::min(elements, 4))));
    elements -= lengths.back();
  }
  return lengths;
}

/// A divisor of `elements`, at random.
int divisor(Random &random, int elements) {
  std::vector<int> all;
  for (int d = 1; d <= elements; ++d)
    if (elements % d == 0) all.push_back(d);
  return all[static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(all.size()) - 1))];
}

/// numbers: blocks, length of a block, stride.
void lay_vector(Random &random, Layout &layout, int elements) {
  const int length = divisor(random, elements), blocks = elements / length, stride = length + static_cast<int>(pick(random, 0, 3));
  layout.numbers = {blocks, length, stride};
  for (int b = 0; b < blocks; ++b) add_run(layout, static_cast<std::int64_t>(b) * stride, length);
}

/// A vector of negative stride: its last block is at offset 0. numbers: as above.
void lay_backwards(Random &random, Layout &layout, int elements) {
  const int length = divisor(random, elements), blocks = elements / length, stride = length + static_cast<int>(pick(random, 0, 3));
  layout.numbers = {blocks, length, -stride};
  for (int b = blocks; b-- > 0;) add_run(layout, static_cast<std::int64_t>(b) * stride, length);
  layout.origin = static_cast<std::int64_t>(blocks - 1) * stride * bytes_of(layout.basic);
}

/// numbers: for each block its length and its place, in elements; blocks in any order.
void lay_blocks(Random &random, Layout &layout, const std::vector<int> &lengths) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (chance(random, 50)) std::shuffle(order.begin(), order.end(), random);
  std::vector<int> places(lengths.size());
  int place = 0;
  for (const std::size_t block : order) {
    places[block] = place;
    place += lengths[block] + static_cast<int>(pick(random, 0, 2));
  }
  for (std::size_t block = 0; block < lengths.size(); ++block) {
    layout.numbers.push_back(lengths[block]);
    layout.numbers.push_back(places[block]);
    add_run(layout, places[block], lengths[block]);
  }
}

void lay_equal_blocks(Random &random, Layout &layout, int elements) {
  const int length = divisor(random, elements);
  lay_blocks(random, layout, std::vector<int>(static_cast<std::size_t>(elements / length), length));
}

/// A part of a matrix in C order. numbers: rows, columns, rows and columns of the part.
void lay_subarray(Random &random, Layout &layout, int elements) {
  const int columns = divisor(random, elements), rows = elements / columns;
  const int width = columns + static_cast<int>(pick(random, 0, 3)), height = rows + static_cast<int>(pick(random, 0, 2));
  layout.numbers = {height, width, rows, columns};
  for (int r = 0; r < rows; ++r) add_run(layout, static_cast<std::int64_t>(r) * width, columns);
}

/// Several of a run whose extent is larger than itself. numbers: length of a run, extent in elements.
void lay_resized(Random &random, Layout &layout, int elements) {
  const int length = divisor(random, elements), extent = length + static_cast<int>(pick(random, 0, 3));
  layout.count = elements / length;
  layout.numbers = {length, extent};
  for (int i = 0; i < layout.count; ++i) add_run(layout, static_cast<std::int64_t>(i) * extent, length);
}

/// Several contiguous groups of resized vectors. numbers: groups, runs of a group, length of a run, extent in elements.
void lay_nested(Random &random, Layout &layout, int elements) {
  const int groups = divisor(random, elements), runs = divisor(random, elements / groups), length = elements / groups / runs;
  const int extent = length + static_cast<int>(pick(random, 0, 2));
  layout.numbers = {groups, runs, length, extent};
  for (int run = 0; run < groups * runs; ++run) add_run(layout, static_cast<std::int64_t>(run) * extent, length);
}

void lay(Random &random, Layout &layout, int elements) {
  switch (layout.shape) {
    case Shape::vector:
    case Shape::hvector: return lay_vector(random, layout, elements);
    case Shape::backwards: return lay_backwards(random, layout, elements);
    case Shape::indexed:
    case Shape::hindexed:
    case Shape::structure: return lay_blocks(random, layout, split(random, elements));
    case Shape::indexed_block: return lay_equal_blocks(random, layout, elements);
    case Shape::subarray: return lay_subarray(random, layout, elements);
    case Shape::resized: return lay_resized(random, layout, elements);
    case Shape::nested: return lay_nested(random, layout, elements);
    default: break;
  }
  layout.count = elements;
  add_run(layout, 0, elements);
}

/// The blocks of a layout made by lay_blocks, for the constructors of MPI.
struct Blocks {
  std::vector<int> lengths, places;
  std::vector<MPI_Aint> bytes;
  std::vector<MPI_Datatype> types;

  explicit Blocks(const Layout &layout) {
    for (std::size_t i = 0; i + 1 < layout.numbers.size(); i += 2) {
      lengths.push_back(layout.numbers[i]);
      places.push_back(layout.numbers[i + 1]);
      bytes.push_back(static_cast<MPI_Aint>(places.back()) * bytes_of(layout.basic));
      types.push_back(handle_of(layout.basic));
    }
  }
  int size() const { return static_cast<int>(lengths.size()); }
};

MPI_Datatype make_blocks(const Layout &layout) {
  const Blocks blocks(layout);
  const MPI_Datatype basic = handle_of(layout.basic);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (layout.shape == Shape::indexed)
    MPI_Type_indexed(blocks.size(), blocks.lengths.data(), blocks.places.data(), basic, &type);
  else if (layout.shape == Shape::hindexed)
    MPI_Type_create_hindexed(blocks.size(), blocks.lengths.data(), blocks.bytes.data(), basic, &type);
  else if (layout.shape == Shape::indexed_block)
    MPI_Type_create_indexed_block(blocks.size(), blocks.lengths[0], blocks.places.data(), basic, &type);
  else
    MPI_Type_create_struct(blocks.size(), blocks.lengths.data(), blocks.bytes.data(), blocks.types.data(), &type);
  return type;
}

/// A run of `length` elements with an extent of `extent` elements.
MPI_Datatype make_resized(Basic basic, int length, int extent) {
  MPI_Datatype run = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(length, handle_of(basic), &run);
  MPI_Type_create_resized(run, 0, static_cast<MPI_Aint>(extent) * bytes_of(basic), &type);
  MPI_Type_free(&run);
  return type;
}

MPI_Datatype make_nested(const Layout &layout) {
  const std::vector<int> &n = layout.numbers;
  MPI_Datatype run = make_resized(layout.basic, n[2], n[3]), group = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(n[1], run, &group);
  MPI_Type_contiguous(n[0], group, &type);
  MPI_Type_free(&run);
  MPI_Type_free(&group);
  return type;
}

MPI_Datatype make_subarray(const Layout &layout) {
  const std::vector<int> &n = layout.numbers;
  const int sizes[2] = {n[0], n[1]}, parts[2] = {n[2], n[3]}, starts[2] = {0, 0};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, handle_of(layout.basic), &type);
  return type;
}

MPI_Datatype make_vector(const Layout &layout) {
  const std::vector<int> &n = layout.numbers;
  const MPI_Datatype basic = handle_of(layout.basic);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (layout.shape == Shape::hvector)
    MPI_Type_create_hvector(n[0], n[1], static_cast<MPI_Aint>(n[2]) * bytes_of(layout.basic), basic, &type);
  else
    MPI_Type_vector(n[0], n[1], n[2], basic, &type);
  return type;
}

MPI_Datatype make(const Layout &layout) {
  switch (layout.shape) {
    case Shape::vector:
    case Shape::hvector:
    case Shape::backwards: return make_vector(layout);
    case Shape::indexed:
    case Shape::hindexed:
    case Shape::indexed_block:
    case Shape::structure: return make_blocks(layout);
    case Shape::subarray: return make_subarray(layout);
    case Shape::resized: return make_resized(layout.basic, layout.numbers[0], layout.numbers[1]);
    case Shape::nested: return make_nested(layout);
    default: return handle_of(layout.basic);
  }
}

}  // namespace

MPI_Datatype handle_of(Basic basic) {
  const MPI_Datatype handles[] = {MPI_INT8_T,  MPI_UINT8_T,  MPI_INT16_T, MPI_INT32_T, MPI_UINT32_T,
                                  MPI_INT64_T, MPI_UINT64_T, MPI_FLOAT,   MPI_DOUBLE};
  return handles[static_cast<std::size_t>(basic)];
}

int bytes_of(Basic basic) { return kRows[static_cast<std::size_t>(basic)].bytes; }
const char *name_of(Basic basic) { return kRows[static_cast<std::size_t>(basic)].name; }

const char *name_of(Shape shape) {
  constexpr const char *names[] = {"contiguous", "vector",  "hvector",   "indexed", "hindexed", "indexed_block",
                                   "subarray",   "resized", "structure", "nested",  "backwards"};
  return names[static_cast<std::size_t>(shape)];
}

Layout random_layout(Random &random, Basic basic, int elements) {
  Layout layout;
  layout.basic = basic;
  layout.shape = chance(random, 40) ? Shape::contiguous : static_cast<Shape>(pick(random, 0, static_cast<int>(Shape::count_) - 1));
  lay(random, layout, elements);
  for (const std::int64_t offset : layout.offsets) layout.bytes = std::max(layout.bytes, offset + bytes_of(basic));
  return layout;
}

Datatype::Datatype(const Layout &layout) : type_(make(layout)), derived_(layout.shape != Shape::contiguous) {
  if (derived_) MPI_Type_commit(&type_);
}

Datatype::~Datatype() {
  if (derived_) MPI_Type_free(&type_);
}

}  // namespace random_rma
