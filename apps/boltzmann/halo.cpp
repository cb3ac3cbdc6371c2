// The values around a block by the library: one plan per turn, of which each component is a field. In mode view they are read in place: in
// the neighbour's array, or in the receive buffer.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "swap.hpp"

#include <stdexcept>

namespace boltzmann {
namespace {

class Halo : public Swap {
 public:
  Halo(const Setup &setup, halocline::Mode mode) : Swap(setup), views_(mode == halocline::Mode::view) {
    bool split = false;
    for (int d = 0; d < kDims; ++d) split = split || block().split(d);
    for (int turn = 0; split && turn < 2; ++turn) halos_.push_back(make(setup, turn, mode));
    list_shown();
    for (int turn = 0; all_read_ && !halos_.empty() && turn < 2; ++turn) {
      if (views_) learn(turn);
      list_lines(turn);
    }
  }

  const common::CacheLines *look(int turn) override {
    if (halos_.empty() || !all_read_) return nullptr;
    const bool there = is_under_way_ ? halos_[static_cast<std::size_t>(turn)].test() : true;
    return there ? &lines_[turn] : nullptr;
  }
  void settle() override {
    for (halocline::Halo &halo : halos_) halo.release();
  }
  std::int64_t bytes_in() const override { return halos_.empty() ? 0 : halos_[0].info().bytes_in; }

 private:
  struct Shown {
    int component, direction;
    std::array<int, kDims> v;
  };

  halocline::Halo make(const Setup &setup, int turn, halocline::Mode mode) {
    std::vector<hlc_field> fields;
    std::vector<unsigned char> fills;
    for (int c = 0; c < components(); ++c) {
      hlc_field field{};
      field.data = array(turn, c);
      field.type = HLC_FLOAT64;
      field.name = list()[static_cast<std::size_t>(c)].name;
      fields.push_back(field);
      unsigned char some[kDirections];
      for (unsigned char &fill : some) fill = 1;
      const int *velocity = list()[static_cast<std::size_t>(c)].velocity;
      if (velocity && !full()) halocline::check(hlc_fills_moving(kDims, velocity, some));
      fills.insert(fills.end(), some, some + kDirections);
    }
    const std::string name = std::string(setup.name) + (turn == 0 ? ", even steps" : ", odd steps");
    hlc_halo_spec spec{};
    spec.grid = &block().cells().raw();
    for (int d = 0; d < kDims; ++d) spec.depth_low[d] = spec.depth_high[d] = block().depth(d);
    spec.layout = HLC_ROW_MAJOR;
    spec.nfields = components();
    spec.fields = fields.data();
    spec.fills = fills.data();
    spec.mode = static_cast<hlc_mode>(mode);
    spec.name = name.c_str();
    return halocline::Halo(setup.context, spec);
  }

  /// What views show beside the block: the components that enter it there.
  void list_shown() {
    for (int c = 0; views_ && c < components(); ++c)
      for (int number = 0; number < kDirections; ++number) {
        const std::array<int, kDims> v{number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1};
        bool beside = number != direction(0, 0, 0);
        for (int d = 0; d < kDims; ++d) beside = beside && (v[static_cast<std::size_t>(d)] == 0 || block().split(d));
        if (beside && is_filled(c, v.data())) shown_.push_back({c, number, v});
      }
    if (halos_.empty()) return;
    const hlc_plan_info info = halos_[0].info();
    all_read_ = info.via_direct == info.neighbours;
  }

  void do_start(int turn) override {
    if (halos_.empty()) return;
    halos_[static_cast<std::size_t>(turn)].start();
    is_under_way_ = true;
  }

  void do_finish(int turn) override {
    if (halos_.empty()) return;
    is_under_way_ = false;
    halocline::Halo &halo = halos_[static_cast<std::size_t>(turn)];
    if (!views_) return halo.finish();
    halo.finish_views();
    halos_[static_cast<std::size_t>(1 - turn)].release();
    // A view of a neighbour's array stays where it is, one of a receive buffer does not.
    if (!all_read_) note_views(turn);
  }

