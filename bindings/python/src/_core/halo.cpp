// Halos: swaps of fields on a grid.
// SPDX-License-Identifier: BSD-3-Clause
#include "shown_cells.hpp"
#include "swaps.hpp"

namespace halocline::python {

nb::dict dictionary(const hlc_plan_info &info) {
  nb::dict words;
  words["mode"] = hlc_mode_name(info.mode);
  words["epoch"] = info.epoch == HLC_EPOCH_EARLY ? "early" : info.epoch == HLC_EPOCH_LATE ? "late" : "default";
  words["drive"] = info.drive == HLC_DRIVE_PUT ? "put" : info.drive == HLC_DRIVE_GET ? "get" : "default";
  words["neighbours"] = info.neighbours;
  words["self_copies"] = info.self_copies;
  words["via_direct"] = info.via_direct;
  words["via_notify"] = info.via_notify;
  words["via_network"] = info.via_network;
  words["via_mpi"] = info.via_mpi;
  words["bytes_in"] = info.bytes_in;
  words["bytes_out"] = info.bytes_out;
  words["self_bytes"] = info.self_bytes;
  words["memory_bytes"] = info.memory_bytes;
  words["network_writes"] = info.network_writes;
  return words;
}

hlc_field field_of(const Context &context, const FieldWords &words) {
  const auto &[address, type, bytes, strides, name] = words;
  hlc_field field{};
  field.data = context.translated(reinterpret_cast<void *>(address));
  field.type = static_cast<hlc_type>(type);
  field.element_bytes = bytes;
  std::copy(strides.begin(), strides.end(), field.stride_bytes);
  field.name = name.empty() ? nullptr : name.c_str();
  return field;
}

hlc_field_shape shape_of(const ShapeWords &words) {
  const auto &[stagger, low, high] = words;
  hlc_field_shape shape{};
  for (std::size_t d = 0; d < stagger.size(); ++d) shape.stagger[d] = static_cast<hlc_stagger>(stagger[d]);
  shape.own_depth = 1;
  std::copy(low.begin(), low.end(), shape.depth_low);
  std::copy(high.begin(), high.end(), shape.depth_high);
  return shape;
}

namespace {

/// Values of a field's array along each dimension, as far as they are swapped.
Cells cells_of(const HaloWords &words, const hlc_grid &grid, std::size_t field) {
  const hlc_field_shape shape = words.shapes.empty() ? hlc_field_shape{} : shape_of(words.shapes[field]);
  Cells cells;
  for (std::size_t d = 0; d < words.low.size(); ++d)
    cells.push_back(grid.local[d] + (shape.own_depth ? shape.depth_low[d] + shape.depth_high[d] : words.low[d] + words.high[d]) +
                    (shape.stagger[d] == HLC_CENTRED ? 0 : 1));
  return cells;
}

hlc_halo_spec spec_of(const HaloWords &words, const hlc_grid &grid, const std::vector<hlc_field> &fields,
                      const std::vector<hlc_field_shape> &shapes) {
  hlc_halo_spec spec{};
  spec.grid = &grid;
  std::copy(words.low.begin(), words.low.end(), spec.depth_low);
  std::copy(words.high.begin(), words.high.end(), spec.depth_high);
  spec.stencil = static_cast<hlc_stencil>(words.stencil);
  spec.layout = HLC_ROW_MAJOR;
  spec.nfields = static_cast<int>(fields.size());
  spec.fields = fields.data();
  spec.mode = static_cast<hlc_mode>(words.mode);
  spec.epoch = static_cast<hlc_epoch>(words.epoch);
  spec.drive = static_cast<hlc_drive>(words.drive);
  spec.staged = words.staged;
  spec.rebind = words.rebind;
  spec.fills = words.fills.empty() ? nullptr : words.fills.data();
  spec.shapes = shapes.empty() ? nullptr : shapes.data();
  spec.name = words.name ? words.name->c_str() : nullptr;
  return spec;
}

using HaloSwaps =
    Swaps<hlc_halo, hlc_swap, hlc_halo_finalise, hlc_halo_start, hlc_halo_test, hlc_halo_finish, hlc_halo_info, hlc_halo_explain>;

/// From the first byte of an array to its last one.
std::int64_t extent_of(int ndims, const std::int64_t *cells, const std::int64_t *strides, std::size_t element) {
  auto extent = static_cast<std::int64_t>(element);
  for (int d = 0; d < ndims; ++d) {
    if (cells[d] == 0) return 0;
    extent += (cells[d] - 1) * strides[d];
  }
  return extent;
}

class Halo : public HaloSwaps {
 public:
  Halo(nb::object context, const hlc_grid &grid, const std::vector<FieldWords> &fields, const HaloWords &words, nb::object keep)
      : Swaps("Halo", std::move(context), std::move(keep)), ndims_(grid.ndims), shown_(!words.rebind) {
    std::vector<hlc_field> described;
    for (const FieldWords &field : fields) {
      const Cells cells = cells_of(words, grid, described.size());
      described.push_back(field_of(this->context(), field));
      own_.push_back({std::get<2>(field), extent_of(ndims_, cells.data(), described.back().stride_bytes, std::get<2>(field))});
    }
    std::vector<hlc_field_shape> shapes;
    for (const ShapeWords &shape : words.shapes) shapes.push_back(shape_of(shape));
    const hlc_halo_spec spec = spec_of(words, grid, described, shapes);
    make([&](hlc_context *raw, hlc_halo **halo) { return hlc_halo_init(raw, &spec, halo); });
    note_neighbours();
  }

