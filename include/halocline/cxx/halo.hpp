// Halo swaps of structured grids.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HALOCLINE_CXX_HALO_HPP
#define HALOCLINE_CXX_HALO_HPP

#include <halocline/cxx/field_layout.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

namespace halocline {

/// Which part of a halo one swap fills; zero-initialised: everything.
using Swap = hlc_swap;

/// How a Halo looks and moves; every member may be left out.
struct HaloOptions {
  Stencil stencil = Stencil::box;  ///< box: edges and corners too
  Mode mode = Mode::standard;      ///< the same on all ranks
  Epoch epoch = Epoch::standard;   ///< of modes fence and pscw
  Drive drive = Drive::standard;   ///< of mode fence
  const char *name = nullptr;      ///< for messages, the same on all ranks
  bool rebind = false;             ///< swaps may bring other fields (start_with), the same on all ranks
  bool staged = false;             ///< one dimension after the other, two messages for each, the same on all ranks
};

/// A field as a Halo takes it: made implicitly from a Field, or with a name for messages: `Halo(context, grid, {u, {v, "v"}})`. The name is
/// read while the Halo is made.
class FieldRef {
 public:
  /// Takes a field, which has to outlive the Halo.
  template <class T, int N>
  FieldRef(Field<T, N> &field, const char *name = nullptr) : field_{} {
    field_.name = name;
    field_.data = field.data();
    field_.type = type_of<T>();
    field_.element_bytes = sizeof(T);
    std::copy(field.depth().low.begin(), field.depth().low.end(), low_.begin());
    std::copy(field.depth().high.begin(), field.depth().high.end(), high_.begin());
    std::copy(field.stagger().begin(), field.stagger().end(), stagger_.begin());
    for (int d = 0; d < N; ++d) extent_[static_cast<std::size_t>(d)] = field.extent(d);
    ndims_ = N;
  }
  /// Swaps only the directions from which this component, which moves by velocity cells per step, enters a block (hlc_fills_moving).
  FieldRef moving(std::initializer_list<int> velocity) const {
    FieldRef made = *this;
    made.fills_.resize(HLC_DIRECTIONS(static_cast<int>(velocity.size())));
    check(hlc_fills_moving(static_cast<int>(velocity.size()), velocity.begin(), made.fills_.data()));
    return made;
  }
  /// One entry per direction as hlc_halo_spec takes them; empty if all are swapped.
  const std::vector<unsigned char> &fills() const noexcept { return fills_; }
  /// Whether both have the same halo cells on each side.
  bool same_depth(const FieldRef &other) const { return low_ == other.low_ && high_ == other.high_; }
  /// The field as hlc_halo_spec takes it.
  const hlc_field &raw() const noexcept { return field_; }
  /// Halo cells below the block, per dimension.
  const std::array<std::int64_t, HLC_MAX_DIMS> &low() const noexcept { return low_; }
  /// Halo cells above the block, per dimension.
  const std::array<std::int64_t, HLC_MAX_DIMS> &high() const noexcept { return high_; }
  /// How the field differs from one in the cells with the depths of another, as hlc_halo_spec takes it.
  hlc_field_shape shape(const FieldRef &other) const {
    hlc_field_shape made{};
    std::transform(stagger_.begin(), stagger_.end(), made.stagger, [](Stagger stagger) { return static_cast<hlc_stagger>(stagger); });
    made.own_depth = !same_depth(other);
    if (!made.own_depth) return made;
    std::copy(low_.begin(), low_.end(), made.depth_low);
    std::copy(high_.begin(), high_.end(), made.depth_high);
    return made;
  }
  /// What is wrong with it in a Halo of this grid: that it was made with another one, in words; else empty.
  std::string misfit(const Grid &grid) const {
    if (ndims_ != grid.ndims()) return "has " + std::to_string(ndims_) + " dimensions, the grid " + std::to_string(grid.ndims());
    for (int d = 0; d < ndims_; ++d) {
      const auto at = static_cast<std::size_t>(d);
      const bool nodes = stagger_[at] != Stagger::centred;
      const std::int64_t expected = low_[at] + grid.local(d) + high_[at] + (nodes ? 1 : 0);
      if (extent_[at] == expected) continue;
      return "has " + std::to_string(extent_[at]) + " values along dimension " + std::to_string(d) + " where local + halo" +
             (nodes ? " + node" : "") + " make " + std::to_string(expected) + ": make it with the grid of the Halo";
    }
    return {};
  }
  /// Whether the values are in the cells along all dimensions.
  bool is_centred() const { return stagger_ == std::array<Stagger, HLC_MAX_DIMS>{}; }