  /// A first swap shows where the neighbours' arrays are.
  void learn(int turn) {
    halocline::Halo &halo = halos_[static_cast<std::size_t>(turn)];
    halo.start();
    halo.finish_views();
    note_views(turn);
    halo.release();
  }

  /// Of planes across x and y: the rows that are read in place, and those that neighbours have read and this rank writes next. Along z there
  /// are no rows.
  void list_lines(int turn) {
    for (int c = 0; c < components(); ++c)
      for (const int side : {-1, 1}) {
        for (std::int64_t y = 0; block().split(0) && y < block().n(1); ++y) add_rows(turn, c, {side, 0, 0}, {0, y});
        for (std::int64_t x = 0; block().split(1) && x < block().n(0); ++x) add_rows(turn, c, {0, side, 0}, {x, 0});
      }
  }

  /// A row beside the block, and the one that the neighbour reads there. at: x and y, of which that along v does not count.
  void add_rows(int turn, int c, const std::array<int, kDims> &v, std::array<std::int64_t, 2> at) {
    const std::size_t bytes = static_cast<std::size_t>(block().n(2)) * sizeof(double);
    const std::size_t d = v[0] != 0 ? 0 : 1;
    const std::array<int, kDims> back{-v[0], -v[1], -v[2]};
    const auto row = [](const double *first) { return reinterpret_cast<const std::byte *>(first); };
    const Place &beside = place(turn, c, direction(v[0], v[1], v[2]));
    at[d] = v[d] < 0 ? -1 : block().n(static_cast<int>(d));
    if (views_ && is_filled(c, v.data()) && beside.data) common::CacheLines::add(lines_[turn].read, row(beside.at(at[0], at[1], 0)), bytes);
    at[d] = v[d] < 0 ? 0 : block().n(static_cast<int>(d)) - 1;
    if (is_filled(c, back.data())) common::CacheLines::add(lines_[turn].written, row(this->row(1 - turn, c, at[0], at[1])), bytes);
  }

  void note_views(int turn) {
    hlc_view views[kDirections];
    int component = -1;
    for (const Shown &one : shown_) {
      if (one.component != component) halocline::check(hlc_halo_views(halos_[static_cast<std::size_t>(turn)].raw(), one.component, views));
      component = one.component;
      place_at(turn, one.component, one.direction) = place_of(views[one.direction], one.v);
    }
  }

  /// A view begins with the lowest site of its box.
  Place place_of(const hlc_view &view, const std::array<int, kDims> &v) const {
    if (view.data == nullptr || view.rank == HLC_NO_NEIGHBOUR) return {};
    std::int64_t bytes = 0;
    for (int d = 0; d < kDims; ++d) {
      const int side = v[static_cast<std::size_t>(d)];
      const std::int64_t first = side < 0 ? -view.count[d] : side == 0 ? 0 : block().n(d);
      bytes += first * view.stride_bytes[d];
    }
    constexpr std::int64_t value = sizeof(double);
    if (view.count[2] > 1 && view.stride_bytes[2] != value) throw std::runtime_error("a view has gaps between its values along z");
    const auto *first = reinterpret_cast<const double *>(static_cast<const char *>(view.data) - bytes);
    // One site along z is at the distance of a value behind the block, or before it, as rows count.
    if (view.stride_bytes[2] != value && v[2] != 0) first += (v[2] < 0 ? -1 : block().n(2)) * (view.stride_bytes[2] - value) / value;
    return {first, view.stride_bytes[0] / value, view.stride_bytes[1] / value};
  }

  bool views_, all_read_ = false, is_under_way_ = false;
  std::vector<halocline::Halo> halos_;  ///< of each turn; none on one rank
  std::vector<Shown> shown_;
  common::CacheLines lines_[2];
};

}  // namespace

std::unique_ptr<Swap> make_halo(const Setup &setup, halocline::Mode mode) { return std::make_unique<Halo>(setup, mode); }

}  // namespace boltzmann
