// Random datatypes for tests.
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/random_types.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <sstream>

namespace halocline::test {
namespace {

using Numbers = std::vector<std::int64_t>;

std::int64_t pick(Random &random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

std::vector<int> ints(const Numbers &numbers, std::size_t first, std::size_t count) {
  std::vector<int> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(static_cast<int>(numbers[first + i]));
  list.reserve(1);
  return list;
}

std::vector<MPI_Aint> addresses(const Numbers &numbers, std::size_t first, std::size_t count) {
  std::vector<MPI_Aint> list(numbers.begin() + static_cast<std::ptrdiff_t>(first),
                             numbers.begin() + static_cast<std::ptrdiff_t>(first + count));
  list.reserve(1);
  return list;
}

/// Numbers of lists begin with their length: {n, lengths..., displacements...}; of blocks {n, length, displacements...}.
struct Made {
  const TypeSpec &spec;
  std::vector<MPI_Datatype> types;
  std::size_t n() const { return static_cast<std::size_t>(spec.numbers[0]); }
  int at(std::size_t i) const { return static_cast<int>(spec.numbers[i]); }
  MPI_Datatype child() const { return types.front(); }
};

MPI_Datatype make_small(const Made &m) {
  const Numbers &a = m.spec.numbers;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  switch (m.spec.maker) {
    case Maker::named: return MPI_DATATYPE_NULL;
    case Maker::dup: MPI_Type_dup(m.child(), &type); break;
    case Maker::contiguous: MPI_Type_contiguous(m.at(0), m.child(), &type); break;
    case Maker::vector: MPI_Type_vector(m.at(0), m.at(1), m.at(2), m.child(), &type); break;
    case Maker::hvector: MPI_Type_create_hvector(m.at(0), m.at(1), a[2], m.child(), &type); break;
    case Maker::indexed: MPI_Type_indexed(m.at(0), ints(a, 1, m.n()).data(), ints(a, 1 + m.n(), m.n()).data(), m.child(), &type); break;
    case Maker::hindexed:
      MPI_Type_create_hindexed(m.at(0), ints(a, 1, m.n()).data(), addresses(a, 1 + m.n(), m.n()).data(), m.child(), &type);
      break;
    case Maker::indexed_block: MPI_Type_create_indexed_block(m.at(0), m.at(1), ints(a, 2, m.n()).data(), m.child(), &type); break;
    case Maker::hindexed_block: MPI_Type_create_hindexed_block(m.at(0), m.at(1), addresses(a, 2, m.n()).data(), m.child(), &type); break;
    case Maker::structure:
      MPI_Type_create_struct(m.at(0), ints(a, 1, m.n()).data(), addresses(a, 1 + m.n(), m.n()).data(), m.types.data(), &type);
      break;
    case Maker::subarray:
      MPI_Type_create_subarray(m.at(0), ints(a, 2, m.n()).data(), ints(a, 2 + m.n(), m.n()).data(), ints(a, 2 + 2 * m.n(), m.n()).data(),
                               m.at(1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, m.child(), &type);
      break;
    case Maker::darray:
      MPI_Type_create_darray(m.at(2), m.at(3), m.at(0), ints(a, 4, m.n()).data(), ints(a, 4 + m.n(), m.n()).data(),
                             ints(a, 4 + 2 * m.n(), m.n()).data(), ints(a, 4 + 3 * m.n(), m.n()).data(),
                             m.at(1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, m.child(), &type);
      break;
    case Maker::resized: MPI_Type_create_resized(m.child(), a[0], a[1], &type); break;
  }
  return type;
}

#if MPI_VERSION >= 4
std::vector<MPI_Count> counts(const Numbers &numbers, std::size_t first, std::size_t count) {
  std::vector<MPI_Count> list(numbers.begin() + static_cast<std::ptrdiff_t>(first),
                              numbers.begin() + static_cast<std::ptrdiff_t>(first + count));
  list.reserve(1);
  return list;
}

/// The same by the calls with large counts.
MPI_Datatype make_large(const Made &m) {
  const Numbers &a = m.spec.numbers;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  switch (m.spec.maker) {
    case Maker::named:
    case Maker::dup: return make_small(m);
    case Maker::contiguous: MPI_Type_contiguous_c(a[0], m.child(), &type); break;
    case Maker::vector: MPI_Type_vector_c(a[0], a[1], a[2], m.child(), &type); break;
    case Maker::hvector: MPI_Type_create_hvector_c(a[0], a[1], a[2], m.child(), &type); break;
    case Maker::indexed: MPI_Type_indexed_c(a[0], counts(a, 1, m.n()).data(), counts(a, 1 + m.n(), m.n()).data(), m.child(), &type); break;
    case Maker::hindexed:
      MPI_Type_create_hindexed_c(a[0], counts(a, 1, m.n()).data(), counts(a, 1 + m.n(), m.n()).data(), m.child(), &type);
      break;
    case Maker::indexed_block: MPI_Type_create_indexed_block_c(a[0], a[1], counts(a, 2, m.n()).data(), m.child(), &type); break;
    case Maker::hindexed_block: MPI_Type_create_hindexed_block_c(a[0], a[1], counts(a, 2, m.n()).data(), m.child(), &type); break;
    case Maker::structure:
      MPI_Type_create_struct_c(a[0], counts(a, 1, m.n()).data(), counts(a, 1 + m.n(), m.n()).data(), m.types.data(), &type);
      break;
    case Maker::subarray:
      MPI_Type_create_subarray_c(m.at(0), counts(a, 2, m.n()).data(), counts(a, 2 + m.n(), m.n()).data(),
                                 counts(a, 2 + 2 * m.n(), m.n()).data(), m.at(1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, m.child(), &type);
      break;
    case Maker::darray:
      MPI_Type_create_darray_c(m.at(2), m.at(3), m.at(0), counts(a, 4, m.n()).data(), ints(a, 4 + m.n(), m.n()).data(),
                               ints(a, 4 + 2 * m.n(), m.n()).data(), ints(a, 4 + 3 * m.n(), m.n()).data(),
                               m.at(1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, m.child(), &type);
      break;
    case Maker::resized: MPI_Type_create_resized_c(m.child(), a[0], a[1], &type); break;
  }
  return type;
}
#else
MPI_Datatype make_large(const Made &m) { return make_small(m); }
#endif

MPI_Datatype make(const TypeSpec &spec) {
  if (spec.maker == Maker::named) return leaf_types()[static_cast<std::size_t>(spec.numbers[0])];
  Made made{spec, {}};
  for (const TypeSpec &child : spec.children) made.types.push_back(make(child));
  made.types.reserve(1);
  const MPI_Datatype type = spec.large ? make_large(made) : make_small(made);
  for (std::size_t i = 0; i < made.types.size(); ++i)
    if (spec.children[i].maker != Maker::named) MPI_Type_free(&made.types[i]);
  return type;
}

struct Extent {
  std::int64_t lower, size;
};

Extent bounds_of(const TypeSpec &spec) {
  const Type type(spec);
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(type.get(), &lower, &extent);
  return {lower, extent};
}

/// Displacements that go mostly upwards, sometimes by a regular distance, sometimes anywhere.
Numbers displacements(Random &random, std::int64_t n, std::int64_t unit) {
  Numbers list;
  const bool regular = pick(random, 0, 2) == 0;
  const std::int64_t step = pick(random, -3, 6);
  for (std::int64_t i = 0; i < n; ++i)
    list.push_back((regular ? i * step : pick(random, -4, 12)) * unit + (unit > 1 ? pick(random, 0, 1) : 0));
  if (pick(random, 0, 1) == 0) std::sort(list.begin(), list.end());
  return list;
}

Numbers lengths(Random &random, std::int64_t n) {
  Numbers list;
  for (std::int64_t i = 0; i < n; ++i) list.push_back(pick(random, 0, 3));
  return list;
}

void append(Numbers &list, const Numbers &more) { list.insert(list.end(), more.begin(), more.end()); }

void choose_subarray(Random &random, TypeSpec &spec) {
  const std::int64_t dimensions = pick(random, 1, 3);
  Numbers sizes, subsizes, starts;
  for (std::int64_t d = 0; d < dimensions; ++d) {
    sizes.push_back(pick(random, 1, 5));
    subsizes.push_back(pick(random, 1, sizes.back()));
    starts.push_back(pick(random, 0, sizes.back() - subsizes.back()));
  }
  spec.numbers = {dimensions, pick(random, 0, 1)};
  append(spec.numbers, sizes);
  append(spec.numbers, subsizes);
  append(spec.numbers, starts);
}

void choose_darray(Random &random, TypeSpec &spec) {
  const std::int64_t dimensions = pick(random, 1, 3);
  Numbers sizes, distributions, arguments, grid;
  std::int64_t ranks = 1;
  for (std::int64_t d = 0; d < dimensions; ++d) {
    const std::int64_t size = pick(random, 1, 7), how = pick(random, 0, 2), count = how == 0 ? 1 : pick(random, 1, 3);
    sizes.push_back(size);
    distributions.push_back(how == 0 ? MPI_DISTRIBUTE_NONE : how == 1 ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC);
    const std::int64_t least = how == 1 ? (size + count - 1) / count : 1;
    arguments.push_back(how == 0 || pick(random, 0, 1) == 0 ? std::int64_t{MPI_DISTRIBUTE_DFLT_DARG} : pick(random, least, least + 1));
    grid.push_back(count);
    ranks *= count;
  }
  spec.numbers = {dimensions, pick(random, 0, 1), ranks, pick(random, 0, ranks - 1)};
  append(spec.numbers, sizes);
  append(spec.numbers, distributions);
  append(spec.numbers, arguments);
  append(spec.numbers, grid);
}

void choose_lists(Random &random, TypeSpec &spec, std::int64_t unit) {
  const std::int64_t n = pick(random, 0, 5);
  spec.numbers = {n};
  append(spec.numbers, lengths(random, n));
  append(spec.numbers, displacements(random, n, unit));
}

void choose_numbers(Random &random, TypeSpec &spec) {
  const Extent child = spec.children.empty() ? Extent{0, 1} : bounds_of(spec.children.front());
  const std::int64_t unit = std::max<std::int64_t>(child.size, 1);
  switch (spec.maker) {
    case Maker::named:
    case Maker::dup: return;
    case Maker::contiguous: spec.numbers = {pick(random, 0, 4)}; return;
    case Maker::vector: spec.numbers = {pick(random, 0, 5), pick(random, 0, 3), pick(random, -4, 6)}; return;
    case Maker::hvector: spec.numbers = {pick(random, 0, 5), pick(random, 0, 3), pick(random, -4, 6) * unit + pick(random, 0, 3)}; return;
    case Maker::indexed: return choose_lists(random, spec, 1);
    case Maker::hindexed:
    case Maker::structure: return choose_lists(random, spec, unit);
    case Maker::indexed_block:
    case Maker::hindexed_block: {
      const std::int64_t n = pick(random, 0, 5);
      spec.numbers = {n, pick(random, 0, 3)};
      append(spec.numbers, displacements(random, n, spec.maker == Maker::hindexed_block ? unit : 1));
      return;
    }
    case Maker::subarray: return choose_subarray(random, spec);
    case Maker::darray: return choose_darray(random, spec);
    case Maker::resized: spec.numbers = {child.lower + pick(random, -8, 8), child.size + pick(random, -8, 16)}; return;
  }
}

/// Smaller types, the best first.
std::vector<TypeSpec> smaller(const TypeSpec &spec) {
  std::vector<TypeSpec> list = spec.children;
  for (std::size_t i = 0; i < spec.children.size(); ++i)
    for (TypeSpec &child : smaller(spec.children[i])) {
      TypeSpec next = spec;
      next.children[i] = child;
      list.push_back(next);
    }
  const bool lists = spec.maker == Maker::indexed || spec.maker == Maker::hindexed || spec.maker == Maker::structure;
  if (lists && spec.numbers[0] > 1)
    for (std::size_t i = 0, n = static_cast<std::size_t>(spec.numbers[0]); i < n; ++i) {
      TypeSpec next = spec;
      --next.numbers[0];
      next.numbers.erase(next.numbers.begin() + static_cast<std::ptrdiff_t>(1 + n + i));
      next.numbers.erase(next.numbers.begin() + static_cast<std::ptrdiff_t>(1 + i));
      if (spec.maker == Maker::structure) next.children.erase(next.children.begin() + static_cast<std::ptrdiff_t>(i));
      list.push_back(next);
    }
  if (spec.maker == Maker::vector || spec.maker == Maker::hvector || spec.maker == Maker::contiguous)
    for (std::size_t i = 0; i < spec.numbers.size() && i < 2; ++i)
      if (spec.numbers[i] > 1) {
        list.push_back(spec);
        --list.back().numbers[i];
      }
  if (spec.large) {
    list.push_back(spec);
    list.back().large = false;
  }
  return list;
}

/// Places elements of one child.
class Map {
 public:
  explicit Map(const TypeSpec &child) : child_(type_map(child)), extent_(extent_of(child)) {}
  std::int64_t extent() const { return extent_; }

  void add(std::int64_t displacement, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i)
      for (const Run &run : child_) all_.push_back({run.offset + displacement + i * extent_, run.bytes});
  }
  std::vector<Run> take() { return std::move(all_); }

 private:
  std::vector<Run> child_, all_;
  std::int64_t extent_;
};

std::vector<Run> map_of_leaf(MPI_Datatype type) {
  if (type == MPI_SHORT_INT) return {{0, 2}, {4, 4}};
  int size = 0;
  MPI_Type_size(type, &size);
  return {{0, size}};
}

std::vector<Run> map_of_struct(const TypeSpec &spec) {
  std::vector<Run> all;
  const std::size_t n = spec.children.size();
  for (std::size_t i = 0; i < n; ++i) {
    Map map(spec.children[i]);
    map.add(spec.numbers[1 + n + i], spec.numbers[1 + i]);
    const std::vector<Run> field = map.take();
    all.insert(all.end(), field.begin(), field.end());
  }
  return all;
}

/// Goes through all cells of an array, the first or the last index fastest; calls work(cell, indices).
void for_each_cell(const Numbers &sizes, bool of_c, const std::function<void(std::int64_t, const Numbers &)> &work) {
  const std::size_t n = sizes.size();
  const std::int64_t cells = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    Numbers indices(n);
    std::int64_t rest = cell;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t d = of_c ? n - 1 - i : i;
      indices[d] = rest % sizes[d];
      rest /= sizes[d];
    }
    work(cell, indices);
  }
}

/// Part `which` of the lists that follow the first numbers.
Numbers list_of(const TypeSpec &spec, std::size_t first, std::size_t which) {
  const auto n = static_cast<std::size_t>(spec.numbers[0]);
  const auto begin = spec.numbers.begin() + static_cast<std::ptrdiff_t>(first + which * n);
  return Numbers(begin, begin + static_cast<std::ptrdiff_t>(n));
}

std::vector<Run> map_of_subarray(const TypeSpec &spec) {
  Map map(spec.children.front());
  const Numbers subsizes = list_of(spec, 2, 1), starts = list_of(spec, 2, 2);
  for_each_cell(list_of(spec, 2, 0), spec.numbers[1] != 0, [&](std::int64_t cell, const Numbers &indices) {
    for (std::size_t d = 0; d < indices.size(); ++d)
      if (indices[d] < starts[d] || indices[d] >= starts[d] + subsizes[d]) return;
    map.add(cell * map.extent(), 1);
  });
  return map.take();
}

/// A cell belongs to the rank whose coordinate in each dimension is that of its block.
std::vector<Run> map_of_darray(const TypeSpec &spec) {
  Map map(spec.children.front());
  const Numbers sizes = list_of(spec, 4, 0), how = list_of(spec, 4, 1), arguments = list_of(spec, 4, 2), grid = list_of(spec, 4, 3);
  Numbers mine(sizes.size());
  std::int64_t rest = spec.numbers[3];
  for (std::size_t d = sizes.size(); d-- > 0; rest /= grid[d]) mine[d] = rest % grid[d];
  for_each_cell(sizes, spec.numbers[1] != 0, [&](std::int64_t cell, const Numbers &indices) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      std::int64_t block = arguments[d];
      if (block == MPI_DISTRIBUTE_DFLT_DARG) block = how[d] == MPI_DISTRIBUTE_BLOCK ? (sizes[d] + grid[d] - 1) / grid[d] : 1;
      if (how[d] != MPI_DISTRIBUTE_NONE && indices[d] / block % grid[d] != mine[d]) return;
    }
    map.add(cell * map.extent(), 1);
  });
  return map.take();
}

/// What is a list of blocks of one child.
std::vector<Run> map_of_blocks(const TypeSpec &spec) {
  Map map(spec.children.front());
  const Numbers &a = spec.numbers;
  const std::int64_t unit =
      spec.maker == Maker::hvector || spec.maker == Maker::hindexed || spec.maker == Maker::hindexed_block ? 1 : map.extent();
  const bool lists = spec.maker != Maker::dup && spec.maker != Maker::resized && spec.maker != Maker::contiguous;
  const std::size_t n = lists ? static_cast<std::size_t>(a[0]) : 0;
  if (spec.maker == Maker::contiguous) map.add(0, a[0]);
  if (spec.maker == Maker::dup || spec.maker == Maker::resized) map.add(0, 1);
  for (std::size_t i = 0; i < n; ++i) {
    if (spec.maker == Maker::vector || spec.maker == Maker::hvector) map.add(static_cast<std::int64_t>(i) * a[2] * unit, a[1]);
    if (spec.maker == Maker::indexed || spec.maker == Maker::hindexed) map.add(a[1 + n + i] * unit, a[1 + i]);
    if (spec.maker == Maker::indexed_block || spec.maker == Maker::hindexed_block) map.add(a[2 + i] * unit, a[1]);
  }
  return map.take();
}

}  // namespace

std::int64_t extent_of(const TypeSpec &spec) { return bounds_of(spec).size; }

std::vector<Run> type_map(const TypeSpec &spec) {
  switch (spec.maker) {
    case Maker::named: return map_of_leaf(leaf_types()[static_cast<std::size_t>(spec.numbers[0])]);
    case Maker::structure: return map_of_struct(spec);
    case Maker::subarray: return map_of_subarray(spec);
    case Maker::darray: return map_of_darray(spec);
    default: return map_of_blocks(spec);
  }
}

Span span_of(const TypeSpec &spec, std::int64_t count) {
  Span span{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), 0};
  const std::int64_t last = (count - 1) * extent_of(spec);
  for (const Run &run : type_map(spec)) {
    if (run.bytes == 0 || count == 0) continue;
    span.begin = std::min({span.begin, run.offset, run.offset + last});
    span.end = std::max({span.end, run.offset + run.bytes, run.offset + run.bytes + last});
    span.bytes += run.bytes * count;
  }
  return span.bytes == 0 ? Span{} : span;
}

