// Contexts, MPI's begin and end, grids, and memory that outlives the context.
// SPDX-License-Identifier: BSD-3-Clause
#include "context.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace halocline::python {

// ---------------------------------------------------------------- memory

Alias::Alias(void *shared, std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  // An old size of 0 maps the same pages once more.
  void *mapped = mremap(shared, 0, bytes, MREMAP_MAYMOVE);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<char *>(mapped);
}

Alias::~Alias() {
  if (data_) munmap(data_, bytes_);
}

nb::object array_over(std::unique_ptr<Alias> alias) {
  char *data = alias->data();
  const std::size_t bytes = alias->bytes();
  const nb::capsule owner(alias.release(), [](void *raw) noexcept { delete static_cast<Alias *>(raw); });
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(data, {bytes}, owner));
}

/// The memory of a field, released when its last array ends or the context is closed.
class FieldMemory {
 public:
  FieldMemory(nb::object context, void *data, std::size_t bytes)
      : holder_(std::move(context)), context_(nb::cast<Context *>(holder_)), data_(data), alias_(data, bytes) {
    context_->fields_[alias_.data()] = this;
  }
  FieldMemory(const FieldMemory &) = delete;
  FieldMemory &operator=(const FieldMemory &) = delete;
  ~FieldMemory() {
    context_->fields_.erase(alias_.data());
    (void)release();
  }
  /// A field that is in use stays until the context ends: nothing here may fail.
  hlc_status release() {
    if (!data_ || !context_->is_open() || is_forked()) return HLC_OK;
    return hlc_field_free(context_->raw_, &data_);
  }
  void *translated(const char *byte) const { return static_cast<char *>(data_) + (byte - alias_.data()); }
  const Alias &alias() const { return alias_; }
  bool is_of_library() const { return data_ != nullptr; }

 private:
  nb::object holder_;
  Context *context_;
  void *data_;
  Alias alias_;
};

/// The same in a device's memory, which ends with the context.
class DeviceMemory {
 public:
  DeviceMemory(nb::object context, void *data) : holder_(std::move(context)), context_(nb::cast<Context *>(holder_)), data_(data) {
    context_->on_device_.insert(this);
  }
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  ~DeviceMemory() {
    context_->on_device_.erase(this);
    (void)release();
  }
  hlc_status release() {
    if (!data_ || !context_->is_open() || is_forked()) return HLC_OK;
    return hlc_field_free(context_->raw_, &data_);
  }
  bool is_of_library() const { return data_ != nullptr; }

 private:
  nb::object holder_;
  Context *context_;
  void *data_;
};

// ---------------------------------------------------------------- context

namespace {

std::atomic<int> unclosed{0};  // contexts that this rank has not closed together with the others

}  // namespace

Context::Context(std::uintptr_t comm) {
  refuse_after_fork("Context");
  const MPI_Comm given = comm ? *reinterpret_cast<MPI_Comm *>(comm) : MPI_COMM_WORLD;
  check(uses_.making([&] { return hlc_init(given, &raw_); }));
  ++unclosed;
}

// Closing is collective: a context that the program has not closed is left open.
Context::~Context() = default;

hlc_context *Context::raw() const {
  refuse_after_fork("Context");
  if (!raw_) uses_.refuse_null("Context");
  return raw_;
}

void Context::close() {
  hlc_status first_error = HLC_OK;
  std::string message;
  bool has_fields = false;
  // No exception is made here: that may end arrays, and change the lists.
  const auto release = [&](auto &field) {
    const hlc_status status = field.release();
    has_fields = has_fields || field.is_of_library();
    if (status == HLC_OK || first_error != HLC_OK) return;
    first_error = status;
    message = hlc_error_message();
  };
  if (raw_) {
    raw();
    for (const auto &[data, field] : fields_) release(*field);
    for (DeviceMemory *field : on_device_) release(*field);
  }
  // A field that is in use keeps the context open. The driver of a device frees memory although it returns an error.
  if (has_fields) raise(first_error, message.c_str());
  check(uses_.ending("Context", &raw_, [](hlc_context **context) {
    const hlc_status status = hlc_finalise(context);
    if (status == HLC_OK) --unclosed;
    return status;
  }));
  if (first_error != HLC_OK) raise(first_error, message.c_str());
}