  void swap() { exchange(nullptr); }
  void swap_part(const std::vector<int> &fields, int dim, int side, bool reverse, std::int64_t depth) {
    const hlc_swap what = part(fields, dim, side, reverse, depth);
    exchange(&what);
  }
  void start() { begin(nullptr); }
  void start_part(const std::vector<int> &fields, int dim, int side, bool reverse, std::int64_t depth) {
    const hlc_swap what = part(fields, dim, side, reverse, depth);
    begin(&what);
  }
  /// `addresses` are those of the arrays' first cells that are swapped, one per field; 0: the plan's own array.
  void start_with(const std::vector<int> &fields, int dim, int side, bool reverse, std::int64_t depth,
                  const std::vector<std::uintptr_t> &addresses) {
    const hlc_swap what = part(fields, dim, side, reverse, depth);
    std::vector<void *> data;
    for (const std::uintptr_t address : addresses) data.push_back(context().translated(reinterpret_cast<void *>(address)));
    hlc_halo *halo = raw();
    run([&] { return hlc_halo_start_with(halo, &what, data.data()); });
  }

  /// In order with the work in a stream of the fields' device.
  void start_on(const std::vector<int> &fields, int dim, int side, bool reverse, std::int64_t depth, std::uintptr_t stream) {
    const hlc_swap what = part(fields, dim, side, reverse, depth);
    hlc_halo *halo = raw();
    run([&] { return hlc_halo_start_on(halo, &what, reinterpret_cast<void *>(stream)); });
  }
  void finish_on(std::uintptr_t stream) {
    hlc_halo *halo = raw();
    run([&] { return hlc_halo_finish_on(halo, reinterpret_cast<void *>(stream)); });
  }

  void finish_views() {
    hlc_halo *halo = raw();
    run([&] { return hlc_halo_finish_views(halo); });
  }
  void release() {
    hlc_halo *halo = raw();
    run([&] { return hlc_halo_release(halo); });
  }
  /// The cells in a direction: address, shape, strides in bytes, and what keeps them. None keeps those of the array that the last swap used,
  /// which begins at `own`. None in place of all this: cells that are not known.
  nb::object view(int field, int direction, std::uintptr_t own) {
    hlc_view views[HLC_DIRECTIONS(HLC_MAX_DIMS)];
    check(hlc_halo_views(raw(), field, views));
    const hlc_view &view = views[direction];
    if (!view.data) return nb::none();
    const auto [element, extent] = own_[static_cast<std::size_t>(field)];
    const auto *data = static_cast<const char *>(view.data),
               *mine = static_cast<char *>(context().translated(reinterpret_cast<void *>(own)));
    const std::int64_t bytes = extent_of(ndims_, view.count, view.stride_bytes, element);
    KeptBytes cells{own, nb::none()};
    if (bytes > 0 && data >= mine && data < mine + extent)
      cells.address += static_cast<std::uintptr_t>(data - mine);
    else if (bytes > 0)
      cells = shown_.kept(data, static_cast<std::size_t>(bytes));
    return nb::make_tuple(cells.address, tuple_of(view.count, ndims_), tuple_of(view.stride_bytes, ndims_), cells.owner);
  }
  void close() {
    HaloSwaps::close();
    shown_.clear();
  }

