// See boxes.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/boxes.hpp"

#include <algorithm>

namespace halocline::test {
namespace {

std::size_t at(int d) { return static_cast<std::size_t>(d); }

bool inside(const OwnedBox &box, const Index &cell) {
  for (std::size_t d = 0; d < cell.size(); ++d)
    if (cell[d] < box.start[d] || cell[d] >= box.start[d] + box.count[d]) return false;
  return true;
}

std::int64_t wrapped(std::int64_t cell, std::int64_t cells) { return (cell % cells + cells) % cells; }

/// The box that owns a place of the domain, which may be beyond its sides; -1: none does.
int owner_at(const BoxCase &boxes, Index &place) {
  for (int d = 0; d < boxes.ndims; ++d) {
    if (boxes.periodic[at(d)]) place[at(d)] = wrapped(place[at(d)], boxes.global[at(d)]);
    if (place[at(d)] < 0 || place[at(d)] >= boxes.global[at(d)]) return -1;
  }
  for (std::size_t b = 0; b < boxes.boxes.size(); ++b)
    if (inside(boxes.boxes[b], place)) return static_cast<int>(b);
  return -1;
}

/// The cell that a value goes with, both counted from the box's first. A node is the lower end of its cell; but a shared one behind the box is
/// the upper end, and so is the last one of the box, or the last owned one of the domain.
Index cell_of(const BoxCase &boxes, const OwnedBox &box, int field, Index value) {
  const hlc_field_shape shape = boxes.shape(field);
  for (int d = 0; d < boxes.ndims; ++d) {
    const bool last = !boxes.periodic[at(d)] && box.start[at(d)] + value[at(d)] == boxes.global[at(d)];
    if (shape.stagger[d] == HLC_NODES_OWNED && last) value[at(d)] -= 1;
    if (shape.stagger[d] == HLC_NODES_SHARED && value[at(d)] >= box.count[at(d)]) value[at(d)] -= 1;
  }
  return value;
}

/// In how many dimensions a cell, counted from the box's first, is outside of the box.
int outside(const OwnedBox &box, const Index &cell) {
  int n = 0;
  for (std::size_t d = 0; d < cell.size(); ++d) n += cell[d] < 0 || cell[d] >= box.count[d] ? 1 : 0;
  return n;
}

/// Calls visit(value) for the values of a field in a box and its halo, counted from the box's first cell.
template <class Visit>
void each_value(const BoxCase &boxes, std::size_t box, int field, Visit visit) {
  Index cell{}, low{}, high{1, 1, 1, 1};
  for (int d = 0; d < boxes.ndims; ++d) {
    low[at(d)] = -boxes.shape(field).depth_low[d];
    high[at(d)] = low[at(d)] + boxes.values(box, field, d);
  }
  for (cell[3] = low[3]; cell[3] < high[3]; ++cell[3])
    for (cell[2] = low[2]; cell[2] < high[2]; ++cell[2])
      for (cell[1] = low[1]; cell[1] < high[1]; ++cell[1])
        for (cell[0] = low[0]; cell[0] < high[0]; ++cell[0]) visit(cell);
}

std::byte *place_of(const BoxCase &boxes, const BoxArray &array, const Index &cell, Arena &memory) {
  std::int64_t offset = array.offset;
  const hlc_field_shape shape = boxes.shape(array.field);
  for (int d = 0; d < boxes.ndims; ++d) offset += (cell[at(d)] + shape.depth_low[d]) * array.stride[at(d)];
  return memory.data() + offset;
}

Index global_of(const OwnedBox &box, Index cell) {
  for (std::size_t d = 0; d < cell.size(); ++d) cell[d] += box.start[d];
  return cell;
}

/// How far a value is from those of the box, along the dimension in which that is most. The node next to the box's last cell is not far.
std::int64_t steps_away(const BoxCase &boxes, const OwnedBox &box, int field, const Index &value) {
  std::int64_t most = 0;
  for (int d = 0; d < boxes.ndims; ++d) {
    const std::int64_t last = box.count[at(d)] - (boxes.shape(field).stagger[d] == HLC_CENTRED ? 1 : 0);
    most = std::max({most, -value[at(d)], value[at(d)] - last});
  }
  return most;
}

/// The owner of a halo value that a swap fills, with the value counted from the owner's first; -1: the swap does not fill it. depth 0: the
/// whole halo.
int filled_from(const BoxCase &boxes, const OwnedBox &box, int field, std::int64_t depth, Index &value) {
  const Index cell = cell_of(boxes, box, field, value);
  const int out = outside(box, cell);
  if (out == 0 || (boxes.stencil == HLC_STENCIL_STAR && out > 1)) return -1;
  if (depth > 0 && steps_away(boxes, box, field, value) > depth) return -1;
  Index place = global_of(box, cell);
  const int owner = owner_at(boxes, place);
  for (std::size_t d = 0; owner >= 0 && d < cell.size(); ++d) value[d] += place[d] - cell[d] - boxes.boxes[at(owner)].start[d];
  return owner;
}

/// The writer of a cell before a reverse swap, distinct for halo cells and interiors of each box.
Writer reverse_writer(const BoxArray &array, const OwnedBox &box, const Index &cell, int step) {
  return {box.rank * 1000 + static_cast<int>(array.box), array.field, cell, step};
}

void add_reverse(const BoxCase &boxes, int rank, int step, std::int64_t depth, const std::vector<BoxArray> &arrays, int field,
                 Arena &memory) {
  const Kind kind = boxes.kinds[at(field)];
  for (std::size_t b = 0; b < boxes.boxes.size(); ++b) {
    const BoxArray source{b, field, 0, {}, 0};
    each_value(boxes, b, field, [&](const Index &cell) {
      Index inner = cell;
      const int owner = filled_from(boxes, boxes.boxes[b], field, depth, inner);
      if (owner < 0) return;
      std::byte term[16], zero[16]{};
      write_small_number(kind.type, reverse_writer(source, boxes.boxes[b], cell, step), term);
      for (const BoxArray &array : arrays) {
        if (array.field != field) continue;
        if (array.box == at(owner)) add_element(kind.type, place_of(boxes, array, inner, memory), term);
        if (array.box == b && boxes.boxes[b].rank == rank) std::memcpy(place_of(boxes, array, cell, memory), zero, kind.bytes);
      }
    });
  }
}

}  // namespace

hlc_field_shape BoxCase::shape(int field) const {
  hlc_field_shape shape = shapes.empty() ? hlc_field_shape{} : shapes[at(field)];
  for (int d = 0; d < ndims && !shape.own_depth; ++d) shape.depth_low[d] = low[at(d)], shape.depth_high[d] = high[at(d)];
  return shape;
}

std::int64_t BoxCase::values(std::size_t box, int field, int d) const {
  const hlc_field_shape made = shape(field);
  return made.depth_low[d] + boxes[box].count[at(d)] + made.depth_high[d] + (made.stagger[d] == HLC_CENTRED ? 0 : 1);
}

std::vector<std::size_t> BoxCase::of(int rank) const {
  std::vector<std::size_t> mine;
  for (std::size_t b = 0; b < boxes.size(); ++b)
    if (boxes[b].rank == rank) mine.push_back(b);
  return mine;
}

std::vector<BoxArray> arrays_of(const BoxCase &boxes, int rank) {
  std::vector<BoxArray> arrays;
  std::int64_t next = 64;
  for (const std::size_t b : boxes.of(rank))
    for (int f = 0; f < boxes.nfields(); ++f) {
      Random random(boxes.strided + b * 100 + static_cast<std::size_t>(f));
      std::array<int, HLC_MAX_DIMS> order{0, 1, 2, 3};
      if (boxes.layout == HLC_ROW_MAJOR) std::reverse(order.begin(), order.begin() + boxes.ndims);
      if (boxes.strided) std::shuffle(order.begin(), order.begin() + boxes.ndims, random);
      BoxArray array{b, f, next, {}, 0};
      auto stride = static_cast<std::int64_t>(boxes.kinds[at(f)].bytes);
      for (int i = 0; i < boxes.ndims; ++i) {
        const std::size_t d = at(order[at(i)]);
        if (boxes.strided) stride += between(random, 0, 2) * 5;
        array.stride[d] = stride;
        stride *= boxes.values(b, f, static_cast<int>(d));
      }
      array.bytes = stride;
      next += stride + 24 - stride % 8;
      arrays.push_back(array);
    }
  return arrays;
}

std::size_t memory_of(const BoxCase &boxes, int rank) {
  std::int64_t bytes = 64;
  for (const BoxArray &array : arrays_of(boxes, rank)) bytes = std::max(bytes, array.offset + array.bytes + 64);
  return static_cast<std::size_t>(bytes);
}

Arena boxes_before(const BoxCase &boxes, int rank, int step, bool reverse) {
  Arena memory(memory_of(boxes, rank), poison);
  for (const BoxArray &array : arrays_of(boxes, rank)) {
    const OwnedBox &box = boxes.boxes[array.box];
    const Kind kind = boxes.kinds[at(array.field)];
    each_value(boxes, array.box, array.field, [&](const Index &cell) {
      std::byte *element = place_of(boxes, array, cell, memory);
      if (reverse && kind.type != HLC_OPAQUE)
        write_small_number(kind.type, reverse_writer(array, box, cell, step), element);
      else if (outside(box, cell_of(boxes, box, array.field, cell)) == 0)
        write_element(kind.type, kind.bytes, {rank, array.field, global_of(box, cell), step}, element);
    });
  }
  return memory;
}

Arena boxes_after(const BoxCase &boxes, int rank, int step, bool reverse, const std::vector<int> &fields, std::int64_t depth) {
  Arena memory = boxes_before(boxes, rank, step, reverse);
  const std::vector<BoxArray> arrays = arrays_of(boxes, rank);
  const auto swapped = [&](int f) { return fields.empty() || std::find(fields.begin(), fields.end(), f) != fields.end(); };
  for (int f = 0; reverse && f < boxes.nfields(); ++f)
    if (swapped(f)) add_reverse(boxes, rank, step, depth, arrays, f, memory);
  for (const BoxArray &array : arrays) {
    if (reverse || !swapped(array.field)) continue;
    const Kind kind = boxes.kinds[at(array.field)];
    each_value(boxes, array.box, array.field, [&](const Index &cell) {
      Index inner = cell;
      const int owner = filled_from(boxes, boxes.boxes[array.box], array.field, depth, inner);
      if (owner < 0) return;
      const OwnedBox &from = boxes.boxes[at(owner)];
      write_element(kind.type, kind.bytes, {from.rank, array.field, global_of(from, inner), step}, place_of(boxes, array, cell, memory));
    });
  }
  return memory;
}

std::string boxes_difference(const BoxCase &boxes, int rank, const Arena &expected, const Arena &found) {
  if (expected == found) return {};
  const auto first = std::mismatch(expected.begin(), expected.end(), found.begin()).first - expected.begin();
  std::string text = boxes.name + ": rank " + std::to_string(rank) + ", byte " + std::to_string(first);
  for (const BoxArray &array : arrays_of(boxes, rank))
    if (first >= array.offset && first < array.offset + array.bytes) {
      text += ", box " + std::to_string(array.box) + ", field " + std::to_string(array.field) + ", array cell";
      for (int d = 0; d < boxes.ndims; ++d) {
        const std::int64_t stride = array.stride[at(d)];
        const std::int64_t cells = boxes.values(array.box, array.field, d);
        text.append(" ").append(std::to_string((first - array.offset) / stride % cells));
      }
    }
  const auto byte = [&](const Arena &memory) { return std::to_string(std::to_integer<int>(memory[static_cast<std::size_t>(first)])); };
  return text + ": expected " + byte(expected) + ", found " + byte(found) + " (219: nobody wrote it)";
}

BoxSpec::BoxSpec(const BoxCase &owned, int rank, std::byte *memory) {
  for (const std::size_t b : owned.of(rank)) {
    hlc_box box{};
    for (int d = 0; d < owned.ndims; ++d) box.start[d] = owned.boxes[b].start[at(d)], box.count[d] = owned.boxes[b].count[at(d)];
    box.id = static_cast<std::int64_t>(b);
    box.part = owned.boxes[b].part;
    boxes.push_back(box);
    spec.parts = std::max(spec.parts, box.part + 1);
  }
  for (const BoxArray &array : arrays_of(owned, rank)) {
    hlc_field field{};
    field.data = memory + array.offset;
    field.type = owned.kinds[at(array.field)].type;
    field.element_bytes = owned.kinds[at(array.field)].bytes;
    for (int d = 0; owned.strided && d < owned.ndims; ++d) field.stride_bytes[d] = array.stride[at(d)];
    fields.push_back(field);
  }
  spec.ndims = owned.ndims;
  for (int d = 0; d < owned.ndims; ++d) {
    spec.global[d] = owned.global[at(d)];
    spec.periodic[d] = owned.periodic[at(d)];
    spec.depth_low[d] = owned.low[at(d)];
    spec.depth_high[d] = owned.high[at(d)];
  }
  spec.stencil = owned.stencil;
  spec.layout = owned.layout;
  spec.nblocks = static_cast<int>(boxes.size());
  spec.blocks = boxes.data();
  spec.nfields = owned.nfields();
  spec.fields = fields.data();
  shapes = owned.shapes;
  spec.shapes = shapes.empty() ? nullptr : shapes.data();
}

hlc_field_shape &BoxSpec::shape(int field) {
  shapes.resize(at(spec.nfields));
  spec.shapes = shapes.data();
  return shapes[at(field)];
}

void cut_at_random(BoxCase &boxes, int ranks, int pieces, bool holes, Random &random) {
  boxes.boxes = {{0, {}, boxes.global, 0}};
  for (int tries = 0; tries < 10 * pieces && static_cast<int>(boxes.boxes.size()) < pieces; ++tries) {
    OwnedBox &whole = boxes.boxes[static_cast<std::size_t>(between(random, 0, static_cast<std::int64_t>(boxes.boxes.size()) - 1))];
    const auto d = static_cast<std::size_t>(between(random, 0, boxes.ndims - 1));
    if (whole.count[d] < 2) continue;
    OwnedBox upper = whole;
    const std::int64_t below = between(random, 1, whole.count[d] - 1);
    upper.start[d] += below;
    upper.count[d] -= below;
    whole.count[d] = below;
    boxes.boxes.push_back(upper);
  }
  for (OwnedBox &box : boxes.boxes) box.rank = static_cast<int>(between(random, 0, ranks - 1));
  const auto last = static_cast<std::int64_t>(boxes.boxes.size()) - 1;
  if (holes && last > 0) boxes.boxes.erase(boxes.boxes.begin() + between(random, 0, last));
}

BoxCase random_boxes(int ranks, Random &random) {
  BoxCase boxes;
  boxes.name = "random boxes";
  boxes.ndims = static_cast<int>(between(random, 1, 4));
  const std::array<std::int64_t, 4> widest{40, 14, 7, 4}, deepest{5, 3, 2, 1};
  for (int d = 0; d < boxes.ndims; ++d) {
    boxes.global[at(d)] = between(random, 1, widest[at(boxes.ndims - 1)]);
    boxes.low[at(d)] = between(random, 0, deepest[at(boxes.ndims - 1)]);
    boxes.high[at(d)] = between(random, 0, deepest[at(boxes.ndims - 1)]);
    boxes.periodic[at(d)] = static_cast<int>(between(random, 0, 1));
  }
  boxes.stencil = between(random, 0, 1) ? HLC_STENCIL_STAR : HLC_STENCIL_BOX;
  boxes.layout = between(random, 0, 1) ? HLC_ROW_MAJOR : HLC_COLUMN_MAJOR;
  boxes.strided = between(random, 0, 1) ? 1 + random() % 1000 : 0;
  for (std::int64_t f = between(random, 1, 3); f > 0; --f)
    boxes.kinds.push_back(all_kinds()[static_cast<std::size_t>(between(random, 0, static_cast<std::int64_t>(all_kinds().size()) - 1))]);
  cut_at_random(boxes, ranks, static_cast<int>(between(random, 1, 4 * ranks)), between(random, 0, 3) == 0, random);
  return boxes;
}

BoxCase random_staggered_boxes(int ranks, Random &random) {
  BoxCase boxes = random_boxes(ranks, random);
  boxes.name = "random staggered boxes";
  for (int f = 0; f < boxes.nfields(); ++f) {
    hlc_field_shape shape{};
    shape.own_depth = static_cast<int>(between(random, 0, 1));
    for (int d = 0; d < boxes.ndims; ++d) {
      shape.stagger[d] = static_cast<hlc_stagger>(between(random, 0, 2));
      const std::int64_t low = between(random, 0, boxes.low[at(d)] + 1), high = between(random, 0, boxes.high[at(d)] + 1);
      if (shape.own_depth) shape.depth_low[d] = low, shape.depth_high[d] = high;
    }
    boxes.shapes.push_back(shape);
  }
  return boxes;
}

}  // namespace halocline::test
