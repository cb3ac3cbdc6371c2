// Segments: put, get, notifications, atomics and flushes. Offsets are in bytes here; the package counts elements.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

#include "plan.hpp"

namespace halocline::python {
namespace {

/// An array, and where its elements are in the target: `strides` in bytes per axis, none: contiguous. Elements side by side in both are runs.
hlc_block block_of(const Buffer &data, std::vector<std::int64_t> strides) {
  const Py_buffer &view = data.view();
  const int axes = view.ndim;
  if (strides.empty()) {
    strides.assign(static_cast<std::size_t>(axes), view.itemsize);
    for (int d = axes - 1; d > 0; --d) strides[static_cast<std::size_t>(d - 1)] = strides[static_cast<std::size_t>(d)] * view.shape[d];
  }
  const bool has_runs = axes > 0 && view.strides[axes - 1] == view.itemsize && strides.back() == view.itemsize;
  hlc_block block{};
  block.run_bytes = has_runs ? view.shape[axes - 1] * view.itemsize : view.itemsize;
  block.ndims = axes - has_runs;
  if (block.ndims > HLC_MAX_DIMS) refuse("the array has " + std::to_string(axes) + " axes; a block has 4, and elements side by side");
  std::copy_n(view.shape, block.ndims, block.count);
  std::copy_n(view.strides, block.ndims, block.local_stride);
  std::copy_n(strides.begin(), block.ndims, block.target_stride);
  return block;
}

class Segment : public Plan<hlc_segment, hlc_segment_free> {
 public:
  /// `type` is that of its elements, as Buffer::type; "u1" takes any.
  Segment(nb::object context, std::int64_t bytes, int notifications, bool shared, std::string type)
      : Plan("Segment", std::move(context), nb::none()), type_(std::move(type)) {
    const hlc_segment_spec spec{bytes, notifications, shared};
    make([&](hlc_context *raw, hlc_segment **segment) { return hlc_segment_create(raw, &spec, segment); });
  }

  /// An array of bytes over a rank's part; None on another node.
  nb::object part(int rank) const {
    hlc_segment_info_t info{};
    check(hlc_segment_info(raw(), rank, &info));
    if (!info.data && info.bytes > 0) return nb::none();
    return array_over(std::make_unique<Alias>(info.data, static_cast<std::size_t>(info.bytes)));
  }
  std::int64_t bytes_of(int rank) const {
    hlc_segment_info_t info{};
    check(hlc_segment_info(raw(), rank, &info));
    return info.bytes;
  }

  void put(int rank, nb::handle source, std::int64_t offset) {
    Buffer data = elements(source, Buffer::Access::read, "put");
    move({raw(), rank, offset}, data, [&](hlc_target at) { return hlc_put(at, data.data(), data.bytes()); });
  }
  void put_notify(int rank, nb::handle source, std::int64_t offset, int id, std::uint32_t value) {
    Buffer data = elements(source, Buffer::Access::read, "put_notify");
    move({raw(), rank, offset}, data, [&](hlc_target at) { return hlc_put_notify(at, data.data(), data.bytes(), {id, value}); });
  }
  void get(int rank, nb::handle target, std::int64_t offset) {
    Buffer data = elements(target, Buffer::Access::write, "get");
    move({raw(), rank, offset}, data, [&](hlc_target at) { return hlc_get(at, data.data(), data.bytes()); });
  }
  void accumulate(int rank, nb::handle source, std::int64_t offset, int op, int number) {
    Buffer data = elements(source, Buffer::Access::read, "accumulate");
    const hlc_action action{static_cast<hlc_op>(op), static_cast<hlc_number>(number)};
    const std::int64_t element = std::stoll(type_.substr(1));
    move({raw(), rank, offset}, data, [&](hlc_target at) { return hlc_accumulate(at, action, data.data(), data.bytes() / element); });
  }

