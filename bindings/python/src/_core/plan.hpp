// A plan of the library as a Python object: its handle, and the objects whose memory it uses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "context.hpp"

namespace halocline::python {

/// `keep` is any object; it lives as long as the plan. `name` is the class's name in messages.
template <class T, hlc_status (*end)(T **)>
class Plan {
 public:
  Plan(const char *name, nb::object context, nb::object keep)
      : name_(name), holder_(std::move(context)), context_(nb::cast<Context *>(holder_)), keep_(std::move(keep)) {}
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  T *raw() const {
    refuse_after_fork(name_);
    if (!raw_) uses_.refuse_null(name_);
    return raw_;
  }
  /// Collective. Where that fails without an end, the plan stays as it is.
  void close() {
    const hlc_status status = uses_.ending(name_, &raw_, end);
    if (!raw_) keep_.reset();
    check(status);
  }
  bool is_open() const { return raw_ != nullptr; }

 protected:
  /// Calls create, which may wait, with the context and the place of the handle.
  template <class Create>
  void make(Create create) {
    hlc_context *context = context_->raw();
    check(context_->uses().making([&] { return create(context, &raw_); }));
  }
  /// As the function of that name, for calls with the handle. It is not released while a thread is in one of them.
  template <class Call>
  hlc_status waiting(Call call) {
    return uses_.waiting(call);
  }
  const Context &context() const { return *context_; }

 private:
  const char *name_;
  nb::object holder_;
  Context *context_;
  nb::object keep_;
  T *raw_ = nullptr;
  Uses uses_;
};

/// What a plan's explain call writes, in words or as JSON.
template <class Call>
std::string explanation(bool json, Call call) {
  const hlc_format format = json ? HLC_FORMAT_JSON : HLC_FORMAT_TEXT;
  std::size_t length = 0;
  check(call(format, nullptr, 0, &length));
  std::string text(length + 1, '\0');
  check(call(format, text.data(), text.size(), &length));
  text.resize(std::min(length, text.size() - 1));
  return text;
}

/// As a dictionary.
nb::dict dictionary(const hlc_plan_info &info);

}  // namespace halocline::python
