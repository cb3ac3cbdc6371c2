// Reductions over all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>

#include <exception>
#include <optional>

#include "plan.hpp"

namespace halocline::python {
namespace {

class Allreduce : public Plan<hlc_allreduce, hlc_allreduce_destroy> {
 public:
  /// `type_name` is that of the elements, as Buffer::type. `function`: of HLC_REDUCE_USER, else None. It takes the memory of two pieces,
  /// those of later and of earlier ranks, and leaves the result in the second.
  Allreduce(nb::object context, std::int64_t count, int type, std::string type_name, int reduction, const std::optional<std::string> &name,
            nb::object function)
      : Plan("Allreduce", std::move(context), function), count_(count), type_(std::move(type_name)), function_(function) {
    hlc_allreduce_spec spec{};
    spec.count = count;
    spec.type = static_cast<hlc_type>(type);
    spec.reduction = static_cast<hlc_reduction>(reduction);
    spec.name = name ? name->c_str() : nullptr;
    if (!function.is_none()) {
      spec.element_bytes = static_cast<std::size_t>(element_bytes());
      spec.function = combine;
      spec.user = this;
    }
    make([&](hlc_context *raw, hlc_allreduce **plan) { return hlc_allreduce_create(raw, &spec, plan); });
  }

  void run(nb::handle in, nb::handle out) {
    failure_ = nullptr;  // of a run that a signal handler has interrupted
    const Buffer from = elements(in, Buffer::Access::read, "what is reduced"), to = elements(out, Buffer::Access::write, "the result");
    hlc_allreduce *plan = raw();  // after the code of the objects, which may close the plan
    const void *source = context().translated(from.data());
    void *target = context().translated(to.data());
    const hlc_status status = waiting([&] { return hlc_allreduce_run(plan, source, target); });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    check(status);
  }

 private:
  std::int64_t element_bytes() const { return std::stoll(type_.substr(1)); }

  /// Called without the interpreter's lock. What the function raises waits until the run ends, as other ranks are in it.
  static void combine(const void *in, void *inout, std::int64_t count, void *user) {
    auto *self = static_cast<Allreduce *>(user);
    if (is_left_behind()) return;
    const nb::gil_scoped_acquire locked;
    if (self->failure_) return;
    try {
      const std::int64_t bytes = count * self->element_bytes();
      self->function_(piece(const_cast<void *>(in), bytes, PyBUF_READ), piece(inout, bytes, PyBUF_WRITE));
    } catch (...) {
      self->failure_ = std::current_exception();
    }
  }
  static nb::object piece(void *data, std::int64_t bytes, int access) {
    PyObject *view = PyMemoryView_FromMemory(static_cast<char *>(data), bytes, access);
    if (!view) nb::raise_python_error();
    return nb::steal(view);
  }

  Buffer elements(nb::handle object, Buffer::Access access, const char *what) const {
    Buffer buffer(object, access, what);
    const std::int64_t bytes = count_ * element_bytes();
    if (buffer.type() != type_ || buffer.bytes() != bytes)
      refuse(std::string("Allreduce: ") + what + " has " + std::to_string(buffer.bytes()) + " bytes of type " + buffer.type() +
             ", the plan has " + std::to_string(bytes) + " of type " + type_);
    return buffer;
  }

  std::int64_t count_;
  std::string type_;
  nb::handle function_;  // kept by the plan
  std::exception_ptr failure_;
};

}  // namespace

void define_allreduce(nb::module_ &module) {
  nb::class_<Allreduce>(module, "Allreduce")
      .def(nb::init<nb::object, std::int64_t, int, std::string, int, const std::optional<std::string> &, nb::object>(), nb::arg(),
           nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none())
      .def("run", &Allreduce::run)
      .def("close", &Allreduce::close)
      .def_prop_ro("is_open", &Allreduce::is_open);
}

}  // namespace halocline::python
