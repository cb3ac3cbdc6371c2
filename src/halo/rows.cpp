// A row has three parts: its own cells and those beyond either end. If they are contiguous, the row is handed out whole. Else its two ends
// are copied to a strip with the cells beyond them, and the part between is handed out in place.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/rows.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bounds.hpp"

namespace halocline::core {
namespace {

constexpr int kMaxOthers = HLC_MAX_DIMS - 1;
constexpr std::int64_t kMaxRows = 343, kMaxStripBytes = 64 << 10;
constexpr int kPowers[] = {1, 3, 9, 27};  // of 3: what a step in each dimension does to a direction's number

constexpr const char *kForRows = "hlc_for_rows";

Status bad(const char *what, long long value, const char *rule) {
  return fail(Status::argument, "hlc_for_rows: %s is %lld but must be %s", what, value, rule);
}

/// One row of cells: its first cell, the end of the row below it, and the first cell above it. NULL: nothing there.
struct Line {
  const char *below_end = nullptr, *first = nullptr, *above = nullptr;
};

/// Where the rows at one offset in one dimension are: below the block, in it or above it, and at which index there.
struct Place {
  int side = 0;
  std::int64_t index = 0;
};

class Rows {
 public:
  Rows(const hlc_rows_spec &spec, hlc_row_fn body, void *user) : spec_(spec), body_(body), user_(user) {
    middle_ = HLC_DIRECTIONS(spec.ndims) / 2;
    for (int d = 0; d < spec.ndims; ++d)
      if (d != spec.dim) others_[static_cast<std::size_t>(n_others_++)] = d;
    for (int i = 0; i < n_others_; ++i) n_rows_ *= 2 * spec.reach[others_[static_cast<std::size_t>(i)]] + 1;
    element_ = static_cast<std::int64_t>(spec.element_bytes);
    reach_ = spec.reach[spec.dim];
    cells_ = spec.views[middle_].count[spec.dim];
    strip_cells_ = std::min(cells_, 4 * reach_) + 2 * reach_;
    for (int v = 0; v < HLC_DIRECTIONS(spec.ndims); ++v) known_[static_cast<std::size_t>(v)] = holds_cells(spec.views[v]);
  }

  Status check() const {
    for (int v = 0; v < HLC_DIRECTIONS(spec_.ndims); ++v) HLC_TRY(check_view(v));
    if (reach_ > 0)
      for (const int end : {middle_ - kPowers[spec_.dim], middle_ + kPowers[spec_.dim]})
        if (!known_[static_cast<std::size_t>(end)])
          return fail(Status::argument, "hlc_for_rows: reach along dim is %lld, but the view %s the block along it is NULL or empty",
                      static_cast<long long>(reach_), end < middle_ ? "below" : "above");
    if (n_rows_ > kMaxRows) return bad("the number of rows around a row", n_rows_, "at most 343: reach is too large");
    if (n_rows_ * strip_cells_ * element_ > kMaxStripBytes)
      return bad("the bytes of the rows' ends", n_rows_ * strip_cells_ * element_, "at most 65536: reach is too large");
    return Status::ok;
  }

  void walk() {
    std::array<std::int64_t, kMaxOthers> at{};
    while (true) {
      hand_out(at);
      int i = 0;
      for (; i < n_others_; ++i) {
        const auto place = static_cast<std::size_t>(i);
        if (++at[place] < block(i)) break;
        at[place] = 0;
      }
      if (i == n_others_) return;
    }
  }

 private:
  bool holds_cells(const hlc_view &view) const {
    return view.data && std::all_of(view.count, view.count + spec_.ndims, [](std::int64_t count) { return count > 0; });
  }
  std::int64_t block(int other) const { return spec_.views[middle_].count[others_[static_cast<std::size_t>(other)]]; }
  std::int64_t reach(int other) const { return spec_.reach[others_[static_cast<std::size_t>(other)]]; }