const std::vector<MPI_Datatype> &leaf_types() {
  static const std::vector<MPI_Datatype> all{
      MPI_BYTE, MPI_SHORT,      MPI_INT,       MPI_DOUBLE, MPI_FLOAT,   MPI_UINT64_T, MPI_C_DOUBLE_COMPLEX,
      MPI_CHAR, MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_2INT,   MPI_LONG_INT};
  return all;
}

std::string TypeSpec::text() const {
  static const std::array<const char *, 13> names{"named",    "dup",      "contiguous",    "vector",         "hvector",
                                                  "indexed",  "hindexed", "indexed_block", "hindexed_block", "struct",
                                                  "subarray", "darray",   "resized"};
  std::ostringstream out;
  if (maker == Maker::named) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    MPI_Type_get_name(leaf_types()[static_cast<std::size_t>(numbers[0])], name, &length);
    return name;
  }
  out << names[static_cast<std::size_t>(maker)] << (large ? "_c(" : "(");
  for (const std::int64_t number : numbers) out << number << ' ';
  for (const TypeSpec &child : children) out << child.text() << ' ';
  out << ')';
  return out.str();
}

Type::Type(const TypeSpec &spec) {
  if (spec.maker == Maker::named)
    MPI_Type_dup(make(spec), &type_);
  else
    type_ = make(spec);
  MPI_Type_commit(&type_);
}