 private:
  hlc_field field_;
  int ndims_ = 0;
  std::array<std::int64_t, HLC_MAX_DIMS> low_{}, high_{}, extent_{};
  std::array<Stagger, HLC_MAX_DIMS> stagger_{};
  std::vector<unsigned char> fills_;
};

/// Planned halo swaps (hlc_halo_init). Making and closing one is collective; fields and context must outlive it.
class Halo {
 public:
  /// From a spec as the C API takes it: any strides, any depths, the caller's own memory.
  Halo(const Context &context, const hlc_halo_spec &spec) : handle_(open(context, spec)), rank_(context.rank()) { note_layouts(spec); }
  /// From fields of one grid, in cells or on nodes, each with its own depth. Throws HLC_ERR_ARGUMENT on all ranks where the cells of a
  /// field are not those of the grid.
  Halo(const Context &context, const Grid &grid, std::initializer_list<FieldRef> fields, const HaloOptions &options = {})
      : Halo(context, Request(context, grid, fields, options).spec) {}
  /// Starts one swap of everything.
  void start() { check(hlc_halo_start(raw(), nullptr)); }
  /// Starts one swap as requested.
  void start(const Swap &what) { check(hlc_halo_start(raw(), &what)); }
  /// The same of fields in the memory of a CUDA device, in order with the work in a stream of it (hlc_halo_start_on).
  void start_on(void *stream) { check(hlc_halo_start_on(raw(), nullptr, stream)); }
  /// The same as requested.
  void start_on(void *stream, const Swap &what) { check(hlc_halo_start_on(raw(), &what, stream)); }
  /// Starts one swap of other fields than those that the Halo was made from (hlc_halo_start_with). There is one for each of them, in the
  /// same order, with the same elements, grid and depth. Needs the option rebind. Throws HLC_ERR_ARGUMENT for a field of another kind.
  template <class... Fields, class = std::enable_if_t<!(std::is_same_v<std::remove_const_t<Fields>, Swap> || ...)>>
  void start_with(Fields &...fields) {
    start_bound(nullptr, fields...);
  }
  /// The same as requested. All fields are given, those that are not swapped, too.
  template <class... Fields>
  void start_with(const Swap &what, Fields &...fields) {
    start_bound(&what, fields...);
  }
  /// Moves the swap along; true: finish will not wait for data any more.
  bool test() { return done(hlc_halo_test(raw())); }
  /// Completes the swap.
  void finish() { check(hlc_halo_finish(raw())); }
  /// Completes it in order with the work in a stream, without a wait for the last copies (hlc_halo_finish_on).
  void finish_on(void *stream) { check(hlc_halo_finish_on(raw(), stream)); }
  /// Completes the swap without copies in mode view: the cells around the block are read through Views (hlc_halo_finish_views).
  void finish_views() { check(hlc_halo_finish_views(raw())); }
  /// Releases the views and waits until the neighbours have released theirs of this block (hlc_halo_release).
  void release() { check(hlc_halo_release(raw())); }
  /// Start and finish in one.
  void swap() {
    start();
    finish();
  }
  /// Start and finish in one, as requested.
  void swap(const Swap &what) {
    start(what);
    finish();
  }
  /// start_with and finish in one.
  template <class... Fields, class = std::enable_if_t<!(std::is_same_v<std::remove_const_t<Fields>, Swap> || ...)>>
  void swap_with(Fields &...fields) {
    start_with(fields...);
    finish();
  }
  /// The same as requested.
  template <class... Fields>
  void swap_with(const Swap &what, Fields &...fields) {
    start_with(what, fields...);
    finish();
  }
  /// What the plan decided: mode, routes, bytes.
  hlc_plan_info info() const {
    hlc_plan_info info{};
    check(hlc_halo_info(raw(), &info));
    return info;
  }
  /// Which mode is used, and why: in words or as JSON (hlc_halo_explain).
  std::string explain(Format format = Format::text) const { return explanation<hlc_halo>(hlc_halo_explain, raw(), format); }
  /// Releases the halo now and says so if that fails. Collective. The destructor does the same without throwing.
  void finalise() { handle_.finalise(); }
  /// The handle for calls of the C API. It is closed with this object.
  hlc_halo *raw() const noexcept { return handle_.get(); }