  Status check_view(int number) const {
    const hlc_view &view = spec_.views[number];
    if (!known_[static_cast<std::size_t>(number)])
      return number == middle_ ? fail(Status::argument, "hlc_for_rows: the view in the middle, of the block itself, is NULL or empty")
                               : Status::ok;
    const auto d = static_cast<std::size_t>(spec_.dim);
    if (view.count[d] > 1 && view.stride_bytes[d] != element_)
      return bad("the stride of a view along dim", view.stride_bytes[d], "element_bytes: rows run where cells are contiguous");
    for (int i = 0; i < spec_.ndims; ++i)
      if (number / kPowers[i] % 3 != 1 && view.count[i] < spec_.reach[i])
        return bad("reach", spec_.reach[i], "no more than the depth of each view");
    return Status::ok;
  }

  /// In one of the other dimensions: on which side of the block a coordinate is, and its cell there. Cells are counted from the block's
  /// edge. Below it they count backwards, so that the view's depth is still to be added.
  Place place_of(int other, std::int64_t coordinate) const {
    const std::int64_t n = block(other);
    if (coordinate < 0) return {-1, coordinate};
    return coordinate < n ? Place{0, coordinate} : Place{1, coordinate - n};
  }

  /// The address of the first cell (along dim) of a row in one view; NULL if it is not known.
  const char *row_in(int number, const std::array<std::int64_t, kMaxOthers> &index) const {
    const hlc_view &view = spec_.views[number];
    if (!known_[static_cast<std::size_t>(number)]) return nullptr;
    const char *row = static_cast<const char *>(view.data);
    for (int i = 0; i < n_others_; ++i) {
      const int d = others_[static_cast<std::size_t>(i)];
      const std::int64_t at = index[static_cast<std::size_t>(i)];
      row += (at < 0 ? view.count[d] + at : at) * view.stride_bytes[d];
    }
    return row;
  }

  /// Finds row k around the row at `at`. Returns false for one that a star does not read.
  bool find_line(std::int64_t k, const std::array<std::int64_t, kMaxOthers> &at, Line &line) const {
    std::array<std::int64_t, kMaxOthers> index{};
    int number = middle_, offset_dims = 0;
    for (int i = 0; i < n_others_; ++i) {
      const std::int64_t width = 2 * reach(i) + 1, offset = k % width - reach(i);
      k /= width;
      offset_dims += offset != 0;
      const int step = kPowers[others_[static_cast<std::size_t>(i)]];
      const Place place = place_of(i, at[static_cast<std::size_t>(i)] + offset);
      number += place.side * step;
      index[static_cast<std::size_t>(i)] = place.index;
    }
    const bool star = spec_.stencil == HLC_STENCIL_STAR;
    if (star && offset_dims > 1) return false;
    line.first = row_in(number, index);
    if (reach_ == 0 || (star && offset_dims > 0)) return true;
    const int step = kPowers[spec_.dim];
    const char *below = row_in(number - step, index);
    line.below_end = below ? below + spec_.views[number - step].count[spec_.dim] * element_ : nullptr;
    line.above = row_in(number + step, index);
    if (!line.below_end || !line.above) line = Line{};
    return true;
  }

  /// Whether the ends of a row need no strip.
  bool is_whole(std::int64_t k, const Line &line) const {
    if (!line.first || reach_ == 0 || (spec_.stencil == HLC_STENCIL_STAR && k != n_rows_ / 2)) return true;
    return line.below_end == line.first && line.above == line.first + cells_ * element_;
  }

  void hand_out(const std::array<std::int64_t, kMaxOthers> &at) {
    bool whole = true;
    for (std::int64_t k = 0; k < n_rows_; ++k) {
      Line &line = lines_[static_cast<std::size_t>(k)];
      line = Line{};
      if (find_line(k, at, line)) whole = whole && is_whole(k, line);
    }
    hlc_row row{};
    for (int i = 0; i < n_others_; ++i) row.first[others_[static_cast<std::size_t>(i)]] = at[static_cast<std::size_t>(i)];
    row.cells = reinterpret_cast<const void *const *>(shown_.data());
    if (whole) return hand_out_where_it_lies(row, 0, cells_);
    if (cells_ <= 4 * reach_) return hand_out_from_strips(row, 0, cells_);
    hand_out_from_strips(row, 0, reach_);
    hand_out_where_it_lies(row, reach_, cells_ - 2 * reach_);
    hand_out_from_strips(row, cells_ - reach_, reach_);
  }

