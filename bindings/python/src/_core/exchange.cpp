// Exchanges: each neighbour's data are copied from one buffer of Python and to another.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>
#include <tuple>
#include <vector>

#include "plan.hpp"

namespace halocline::python {
namespace {

/// As Python states a neighbour: rank, tag out, tag in, what is sent, what is received; None: nothing.
using NeighbourWords = std::tuple<int, int, int, nb::object, nb::object>;

class Exchange : public Plan<hlc_exchange, hlc_exchange_destroy> {
 public:
  Exchange(nb::object context, const std::vector<NeighbourWords> &neighbours, int mode, int epoch, int drive,
           const std::optional<std::string> &name)
      : Plan("Exchange", std::move(context), nb::none()) {
    std::vector<hlc_neighbour> list;
    for (const auto &[rank, tag_out, tag_in, out, in] : neighbours) {
      out_.push_back(memory_of(out, Buffer::Access::read, "what is sent"));
      in_.push_back(memory_of(in, Buffer::Access::write, "what is received"));
      list.push_back({rank, tag_out, tag_in, bytes_of(out_.back()), bytes_of(in_.back())});
    }
    hlc_exchange_spec spec{};
    spec.nneighbours = static_cast<int>(list.size());
    spec.neighbours = list.data();
    spec.pack = pack;
    spec.unpack = unpack;
    spec.user = this;
    spec.mode = static_cast<hlc_mode>(mode);
    spec.epoch = static_cast<hlc_epoch>(epoch);
    spec.drive = static_cast<hlc_drive>(drive);
    spec.name = name ? name->c_str() : nullptr;
    make([&](hlc_context *raw, hlc_exchange **exchange) { return hlc_exchange_create(raw, &spec, exchange); });
  }

  void start() {
    hlc_exchange *exchange = raw();
    check(waiting([&] { return hlc_exchange_start(exchange); }));
  }
  bool test() { return done(hlc_exchange_test(raw())); }
  void finish() {
    hlc_exchange *exchange = raw();
    check(waiting([&] { return hlc_exchange_finish(exchange); }));
  }
  nb::dict info() const {
    hlc_plan_info info{};
    check(hlc_exchange_info(raw(), &info));
    return dictionary(info);
  }
  std::string explain(bool json) const {
    return explanation(json, [plan = raw()](auto... where) { return hlc_exchange_explain(plan, where...); });
  }
  void close() {
    Plan::close();
    out_.clear();
    in_.clear();
  }

 private:
  using Memory = std::optional<Buffer>;

  static Memory memory_of(const nb::object &object, Buffer::Access access, const char *what) {
    return object.is_none() ? Memory() : Memory(std::in_place, object, access, what);
  }
  static std::int64_t bytes_of(const Memory &memory) { return memory ? memory->bytes() : 0; }
  // Both run without the interpreter's lock, and touch no Python object.
  static void pack(int neighbour, void *buffer, void *user) {
    const Memory &out = static_cast<Exchange *>(user)->out_[static_cast<std::size_t>(neighbour)];
    std::memcpy(buffer, out->data(), static_cast<std::size_t>(out->bytes()));
  }
  static void unpack(int neighbour, const void *buffer, void *user) {
    const Memory &in = static_cast<Exchange *>(user)->in_[static_cast<std::size_t>(neighbour)];
    std::memcpy(in->data(), buffer, static_cast<std::size_t>(in->bytes()));
  }

  std::vector<Memory> out_, in_;
};

}  // namespace

void define_exchange(nb::module_ &module) {
  nb::class_<Exchange>(module, "Exchange")
      .def(nb::init<nb::object, const std::vector<NeighbourWords> &, int, int, int, const std::optional<std::string> &>(), nb::arg(),
           nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("start", &Exchange::start)
      .def("test", &Exchange::test)
      .def("finish", &Exchange::finish)
      .def("info", &Exchange::info)
      .def("explain", &Exchange::explain)
      .def("close", &Exchange::close)
      .def_prop_ro("is_open", &Exchange::is_open);
}

}  // namespace halocline::python