nb::object Context::allocate(std::size_t bytes) {
  void *data = nullptr;
  hlc_context *context = raw();
  check(uses_.making([&] { return hlc_field_alloc(context, bytes, &data); }));
  auto field = std::make_unique<FieldMemory>(nb::find(this), data, bytes);
  char *alias = field->alias().data();
  const nb::capsule owner(field.release(), [](void *raw) noexcept { delete static_cast<FieldMemory *>(raw); });
  nb::object array = nb::cast(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(alias, {bytes}, owner));
  // The array releases the memory, also when this raises.
  raise_pending();
  return array;
}

nb::tuple Context::allocate_on_device(std::size_t bytes) {
  void *data = nullptr;
  hlc_context *context = raw();
  check(uses_.making([&] { return hlc_field_alloc_in(context, HLC_MEMORY_DEVICE, bytes, &data); }));
  auto field = std::make_unique<DeviceMemory>(nb::find(this), data);
  const nb::capsule owner(field.release(), [](void *raw) noexcept { delete static_cast<DeviceMemory *>(raw); });
  raise_pending();
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(data), owner);
}

void *Context::translated(void *data) const {
  const auto *byte = static_cast<const char *>(data);
  const auto next = fields_.upper_bound(byte);
  if (next == fields_.begin()) return data;
  const FieldMemory &field = *std::prev(next)->second;
  const bool inside = field.is_of_library() && byte < field.alias().data() + field.alias().bytes();
  return inside ? field.translated(byte) : data;
}

// ---------------------------------------------------------------- MPI

namespace {

std::string mpi_state() {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return finalised ? "finalised" : initialised ? "initialised" : "not initialised";
}

void mpi_initialise() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return text;
}

int mpi_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

[[noreturn]] void mpi_abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);  // in some MPIs the call returns
}

/// Ends MPI at the end of the process. A rank that fails, and has left a context open, ends all ranks: others may wait for it.
void end_mpi_with(int status, void * /*unused*/) {
  if (is_forked() || mpi_state() != "initialised") return;
  if (status != 0) mpi_abort(status);
  MPI_Finalize();
}

/// Ends MPI; if a context is left, once the exit status is known: Python does not tell it.
void mpi_end() {
#ifdef __GLIBC__
  if (unclosed > 0 && mpi_size() > 1 && on_exit(end_mpi_with, nullptr) == 0) return;
#endif
  end_mpi_with(0, nullptr);
}

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  for (int mode = HLC_MODE_DEFAULT + 1; mode < HLC_MODE_COUNT_; ++mode) names.emplace_back(hlc_mode_name(static_cast<hlc_mode>(mode)));
  return names;
}

// ---------------------------------------------------------------- grids

using Cells = std::vector<std::int64_t>;

/// The lengths of the three lists are equal: Python has checked that.
hlc_grid make_grid(const Context &context, const Cells &shape, const std::vector<int> &periodic, const std::vector<int> &ranks,
                   bool first_fastest) {
  hlc_grid grid{};
  check(hlc_grid_create_ordered(context.raw(), first_fastest ? HLC_COLUMN_MAJOR : HLC_ROW_MAJOR, static_cast<int>(shape.size()),
                                shape.data(), ranks.data(), periodic.data(), &grid));
  return grid;
}

nb::tuple reorder(hlc_grid &grid, Context &context, const hlc_swap_shape &shape) {
  hlc_placement found{};
  hlc_context *raw = context.raw();
  check(context.uses().waiting([&] { return hlc_grid_reorder(raw, &shape, &grid, &found); }));
  return nb::make_tuple(found.bytes, found.bytes_before, found.bytes_after, found.nodes);
}

nb::tuple reorder_for(hlc_grid &grid, Context &context, const Cells &low, const Cells &high, int stencil, std::int64_t cell_bytes) {
  hlc_swap_shape shape{};
  std::copy(low.begin(), low.end(), shape.depth_low);
  std::copy(high.begin(), high.end(), shape.depth_high);
  shape.stencil = static_cast<hlc_stencil>(stencil);
  shape.cell_bytes = cell_bytes;
  return reorder(grid, context, shape);
}

int rank_at(const hlc_grid &grid, const std::vector<int> &coords) { return hlc_grid_rank(&grid, coords.data()); }

