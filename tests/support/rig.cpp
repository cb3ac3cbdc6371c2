// See rig.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/rig.hpp"

#include <algorithm>
#include <cstring>

namespace halocline::test {
namespace {

/// The number of a direction as the library counts it.
std::size_t number_of(const Index &direction, int ndims) {
  std::size_t number = 0, power = 1;
  for (int d = 0; d < ndims; ++d, power *= 3) number += static_cast<std::size_t>(direction[d] + 1) * power;
  return number;
}

/// Where a view shows a cell; null if it does not.
const std::byte *address(const hlc_view &view, const Values &values, const Index &cell, int ndims) {
  const Index direction = values.direction_of(cell);
  const auto *at = static_cast<const std::byte *>(view.data);
  for (int d = 0; d < ndims; ++d) {
    const std::int64_t index = cell[d] + (direction[d] < 0 ? view.count[d] : direction[d] > 0 ? -values.block()[d] : 0);
    if (index < 0 || index >= view.count[d]) return nullptr;
    at += index * view.stride_bytes[d];
  }
  return at;
}

}  // namespace

Rig::Rig(Case halo, const ModeChoice &mode, Memory memory, int sets, Elsewhere *elsewhere)
    : case_(std::move(halo)), sets_(static_cast<std::size_t>(sets)), elsewhere_(elsewhere) {
  allocate(memory);
  const bool planned = everyone(!::testing::Test::HasFatalFailure()) && [&] {
    const testing::AssertionResult result = ok(plan(mode));
    EXPECT_TRUE(result) << "hlc_halo_init, case " << case_.name;
    return static_cast<bool>(result);
  }();
  ready_ = everyone(planned);
}

Rig::~Rig() {
  if (halo_) {
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo_)));
  }
  for (void *memory : there_)
    if (memory) elsewhere_->release(memory);
  for (void *&memory : shared_) {
    if (!memory) continue;
    EXPECT_TRUE(ok(hlc_field_free(context(), &memory)));
  }
}

void Rig::allocate(Memory memory) {
  bytes_ = arena_bytes(case_, rank());
  shared_.resize(sets_ * bytes_.size());
  own_.resize(sets_ * bytes_.size());
  there_.resize(sets_ * bytes_.size());
  for (std::size_t place = 0; place < shared_.size(); ++place) {
    const std::size_t arena = place % bytes_.size();
    const bool there = elsewhere_ && elsewhere_->has(arena);
    const bool own = !there && (memory == Memory::own || (memory == Memory::differs_by_rank && rank() % 2 == 1) ||
                                (memory == Memory::differs_by_arena && arena % 2 == 1));
    // hlc_field_alloc is collective: a rank that wants its own memory takes part with no bytes.
    EXPECT_TRUE(ok(hlc_field_alloc(context(), own || there ? 0 : bytes_[arena], &shared_[place])));
    if (own) own_[place].resize(bytes_[arena]);
    if (there) there_[place] = elsewhere_->allocate(bytes_[arena]);
  }
}

hlc_status Rig::plan(const ModeChoice &mode) {
  const hlc_grid grid = case_.decomposition.grid_of(rank());
  std::vector<hlc_field> fields;
  for (const FieldShape &shape : case_.field_shapes(case_, rank())) {
    hlc_field field{};
    field.data = data(static_cast<std::size_t>(shape.arena)) + shape.offset;
    field.type = shape.type;
    field.element_bytes = shape.type == HLC_OPAQUE || fields.size() % 2 ? shape.element_bytes : 0;
    if (!shape.default_strides) std::copy(shape.stride.begin(), shape.stride.end(), field.stride_bytes);
    field.name = fields.empty() ? nullptr : "field";
    fields.push_back(field);
  }
  const std::vector<int> table = neighbour_table(case_, rank());
  hlc_halo_spec spec{};
  spec.grid = &grid;
  std::copy(case_.depth_low.begin(), case_.depth_low.end(), spec.depth_low);
  std::copy(case_.depth_high.begin(), case_.depth_high.end(), spec.depth_high);
  spec.stencil = case_.stencil;
  spec.layout = case_.layout;
  spec.nfields = static_cast<int>(fields.size());
  spec.fields = fields.data();
  spec.neighbours = case_.explicit_table ? table.data() : nullptr;
  spec.mode = mode.mode;
  spec.epoch = mode.epoch;
  spec.drive = mode.drive;
  spec.fills = case_.fills.empty() ? nullptr : case_.fills.data();
  spec.rebind = sets_ > 1;
  spec.staged = case_.staged;
  spec.shapes = case_.shapes.empty() ? nullptr : case_.shapes.data();
  return hlc_halo_init(context(), &spec, &halo_);
}

