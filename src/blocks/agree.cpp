// Comparing the specs of all ranks, and the types and orders of their fields.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/agree.hpp"

#include <algorithm>
#include <string>

#include "base/types.hpp"
#include "blocks/check_spec.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/communicator/consistency.hpp"
#include "exchange/fields.hpp"
#include "exchange/modes/modes.hpp"

namespace halocline::core {
namespace {

const char *stencil_word(std::int64_t value) { return value == HLC_STENCIL_STAR ? "star" : "box"; }

/// A type and its size as one number, unique for the pair.
std::int64_t code_of(hlc_type type, std::int64_t element) { return element * 16 + type; }

/// The pairs of dimensions of which the first varies faster, a bit each; none if either has only one cell.
std::int64_t nesting_bits(const BlockShape &shape, int field, const Strides &strides) {
  const Nesting nesting = find_nesting(Extents::of(shape.spec, field), shape.grid.ndims, strides);
  std::int64_t bits = 0;
  for (int i = 0; i < kMaxDims * kMaxDims; ++i) bits |= static_cast<std::int64_t>(nesting.inside[i / kMaxDims][i % kMaxDims]) << i;
  return bits;
}

Nesting nesting_of(std::int64_t bits) {
  Nesting nesting{};
  for (int i = 0; i < kMaxDims * kMaxDims; ++i) nesting.inside[i / kMaxDims][i % kMaxDims] = static_cast<int>(bits >> i & 1);
  return nesting;
}

/// Reduces a number per field over all ranks.
Status reduce_all(Communicator &communicator, MPI_Op operation, std::vector<std::int64_t> &numbers) {
  for (std::size_t first = 0; first < numbers.size(); first += AgreementBuffer::kNumbers) {
    const auto count = std::min<std::size_t>(AgreementBuffer::kNumbers, numbers.size() - first);
    HLC_TRY(reduce(communicator, communicator.comm(), operation, numbers.data() + first, static_cast<int>(count)));
  }
  return Status::ok;
}

/// Numbers that must be the same on all ranks that know them; 0: this rank does not.
struct Codes {
  std::vector<std::int64_t> mine, largest;
  std::vector<std::int64_t> holders;  // the lowest rank that has the largest

  void add(std::int64_t code) { mine.push_back(code); }
  void make_room() { largest = holders = mine; }
  bool differs(std::size_t i) const { return mine[i] != 0 && mine[i] != largest[i]; }
};

/// Finds the largest of each number. Collective; allocates nothing.
Status find_largest(Communicator &communicator, Codes &codes) {
  HLC_TRY(reduce_all(communicator, MPI_MAX, codes.largest));
  for (std::size_t i = 0; i < codes.mine.size(); ++i)
    codes.holders[i] = codes.mine[i] == codes.largest[i] ? communicator.rank() : communicator.size();
  return reduce_all(communicator, MPI_MIN, codes.holders);
}

Status agree_on_types(Communicator &communicator, BlockTables &tables) {
  Codes codes;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    for (const BlockField &field : tables.fields) codes.add(field.element == 0 ? 0 : code_of(field.type, field.element));
    codes.make_room();
    return Status::ok;
  }));
  HLC_TRY(find_largest(communicator, codes));
  return prepare(communicator, communicator.comm(), [&] {
    for (std::size_t f = 0; f < tables.fields.size(); ++f) {
      BlockField &field = tables.fields[f];
      const auto type = static_cast<hlc_type>(codes.largest[f] % 16);
      const std::int64_t element = codes.largest[f] / 16;
      if (codes.differs(f))
        return fail(Status::mismatch, "%s: ranks disagree on fields[%zu] '%s': rank %d has %s of %lld bytes, rank %lld has %s of %lld",
                    PlanCall(communicator).text, f, field.name.c_str(), communicator.rank(), type_name(field.type),
                    static_cast<long long>(field.element), static_cast<long long>(codes.holders[f]), type_name(type),
                    static_cast<long long>(element));
      field.type = type;
      field.element = element;
    }
    return Status::ok;
  });
}

/// A number of a field's shape, and what it says. As a code 0 is that of a rank which does not know it.
struct ShapeEntry {
  std::string name;
  std::int64_t value;
  std::int64_t code() const { return value + 1; }
  std::string word(std::int64_t of_code) const {
    return name.rfind("stagger", 0) == 0 ? stagger_word(of_code - 1) : std::to_string(of_code - 1);
  }
};