  /// `strides` are those of the target in bytes, one per axis; none: contiguous there.
  void put_strided(int rank, nb::handle source, std::int64_t offset, const std::vector<std::int64_t> &strides) {
    Buffer data = elements(source, Buffer::Access::read, "put_strided", Buffer::Layout::strided);
    const hlc_block block = block_of(data, strides);
    move({raw(), rank, offset}, data, [&](hlc_target at) { return hlc_put_strided(at, data.data(), &block); });
  }
  void get_strided(int rank, nb::handle target, std::int64_t offset, const std::vector<std::int64_t> &strides) {
    Buffer data = elements(target, Buffer::Access::write, "get_strided", Buffer::Layout::strided);
    const hlc_block block = block_of(data, strides);
    move({raw(), rank, offset}, data, [&](hlc_target at) { return hlc_get_strided(at, data.data(), &block); });
  }

  void notify(int rank, int id, std::uint32_t value) {
    const auto call = [&, segment = raw()] { return hlc_notify(segment, rank, {id, value}); };
    check(is_on_node(rank) ? call() : waiting(call));
  }
  int wait(int first, int count) {
    int id = -1;
    hlc_segment *segment = raw();
    // What has arrived needs no wait, and no other thread its turn.
    if (hlc_notify_test(segment, {first, count}, &id) == HLC_OK) return id;
    check(waiting([&] { return hlc_notify_wait(segment, {first, count}, &id); }));
    return id;
  }
  std::optional<int> test(int first, int count) {
    int id = -1;
    if (!done(hlc_notify_test(raw(), {first, count}, &id))) return std::nullopt;
    return id;
  }
  std::uint32_t reset(int id) {
    std::uint32_t value = 0;
    check(hlc_notify_reset(raw(), id, &value));
    return value;
  }

  std::int64_t fetch_add(int rank, std::int64_t offset, int number, std::int64_t value) {
    return atomic(rank, offset,
                  [&](hlc_target at, std::int64_t *old) { return hlc_atomic_fetch_add(at, static_cast<hlc_number>(number), value, old); });
  }
  std::int64_t swap(int rank, std::int64_t offset, int number, std::int64_t value) {
    return atomic(rank, offset,
                  [&](hlc_target at, std::int64_t *old) { return hlc_atomic_swap(at, static_cast<hlc_number>(number), value, old); });
  }
  std::int64_t compare_swap(int rank, std::int64_t offset, int number, std::int64_t expected, std::int64_t value) {
    return atomic(rank, offset, [&](hlc_target at, std::int64_t *old) {
      return hlc_atomic_compare_swap(at, static_cast<hlc_number>(number), expected, value, old);
    });
  }

  /// `operand` is one element, of which the previous value is returned as bytes.
  nb::bytes fetch_op(int rank, nb::handle operand, std::int64_t offset, int op, int number) {
    const Buffer data = elements(operand, Buffer::Access::read, "fetch_op");
    const hlc_action action{static_cast<hlc_op>(op), static_cast<hlc_number>(number)};
    char old[16]{};
    hlc_segment *segment = raw();
    check(waiting([&] { return hlc_fetch_op({segment, rank, offset}, action, data.data(), old); }));
    return nb::bytes(old, static_cast<std::size_t>(data.bytes()));
  }

  /// Of each atomic: rank, offset in bytes, operand, expected value and operation, as rows of an array of int64, whose last row gets previous
  /// values.
  void atomics(nb::handle rows, int number, bool compare) {
    const Buffer table(rows, Buffer::Access::write, "atomics");
    const std::int64_t count = table.view().shape[1];
    auto *const words = static_cast<std::int64_t *>(table.data());
    std::vector<hlc_atomic> list(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      const hlc_target at{raw(), static_cast<int>(words[i]), words[count + i]};
      list[static_cast<std::size_t>(i)] = {at,
                                           static_cast<hlc_number>(number),
                                           static_cast<hlc_op>(words[4 * count + i]),
                                           compare,
                                           words[2 * count + i],
                                           words[3 * count + i],
                                           0};
    }
    check(waiting([&] { return hlc_atomics(list.data(), count); }));
    for (const hlc_atomic &one : list) words[5 * count + (&one - list.data())] = one.old;
  }