Type::~Type() { MPI_Type_free(&type_); }

TypeSpec random_type(Random &random, int levels, int leaf) {
  TypeSpec spec;
  if (levels == 0) {
    spec.numbers = {leaf >= 0 ? leaf : pick(random, 0, static_cast<std::int64_t>(leaf_types().size()) - 1)};
    return spec;
  }
  spec.maker = static_cast<Maker>(pick(random, 1, static_cast<int>(Maker::resized)));
  spec.large = pick(random, 0, 3) == 0;
  spec.children = {random_type(random, levels - 1, leaf)};
  choose_numbers(random, spec);
  if (spec.maker == Maker::structure) {
    spec.children.resize(static_cast<std::size_t>(spec.numbers[0]));
    for (std::size_t i = 1; i < spec.children.size(); ++i)
      spec.children[i] = random_type(random, static_cast<int>(pick(random, 0, levels - 1)), leaf);
  }
  return spec;
}

TypeSpec shrink(TypeSpec spec, const std::function<bool(const TypeSpec &)> &fails) {
  for (bool again = true; again;) {
    again = false;
    for (const TypeSpec &next : smaller(spec))
      if (fails(next)) {
        spec = next;
        again = true;
        break;
      }
  }
  return spec;
}

}  // namespace halocline::test