 private:
  /// Bytes of an element and of the cells that are swapped, with all that is between them.
  struct Own {
    std::size_t element;
    std::int64_t extent;
  };

  /// Which part of a halo; dim < 0: of all dimensions.
  static hlc_swap part(const std::vector<int> &fields, int dim, int side, bool reverse, std::int64_t depth) {
    hlc_swap what{};
    what.nfields = static_cast<int>(fields.size());
    what.fields = fields.data();
    what.one_dim = dim >= 0;
    what.dim = std::max(dim, 0);
    what.side = static_cast<hlc_side>(side);
    what.reverse = reverse;
    what.depth = depth;
    return what;
  }

  int ndims_;
  std::vector<Own> own_;  // per field
  ShownCells shown_;
};

std::vector<unsigned char> fills_moving(const std::vector<int> &velocity) {
  std::vector<unsigned char> fills(HLC_DIRECTIONS(HLC_MAX_DIMS));
  const int ndims = static_cast<int>(velocity.size());
  check(hlc_fills_moving(ndims, velocity.data(), fills.data()));
  fills.resize(static_cast<std::size_t>(HLC_DIRECTIONS(ndims)));
  return fills;
}

/// Swaps as a C program does, for the measurement of what Python adds: returns the seconds of `count` swaps.
double seconds_of_swaps(Halo &halo, long count) {
  hlc_halo *raw = halo.raw();
  timespec begin{}, end{};
  hlc_status status = HLC_OK;
  const hlc_status waited = waiting([&] {
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long i = 0; i < count && status == HLC_OK; ++i) {
      status = hlc_halo_start(raw, nullptr);
      if (status == HLC_OK) status = hlc_halo_finish(raw);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return status;
  });
  check(waited);
  return static_cast<double>(end.tv_sec - begin.tv_sec) + 1e-9 * static_cast<double>(end.tv_nsec - begin.tv_nsec);
}

}  // namespace

void define_halo(nb::module_ &module) {
  module.def("fills_moving", fills_moving);
  nb::class_<HaloWords>(module, "HaloWords")
      .def(nb::init<>())
      .def_rw("low", &HaloWords::low)
      .def_rw("high", &HaloWords::high)
      .def_rw("stencil", &HaloWords::stencil)
      .def_rw("mode", &HaloWords::mode)
      .def_rw("epoch", &HaloWords::epoch)
      .def_rw("drive", &HaloWords::drive)
      .def_rw("staged", &HaloWords::staged)
      .def_rw("rebind", &HaloWords::rebind)
      .def_rw("fills", &HaloWords::fills)
      .def_rw("shapes", &HaloWords::shapes)
      .def_rw("name", &HaloWords::name, nb::arg().none());
  nb::class_<Halo>(module, "Halo")
      .def(nb::init<nb::object, const hlc_grid &, const std::vector<FieldWords> &, const HaloWords &, nb::object>())
      .def("swap", &Halo::swap)
      .def("swap_part", &Halo::swap_part)
      .def("start", &Halo::start)
      .def("start_part", &Halo::start_part)
      .def("start_on", &Halo::start_on)
      .def("finish_on", &Halo::finish_on)
      .def("start_with", &Halo::start_with)
      .def("test", &Halo::test)
      .def("finish", &Halo::finish)
      .def("finish_views", &Halo::finish_views)
      .def("release", &Halo::release)
      .def("view", &Halo::view)
      .def("info", &Halo::info)
      .def("explain", &Halo::explain)
      .def("close", &Halo::close)
      .def_prop_ro("is_open", &Halo::is_open)
      .def("seconds_of_swaps", seconds_of_swaps);
}

}  // namespace halocline::python
