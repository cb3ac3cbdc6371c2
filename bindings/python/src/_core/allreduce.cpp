// Reductions over all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>

#include <optional>

#include "plan.hpp"

namespace halocline::python {
namespace {

class Allreduce : public Plan<hlc_allreduce, hlc_allreduce_destroy> {
 public:
  /// `type_name` is that of the elements, as Buffer::type.
  Allreduce(nb::object context, std::int64_t count, int type, std::string type_name, int reduction, const std::optional<std::string> &name)
      : Plan("Allreduce", std::move(context), nb::none()), count_(count), type_(std::move(type_name)) {
    hlc_allreduce_spec spec{};
    spec.count = count;
    spec.type = static_cast<hlc_type>(type);
    spec.reduction = static_cast<hlc_reduction>(reduction);
    spec.name = name ? name->c_str() : nullptr;
    make([&](hlc_context *raw, hlc_allreduce **plan) { return hlc_allreduce_create(raw, &spec, plan); });
  }

  void run(nb::handle in, nb::handle out) {
    hlc_allreduce *plan = raw();
    const Buffer from = elements(in, Buffer::Access::read, "what is reduced"), to = elements(out, Buffer::Access::write, "the result");
    const void *source = context().translated(from.data());
    void *target = context().translated(to.data());
    check(waiting([&] { return hlc_allreduce_run(plan, source, target); }));
  }

 private:
  Buffer elements(nb::handle object, Buffer::Access access, const char *what) const {
    Buffer buffer(object, access, what);
    const std::int64_t bytes = count_ * std::stoll(type_.substr(1));
    if (buffer.type() != type_ || buffer.bytes() != bytes)
      refuse(std::string("Allreduce: ") + what + " has " + std::to_string(buffer.bytes()) + " bytes of type " + buffer.type() +
             ", the plan has " + std::to_string(bytes) + " of type " + type_);
    return buffer;
  }

  std::int64_t count_;
  std::string type_;
};

}  // namespace

void define_allreduce(nb::module_ &module) {
  nb::class_<Allreduce>(module, "Allreduce")
      .def(nb::init<nb::object, std::int64_t, int, std::string, int, const std::optional<std::string> &>(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg(), nb::arg(), nb::arg().none())
      .def("run", &Allreduce::run)
      .def("close", &Allreduce::close)
      .def_prop_ro("is_open", &Allreduce::is_open);
}

}  // namespace halocline::python