std::vector<ShapeEntry> entries_of(const hlc_field_shape &shape, int ndims) {
  std::vector<ShapeEntry> entries;
  for (int d = 0; d < ndims; ++d)
    entries.insert(entries.end(), {{indexed("stagger", d), shape.stagger[d]},
                                   {indexed("depth_low", d), shape.depth_low[d]},
                                   {indexed("depth_high", d), shape.depth_high[d]}});
  return entries;
}

hlc_field_shape decoded(const std::int64_t *codes, int ndims) {
  hlc_field_shape shape{};
  shape.own_depth = 1;
  for (int d = 0; d < ndims; ++d, codes += 3) {
    shape.stagger[d] = static_cast<hlc_stagger>(codes[0] - 1);
    shape.depth_low[d] = codes[1] - 1;
    shape.depth_high[d] = codes[2] - 1;
  }
  return shape;
}

/// A rank without blocks that gives no shapes gets those of the others.
Status agree_on_shapes(Communicator &communicator, const hlc_blocks_spec &spec, BlockTables &tables) {
  std::int64_t given = spec.shapes != nullptr;
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MAX, &given, 1));
  if (given == 0) return Status::ok;
  const bool knows = spec.shapes || spec.nblocks > 0;
  Codes codes;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    for (const hlc_field_shape &shape : tables.shapes)
      for (const ShapeEntry &entry : entries_of(shape, spec.ndims)) codes.add(knows ? entry.code() : 0);
    codes.make_room();
    return Status::ok;
  }));
  HLC_TRY(find_largest(communicator, codes));
  return prepare(communicator, communicator.comm(), [&] {
    std::size_t i = 0;
    for (std::size_t f = 0; f < tables.shapes.size(); ++f) {
      const hlc_field_shape agreed = decoded(&codes.largest[i], spec.ndims);
      for (const ShapeEntry &entry : entries_of(tables.shapes[f], spec.ndims)) {
        if (codes.differs(i))
          return fail(Status::mismatch, "%s: ranks disagree on shapes[%zu], of field '%s': %s is %s on rank %d and %s on rank %lld",
                      PlanCall(communicator).text, f, tables.fields[f].name.c_str(), entry.name.c_str(), entry.word(entry.code()).c_str(),
                      communicator.rank(), entry.word(codes.largest[i]).c_str(), static_cast<long long>(codes.holders[i]));
        ++i;
      }
      tables.shapes[f] = agreed;
    }
    return Status::ok;
  });
}

/// The order of cells in a message: that of the arrays of all ranks. If they differ, it is the same on all; layouts may differ, too.
Status agree_on_orders(Communicator &communicator, const hlc_blocks_spec &spec, BlockTables &tables) {
  std::vector<std::int64_t> bits;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    bits.resize(tables.fields.size());
    for (int b = 0; b < spec.nblocks; ++b) {
      const BlockShape shape(spec, b);
      for (std::size_t f = 0; f < tables.fields.size(); ++f)
        bits[f] |= nesting_bits(shape, static_cast<int>(f), tables.array(b, f).strides);
    }
    return Status::ok;
  }));
  HLC_TRY(reduce_all(communicator, MPI_BOR, bits));
  for (std::size_t f = 0; f < tables.fields.size(); ++f)
    if (!order_dims(nesting_of(bits[f]), tables.ndims, spec.layout, tables.fields[f].order))
      static_cast<void>(order_dims({}, tables.ndims, HLC_COLUMN_MAJOR, tables.fields[f].order));
  return Status::ok;
}

}  // namespace

Status agree_on_blocks(Communicator &communicator, const hlc_blocks_spec &spec, const Options &options) {
  const PlanCall call(communicator);
  HLC_TRY(check_rules(communicator, call.text, [&] {
    std::vector<Rule> rules = rules_of(options);
    rules.insert(rules.end(), {{"ndims", spec.ndims}, {"nfields", spec.nfields}, {"stencil", spec.stencil, stencil_word}});
    return rules;
  }));
  return check_rules(communicator, call.text, [&] {
    std::vector<Rule> rules;
    for (int d = 0; d < spec.ndims; ++d) {
      std::string index = "[";
      index.append(std::to_string(d)).append("]");
      rules.push_back({"global" + index, spec.global[d]});
      rules.push_back({"periodic" + index, spec.periodic[d] != 0});
      rules.push_back({"depth_low" + index, spec.depth_low[d]});
      rules.push_back({"depth_high" + index, spec.depth_high[d]});
    }
    return rules;
  });
}

Status agree_on_fields(Communicator &communicator, const hlc_blocks_spec &spec, BlockTables &tables) {
  HLC_TRY(agree_on_shapes(communicator, spec, tables));
  HLC_TRY(agree_on_types(communicator, tables));
  return agree_on_orders(communicator, spec, tables);
}

}  // namespace halocline::core
