// Swaps of fields: what Halo, IndexHalo and Blocks have in common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "plan.hpp"

namespace halocline::python {

using Cells = std::vector<std::int64_t>;

/// Where a field's values are along each dimension, and its depths on the low and high sides.
using ShapeWords = std::tuple<std::vector<int>, Cells, Cells>;

/// What Python decides of a plan of swaps: depths, stencil, mode, epoch, drive, staged, rebind, fills, shapes, name.
struct HaloWords {
  Cells low, high;
  int stencil = 0, mode = 0, epoch = 0, drive = 0;
  bool staged = false, rebind = false;
  std::vector<unsigned char> fills;
  std::vector<ShapeWords> shapes;
  std::optional<std::string> name;
};

/// As Python states a field: the address of its first cell that is swapped, type, bytes of an element, strides in bytes, name.
using FieldWords = std::tuple<std::uintptr_t, int, std::size_t, Cells, std::string>;

hlc_field_shape shape_of(const ShapeWords &words);

/// The name is not copied.
hlc_field field_of(const Context &context, const FieldWords &words);

/// The calls are those of one kind of plan in C.
template <class T, class What, hlc_status (*ends)(T **), hlc_status (*starts)(T *, const What *), hlc_status (*tests)(T *),
          hlc_status (*finishes)(T *), hlc_status (*informs)(const T *, hlc_plan_info *),
          hlc_status (*explains)(const T *, hlc_format, char *, std::size_t, std::size_t *)>
class Swaps : public Plan<T, ends> {
 public:
  using Plan<T, ends>::Plan;

  bool test() { return done(tests(this->raw())); }
  void finish() {
    T *plan = this->raw();
    run([&] { return finishes(plan); });
  }
  nb::dict info() const { return dictionary(found()); }
  std::string explain(bool json) const {
    return explanation(json, [plan = this->raw()](auto... where) { return explains(plan, where...); });
  }

 protected:
  /// Called once the plan is made. A rank that is its own only neighbour never waits, and keeps the interpreter's lock.
  void note_neighbours() { may_wait_ = found().neighbours > 0; }
  void begin(const What *what) {
    T *plan = this->raw();
    run([&] { return starts(plan, what); });
  }
  void exchange(const What *what) {
    T *plan = this->raw();
    run([&] {
      const hlc_status started = starts(plan, what);
      return started == HLC_OK ? finishes(plan) : started;
    });
  }
  /// Makes a call that waits for neighbours only.
  template <class Call>
  void run(Call call) {
    check(may_wait_ ? this->waiting(call) : call());
  }

 private:
  hlc_plan_info found() const {
    hlc_plan_info info{};
    check(informs(this->raw(), &info));
    return info;
  }
  bool may_wait_ = true;
};

}  // namespace halocline::python