  void hand_out_where_it_lies(hlc_row &row, std::int64_t first, std::int64_t count) {
    for (std::int64_t k = 0; k < n_rows_; ++k) {
      const char *line = lines_[static_cast<std::size_t>(k)].first;
      shown_[static_cast<std::size_t>(k)] = line ? line + first * element_ : nullptr;
    }
    call(row, first, count);
  }

  void hand_out_from_strips(hlc_row &row, std::int64_t first, std::int64_t count) {
    for (std::int64_t k = 0; k < n_rows_; ++k) {
      const Line &line = lines_[static_cast<std::size_t>(k)];
      if (is_whole(k, line)) {
        shown_[static_cast<std::size_t>(k)] = line.first ? line.first + first * element_ : nullptr;
        continue;
      }
      char *strip = strips_.data() + k * strip_cells_ * element_;
      fill_strip(strip, line, first - reach_, first + count + reach_);
      shown_[static_cast<std::size_t>(k)] = strip + reach_ * element_;
    }
    call(row, first, count);
  }

  /// Copies the cells from `begin` to before `end` of a row, which begin below it, or end above it.
  void fill_strip(char *strip, const Line &line, std::int64_t begin, std::int64_t end) const {
    const std::int64_t inside = std::max<std::int64_t>(begin, 0), above = std::min(end, cells_);
    if (line.below_end) copy_cells(strip, line.below_end + begin * element_, std::min<std::int64_t>(0, end) - begin);
    copy_cells(strip + (inside - begin) * element_, line.first + inside * element_, above - inside);
    if (line.above) copy_cells(strip + (above - begin) * element_, line.above, end - above);
  }

  void copy_cells(char *to, const char *from, std::int64_t count) const {
    if (count > 0) std::memcpy(to, from, static_cast<std::size_t>(count * element_));
  }

  void call(hlc_row &row, std::int64_t first, std::int64_t count) {
    row.first[spec_.dim] = first;
    row.count = count;
    body_(&row, user_);
  }

  const hlc_rows_spec &spec_;
  hlc_row_fn body_;
  void *user_;
  int middle_ = 0, n_others_ = 0;
  std::array<bool, HLC_DIRECTIONS(HLC_MAX_DIMS)> known_{};
  std::array<int, kMaxOthers> others_{};  // the dimensions other than dim
  std::int64_t n_rows_ = 1, element_ = 0, reach_ = 0, cells_ = 0, strip_cells_ = 0;
  std::array<Line, kMaxRows> lines_;
  std::array<const char *, kMaxRows> shown_;
  alignas(64) std::array<char, kMaxStripBytes> strips_;
};

Status check_spec_alone(const hlc_rows_spec *spec, hlc_row_fn body) {
  if (!spec) return fail(Status::argument, "hlc_for_rows: spec is NULL");
  if (!body) return fail(Status::argument, "hlc_for_rows: body is NULL");
  if (!spec->views) return fail(Status::argument, "hlc_for_rows: views is NULL");
  HLC_TRY(check_bounds({kForRows}, {{"ndims", spec->ndims, 1, HLC_MAX_DIMS},
                                    {"dim", spec->dim, 0, spec->ndims - 1, " but must be 0 or more and below ndims"},
                                    {"element_bytes", spec->element_bytes > 0 ? 1 : 0, 1, 1, " but must be 1 or more"},
                                    {"stencil", static_cast<int>(spec->stencil), HLC_STENCIL_BOX, HLC_STENCIL_STAR,
                                     " but must be HLC_STENCIL_BOX or HLC_STENCIL_STAR"}}));
  for (int d = 0; d < spec->ndims; ++d)
    HLC_TRY(check_bounds({kForRows}, {{"reach", spec->reach[d], 0, kMaxRows, " but must be 0 or more, and no more than the depth"}}));
  return Status::ok;
}

}  // namespace

Status for_rows(const hlc_rows_spec *spec, hlc_row_fn body, void *user) {
  HLC_TRY(check_spec_alone(spec, body));
  Rows rows(*spec, body, user);
  HLC_TRY(rows.check());
  rows.walk();
  return Status::ok;
}

}  // namespace halocline::core
