// Sparse exchanges: what arrives is kept in memory of its own, until Python takes it as arrays.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "plan.hpp"

namespace halocline::python {
namespace {

class SparseExchange : public Plan<hlc_sparse, hlc_sparse_destroy> {
 public:
  SparseExchange(nb::object context, int slots, const std::optional<std::string> &name)
      : Plan("SparseExchange", std::move(context), nb::none()) {
    const hlc_sparse_spec spec{slots, take, this, name ? name->c_str() : nullptr};
    make([&](hlc_context *raw, hlc_sparse **sparse) { return hlc_sparse_create(raw, &spec, sparse); });
  }

  /// Of each message: the rank, and an object with its bytes.
  void start(const std::vector<std::pair<int, nb::object>> &messages) {
    std::vector<Buffer> buffers;
    std::vector<hlc_sparse_message> list;
    for (const auto &[rank, object] : messages) {
      const Buffer &buffer = buffers.emplace_back(object, Buffer::Access::read, "a message");
      list.push_back({rank, buffer.data(), buffer.bytes()});
    }
    hlc_sparse *sparse = raw();  // after the code of the objects, which may close the plan
    std::vector<Buffer> before = std::exchange(sent_, std::move(buffers));
    const hlc_status status = waiting([&] { return hlc_sparse_start(sparse, static_cast<int>(list.size()), list.data()); });
    // Nothing was started, and what an exchange sends that is outstanding must stay.
    if (status == HLC_ERR_ARGUMENT || status == HLC_ERR_STATE) sent_ = std::move(before);
    check(status);
  }
  bool test() { return done(hlc_sparse_test(raw())); }
  /// Origin and bytes of each message, in the order of arrival.
  nb::list finish() {
    hlc_sparse *sparse = raw();
    check(waiting([&] { return hlc_sparse_finish(sparse); }));
    sent_.clear();
    if (std::exchange(lost_, false)) throw std::bad_alloc();
    nb::list messages;
    for (Arrived &one : std::exchange(arrived_, {})) messages.append(nb::make_tuple(one.origin, array_of(std::move(one))));
    return messages;
  }
  void close() {
    Plan::close();
    sent_.clear();
  }

 private:
  struct Arrived {
    int origin;
    std::int64_t bytes;
    std::unique_ptr<std::uint8_t[]> data;
  };

  /// Runs without the interpreter's lock, and touches no Python object.
  static void take(int origin, const void *data, std::int64_t bytes, void *user) {
    auto *self = static_cast<SparseExchange *>(user);
    try {
      auto copy = std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(bytes));
      if (bytes > 0) std::memcpy(copy.get(), data, static_cast<std::size_t>(bytes));
      self->arrived_.push_back({origin, bytes, std::move(copy)});
    } catch (const std::bad_alloc &) {
      self->lost_ = true;
    }
  }
  static nb::object array_of(Arrived arrived) {
    std::uint8_t *data = arrived.data.release();
    const nb::capsule owner(data, [](void *raw) noexcept { delete[] static_cast<std::uint8_t *>(raw); });
    return nb::cast(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(data, {static_cast<std::size_t>(arrived.bytes)}, owner));
  }

  std::vector<Buffer> sent_;
  std::vector<Arrived> arrived_;
  bool lost_ = false;
};

}  // namespace

void define_sparse(nb::module_ &module) {
  nb::class_<SparseExchange>(module, "SparseExchange")
      .def(nb::init<nb::object, int, const std::optional<std::string> &>(), nb::arg(), nb::arg(), nb::arg().none())
      .def("start", &SparseExchange::start)
      .def("test", &SparseExchange::test)
      .def("finish", &SparseExchange::finish)
      .def("close", &SparseExchange::close)
      .def_prop_ro("is_open", &SparseExchange::is_open);
}

}  // namespace halocline::python
