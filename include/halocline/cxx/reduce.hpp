// Reductions over all ranks; the operation is named or a function object.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HALOCLINE_CXX_REDUCE_HPP
#define HALOCLINE_CXX_REDUCE_HPP

#include <halocline/reduce.h>
#include <halocline/cxx/context.hpp>
#include <halocline/cxx/field.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace halocline {

/// How two elements become one (HLC_REDUCE_SUM, HLC_REDUCE_MIN, HLC_REDUCE_MAX).
enum class Reduction { sum = HLC_REDUCE_SUM, min = HLC_REDUCE_MIN, max = HLC_REDUCE_MAX };

/// A planned reduction of count elements of T (hlc_allreduce_create). Making and closing one is collective. Names are compared
/// between ranks.
template <class T>
class Allreduce {
  static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");

 public:
  /// Plans a sum, minimum or maximum. Collective; all ranks give the same count, type and reduction.
  Allreduce(const Context &context, std::int64_t count, Reduction reduction, const char *name = nullptr)
      : handle_(open(context, {count, type_of<T>(), sizeof(T), static_cast<hlc_reduction>(reduction), nullptr, nullptr, name})) {}
  /// T combine(T a, T b), where a precedes b in the order. It must not throw.
  template <class Combine, class = std::enable_if_t<std::is_invocable_r_v<T, Combine &, T, T>>>
  Allreduce(const Context &context, std::int64_t count, Combine combine, const char *name = nullptr)
      : operation_(std::make_shared<Combine>(std::move(combine))),
        handle_(open(context, {count, HLC_OPAQUE, sizeof(T), HLC_REDUCE_USER, &apply<Combine>, operation_.get(), name})) {}

  /// Combines what all ranks give; in may be out.
  void run(const T *in, T *out) { check(hlc_allreduce_run(raw(), in, out)); }
  /// The same in place.
  void run(T *data) { run(data, data); }
  /// What the plan decided: parts, chunks, bytes.
  hlc_allreduce_info_t info() const {
    hlc_allreduce_info_t info{};
    check(hlc_allreduce_info(raw(), &info));
    return info;
  }
  /// Releases the plan now and says so if that fails. Collective.
  void finalise() { handle_.finalise(); }
  /// The handle for calls of the C API. It is closed with this object.
  hlc_allreduce *raw() const noexcept { return handle_.get(); }

 private:
  template <class Combine>
  static void apply(const void *in, void *inout, std::int64_t count, void *user) {
    auto &combine = *static_cast<Combine *>(user);
    for (std::int64_t i = 0; i < count; ++i)
      static_cast<T *>(inout)[i] = combine(static_cast<T *>(inout)[i], static_cast<const T *>(in)[i]);
  }
  static hlc_allreduce *open(const Context &context, const hlc_allreduce_spec &spec) {
    hlc_allreduce *raw = nullptr;
    check(hlc_allreduce_create(context.raw(), &spec, &raw));
    return raw;
  }

  std::shared_ptr<void> operation_;
  detail::Handle<hlc_allreduce, hlc_allreduce_destroy> handle_;
};

}  // namespace halocline

#endif