std::byte *Rig::data(std::size_t arena) const {
  const std::size_t place = set_ * bytes_.size() + arena;
  if (there_[place]) return static_cast<std::byte *>(there_[place]);
  return own_[place].empty() ? static_cast<std::byte *>(shared_[place]) : const_cast<std::byte *>(own_[place].data());
}

std::vector<void *> Rig::addresses() const {
  std::vector<void *> all;
  for (const FieldShape &shape : case_.field_shapes(case_, rank()))
    all.push_back(data(static_cast<std::size_t>(shape.arena)) + shape.offset);
  return all;
}

hlc_status Rig::start(const hlc_swap &what) const {
  return set_ == 0 ? hlc_halo_start(halo_, &what) : hlc_halo_start_with(halo_, &what, addresses().data());
}

void Rig::fill(int step, const hlc_swap &what) { write(what.reverse ? before_reverse(case_, rank(), step) : before(case_, rank(), step)); }

void Rig::expect(int step, const hlc_swap &what) {
  if (what.reverse) return expect_image(step, after_reverse(case_, rank(), step, what));
  Image expected = before(case_, rank(), step);
  deliver(case_, rank(), step, what, expected);
  expect_image(step, expected);
}

void Rig::swap_once(int step, const hlc_swap &what) {
  fill(step, what);
  EXPECT_TRUE(ok(start(what)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo_)));
  expect(step, what);
}

void Rig::write(const Image &image) {
  for (std::size_t arena = 0; arena < image.size(); ++arena) write_arena(arena, image[arena]);
}

void Rig::write_arena(std::size_t arena, const Arena &bytes) {
  if (there_[set_ * bytes_.size() + arena])
    elsewhere_->write(data(arena), bytes);
  else
    std::copy(bytes.begin(), bytes.end(), data(arena));
}

Image Rig::read() const {
  Image image;
  for (std::size_t arena = 0; arena < bytes_.size(); ++arena)
    if (there_[set_ * bytes_.size() + arena])
      image.push_back(elsewhere_->read(data(arena), bytes_[arena]));
    else
      image.emplace_back(data(arena), data(arena) + bytes_[arena]);
  return image;
}

Image Rig::seen(const hlc_swap &what, Image image) const {
  const int ndims = case_.decomposition.ndims;
  const auto shapes = case_.field_shapes(case_, rank());
  std::vector<hlc_view> views(static_cast<std::size_t>(HLC_DIRECTIONS(ndims)));
  for (int f = 0; f < case_.nfields; ++f) {
    EXPECT_TRUE(ok(hlc_halo_views(halo_, f, views.data())));
    const FieldShape &shape = shapes[static_cast<std::size_t>(f)];
    const Values values(case_, rank(), f);
    values.for_each([&](const Index &cell) {
      const auto owner = values.owner_of(cell);
      if (!owner || !values.asked_for(what, cell)) return;
      const std::size_t direction = number_of(values.direction_of(cell), ndims);
      const hlc_view &view = views[direction];
      ASSERT_NE(view.data, nullptr) << "field " << f << ", direction " << direction;
      EXPECT_EQ(view.rank, owner->rank);
      const std::byte *shown = address(view, values, cell, ndims);
      ASSERT_NE(shown, nullptr) << "field " << f << ", direction " << direction << " shows too few cells";
      std::memcpy(image[static_cast<std::size_t>(shape.arena)].data() + values.position(shape, cell), shown, shape.element_bytes);
    });
  }
  return image;
}

Image Rig::seen(const hlc_swap &what) const { return seen(what, read()); }

void Rig::expect_image(int step, const Image &expected) {
  const Image found = read();
  if (found != expected)
    ADD_FAILURE() << "case " << case_.name << ", step " << step << ":\n" << difference(case_, rank(), step, expected, found);
}

}  // namespace halocline::test