void define_grid(nb::module_ &module) {
  nb::class_<hlc_grid>(module, "Grid")
      .def("__init__",
           [](hlc_grid *grid, const Context &context, const Cells &shape, const std::vector<int> &periodic, const std::vector<int> &ranks,
              bool first_fastest) { new (grid) hlc_grid(make_grid(context, shape, periodic, ranks, first_fastest)); })
      .def("reorder", reorder_for)
      .def("rank_at", rank_at)
      .def_prop_ro("shape", [](const hlc_grid &g) { return tuple_of(g.global, g.ndims); })
      .def_prop_ro("local", [](const hlc_grid &g) { return tuple_of(g.local, g.ndims); })
      .def_prop_ro("start", [](const hlc_grid &g) { return tuple_of(g.start, g.ndims); })
      .def_prop_ro("ranks", [](const hlc_grid &g) { return tuple_of(g.dims, g.ndims); })
      .def_prop_ro("coords", [](const hlc_grid &g) { return tuple_of(g.coords, g.ndims); });
}

nb::tuple info_of(const Context &context) {
  hlc_context_info_t info{};
  check(hlc_context_info(context.raw(), &info));
  return nb::make_tuple(info.rank, info.size, info.node, info.nodes, info.node_rank, info.node_size, info.cores);
}

/// All ranks get the message of the lowest rank that calls this in place of a call that makes a plan.
void refuse_plan(Context &context, const std::string &message) {
  hlc_context *raw = context.raw();
  check(context.uses().waiting([&] { return hlc_refuse(raw, message.c_str()); }));
}

/// What DLPack says of an array: address, shape, strides in bytes, kind and bytes of an element as NumPy names them, and what keeps the array.
nb::tuple tensor_of(const nb::ndarray<> &array) {
  const nb::dlpack::dtype type = array.dtype();
  const auto element = static_cast<std::int64_t>(array.itemsize());
  nb::list shape, strides;
  for (std::size_t d = 0; d < array.ndim(); ++d) {
    shape.append(array.shape(d));
    strides.append(array.stride(d) * element);
  }
  constexpr const char *kinds = "iufV?cb";  // DLDataTypeCode
  const char kind = type.code < 7 && type.lanes == 1 ? kinds[type.code] : 'V';
  const nb::capsule owner(new nb::ndarray<>(array), [](void *raw) noexcept { delete static_cast<nb::ndarray<> *>(raw); });
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.data()), nb::tuple(shape), nb::tuple(strides),
                        std::string(1, kind) + std::to_string(element), owner);
}

}  // namespace

void define_context(nb::module_ &module) {
  module.def("version", hlc_version);
  module.def("mode_names", mode_names);
  module.def("mode_from_name", [](const std::string &name) {
    hlc_mode mode{};
    check(hlc_mode_from_name(name.c_str(), &mode));
    return static_cast<int>(mode);
  });
  module.def("mpi_state", mpi_state);
  module.def("mpi_version", mpi_version);
  module.def("mpi_size", mpi_size);
  module.def("mpi_initialise", mpi_initialise);
  module.def("mpi_end", mpi_end);
  module.def("mpi_abort", mpi_abort);
  module.def("end_waits", end_waits);
  module.def("is_forked", is_forked);
  module.def("raise_pending", raise_pending);
  // Whether the constructor of an object has returned.
  module.def("is_made", [](nb::handle object) { return nb::inst_ready(object); });
  module.def("tensor", tensor_of);
  // Whether a capsule of DLPack is from before version 1.0, which cannot say that memory is read-only.
  module.def("is_legacy", [](nb::handle capsule) { return PyCapsule_IsValid(capsule.ptr(), "dltensor") != 0; });
  nb::class_<Context>(module, "Context")
      .def(nb::init<std::uintptr_t>())
      .def("close", &Context::close)
      .def("allocate", &Context::allocate)
      .def("allocate_on_device", &Context::allocate_on_device)
      .def("refuse", refuse_plan)
      .def("network", [](const Context &context) { return std::string(hlc_context_network(context.raw())); })
      .def("info", info_of)
      .def_prop_ro("is_open", &Context::is_open);
  define_grid(module);
}

}  // namespace halocline::python