 private:
  static hlc_halo *open(const Context &context, const hlc_halo_spec &spec) {
    hlc_halo *raw = nullptr;
    check(hlc_halo_init(context.raw(), &spec, &raw));
    return raw;
  }
  /// Refuses fields of another grid on all ranks together, before anything is planned.
  static void check_sizes(const Context &context, const Grid &grid, std::initializer_list<FieldRef> refs) {
    for (const FieldRef &ref : refs) {
      const std::string wrong = ref.misfit(grid);
      if (wrong.empty()) continue;
      const char *name = ref.raw().name ? ref.raw().name : "(no name)";
      const std::string field = "fields[" + std::to_string(&ref - refs.begin()) + "] '" + name + "' ";
      check(hlc_refuse(context.raw(), ("Halo on rank " + std::to_string(context.rank()) + ": " + field + wrong).c_str()));
    }
  }
  /// The fields' entries one behind the other, none if all fields are swapped in all directions.
  static std::vector<unsigned char> fills_of(const Context &context, const Grid &grid, std::initializer_list<FieldRef> refs) {
    check_sizes(context, grid, refs);
    const std::size_t directions = HLC_DIRECTIONS(grid.raw().ndims);
    std::vector<unsigned char> all;
    bool chosen = false;
    for (const FieldRef &ref : refs) {
      if (!ref.fills().empty() && ref.fills().size() != directions)
        check(hlc_refuse(context.raw(), "Halo: a velocity has not as many numbers as the grid has dimensions"));
      chosen = chosen || !ref.fills().empty();
      if (ref.fills().empty())
        all.insert(all.end(), directions, 1);
      else
        all.insert(all.end(), ref.fills().begin(), ref.fills().end());
    }
    return chosen ? all : std::vector<unsigned char>();
  }
  /// The spec of a Halo of Fields, and what it points to.
  struct Request {
    Request(const Context &context, const Grid &grid, std::initializer_list<FieldRef> refs, const HaloOptions &options)
        : fills(fills_of(context, grid, refs)) {
      bool shaped = false;
      for (const FieldRef &ref : refs) {
        fields.push_back(ref.raw());
        shapes.push_back(ref.shape(*refs.begin()));
        shaped = shaped || !ref.is_centred() || !ref.same_depth(*refs.begin());
      }
      spec.grid = &grid.raw();
      if (refs.size() > 0) {
        std::copy(refs.begin()->low().begin(), refs.begin()->low().end(), spec.depth_low);
        std::copy(refs.begin()->high().begin(), refs.begin()->high().end(), spec.depth_high);
      }
      spec.layout = HLC_ROW_MAJOR;
      spec.nfields = static_cast<int>(fields.size());
      spec.fields = fields.data();
      spec.stencil = static_cast<hlc_stencil>(options.stencil);
      spec.mode = static_cast<hlc_mode>(options.mode);
      spec.epoch = static_cast<hlc_epoch>(options.epoch);
      spec.drive = static_cast<hlc_drive>(options.drive);
      spec.fills = fills.empty() ? nullptr : fills.data();
      spec.name = options.name;
      spec.rebind = options.rebind;
      spec.staged = options.staged;
      spec.shapes = shaped ? shapes.data() : nullptr;
    }
    Request(const Request &) = delete;
    Request &operator=(const Request &) = delete;
    hlc_halo_spec spec{};
    std::vector<hlc_field> fields;
    std::vector<hlc_field_shape> shapes;
    std::vector<unsigned char> fills;
  };
  void note_layouts(const hlc_halo_spec &spec) {
    for (int f = 0; f < spec.nfields; ++f) planned_.emplace_back(spec, f);
  }
  template <class... Fields>
  void start_bound(const Swap *what, Fields &...fields) {
    if (sizeof...(fields) != planned_.size())
      refuse(std::to_string(sizeof...(fields)) + " fields are given, the halo was made from " + std::to_string(planned_.size()));
    std::size_t index = 0;
    (check_field(index++, detail::FieldLayout(fields)), ...);
    void *const data[] = {fields.data()..., nullptr};
    check(hlc_halo_start_with(raw(), what, data));
  }
  void check_field(std::size_t f, const detail::FieldLayout &given) const {
    const detail::FieldLayout &planned = planned_[f];
    if (!given.same_elements(planned))
      refuse(name(f) + " has elements " + given.elements() + ", the halo was made for " + planned.elements());
    if (!given.same_cells(planned)) refuse(name(f) + " has " + given.cells() + ", the halo was made for " + planned.cells());
  }
  static std::string name(std::size_t f) { return "fields[" + std::to_string(f) + "]"; }
  [[noreturn]] void refuse(const std::string &why) const {
    throw Error(HLC_ERR_ARGUMENT, "Halo::start_with on rank " + std::to_string(rank_) + ": " + why);
  }
  detail::Handle<hlc_halo, hlc_halo_finalise> handle_;
  std::vector<detail::FieldLayout> planned_;
  int rank_;
};

}  // namespace halocline
#endif