  /// rank < 0: all ranks.
  void flush(int rank) {
    hlc_segment *segment = raw();
    complete(rank, [=] { return rank < 0 ? hlc_flush_all(segment) : hlc_flush(segment, rank); });
  }
  void flush_local(int rank) {
    hlc_segment *segment = raw();
    complete(rank, [=] { return rank < 0 ? hlc_flush_local_all(segment) : hlc_flush_local(segment, rank); });
  }
  void barrier() {
    hlc_segment *segment = raw();
    check(waiting([&] { return hlc_barrier(segment); }));
  }
  void close() {
    Plan::close();
    kept_.clear();
  }

 private:
  struct Kept {
    int rank;
    std::thread::id thread;
    std::uint64_t number;
    Buffer buffer;
  };

  Buffer elements(nb::handle object, Buffer::Access access, const char *what, Buffer::Layout layout = Buffer::Layout::contiguous) const {
    Buffer buffer(object, access, what, layout);
    if (type_ != "u1" && buffer.type() != type_)
      refuse(std::string(what) + ": the array has elements of type " + buffer.type() + ", those of the segment are of type " + type_);
    return buffer;
  }
  /// Makes a call that moves the elements of a buffer. On the node they have moved when it returns. Between nodes it may wait, and the buffer
  /// is used until a flush: the object must not go before.
  template <class Call>
  void move(const hlc_target &at, Buffer &data, Call call) {
    if (is_on_node(at.rank)) return check(call(at));
    const auto keep = [&] { kept_.push_back({at.rank, std::this_thread::get_id(), next_++, std::move(data)}); };
    try {
      check(waiting([&] { return call(at); }));
    } catch (...) {
      // A signal handler may have raised after the call had begun to use the buffer.
      keep();
      throw;
    }
    keep();
  }
  bool is_on_node(int rank) const {
    hlc_segment_info_t info{};
    return hlc_segment_info(raw(), rank, &info) == HLC_OK && info.data;
  }
  /// Waits, and releases what this thread has kept before: a flush completes the operations of the thread that calls it.
  template <class Call>
  void complete(int rank, Call call) {
    const std::uint64_t before = next_;
    check(waiting(call));
    const auto thread = std::this_thread::get_id();
    const auto is_complete = [&](const Kept &kept) {
      return kept.thread == thread && kept.number < before && (rank < 0 || kept.rank == rank);
    };
    if (!kept_.empty()) std::erase_if(kept_, is_complete);
  }
  template <class Call>
  std::int64_t atomic(int rank, std::int64_t offset, Call call) {
    std::int64_t old = 0;
    const hlc_target at{raw(), rank, offset};
    check(waiting([&] { return call(at, &old); }));
    return old;
  }

  std::string type_;
  std::vector<Kept> kept_;
  std::uint64_t next_ = 0;  // number of the next one that is kept
};

}  // namespace

void define_segment(nb::module_ &module) {
  nb::class_<Segment>(module, "Segment")
      .def(nb::init<nb::object, std::int64_t, int, bool, std::string>())
      .def("part", &Segment::part)
      .def("bytes_of", &Segment::bytes_of)
      .def("put", &Segment::put)
      .def("put_notify", &Segment::put_notify)
      .def("get", &Segment::get)
      .def("put_strided", &Segment::put_strided)
      .def("get_strided", &Segment::get_strided)
      .def("atomics", &Segment::atomics)
      .def("accumulate", &Segment::accumulate)
      .def("fetch_op", &Segment::fetch_op)
      .def("notify", &Segment::notify)
      .def("wait", &Segment::wait)
      .def("test", &Segment::test)
      .def("reset", &Segment::reset)
      .def("fetch_add", &Segment::fetch_add)
      .def("swap", &Segment::swap)
      .def("compare_swap", &Segment::compare_swap)
      .def("flush", &Segment::flush)
      .def("flush_local", &Segment::flush_local)
      .def("barrier", &Segment::barrier)
      .def("close", &Segment::close)
      .def_prop_ro("is_open", &Segment::is_open);
}

}  // namespace halocline::python
