// Halo swaps of any set of boxes.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HALOCLINE_CXX_BLOCKS_HPP
#define HALOCLINE_CXX_BLOCKS_HPP

#include <halocline/blocks.h>
#include <halocline/cxx/context.hpp>

namespace halocline {

/// A box of cells of the domain; zero-initialise it.
using Box = hlc_box;
/// Everything that Blocks needs; zero-initialise it. Its shapes say which fields are on nodes, or have depths of their own.
using BlocksSpec = hlc_blocks_spec;

/// Planned swaps of any set of boxes (hlc_blocks_init). Making and closing them is collective; fields and context must outlive them.
class Blocks {
 public:
  /// Plans swaps of this rank's boxes (hlc_blocks_init). Collective: all ranks throw if one has a fault.
  Blocks(const Context &context, const BlocksSpec &spec) : handle_(open(context, spec)) {}
  /// Starts one swap of all fields.
  void start() { check(hlc_blocks_start(raw(), nullptr)); }
  /// Starts one swap as requested: some fields, or reverse.
  void start(const hlc_swap &what) { check(hlc_blocks_start(raw(), &what)); }
  /// The same of arrays in the memory of a CUDA device, in order with the work in a stream of it (hlc_blocks_start_on).
  void start_on(void *stream) { check(hlc_blocks_start_on(raw(), nullptr, stream)); }
  /// The same as requested.
  void start_on(void *stream, const hlc_swap &what) { check(hlc_blocks_start_on(raw(), &what, stream)); }
  /// Moves the swap along; true: finish will not wait for data any more.
  bool test() { return done(hlc_blocks_test(raw())); }
  /// Completes the swap.
  void finish() { check(hlc_blocks_finish(raw())); }
  /// Completes it in order with the work in a stream, without a wait for the last copies (hlc_blocks_finish_on).
  void finish_on(void *stream) { check(hlc_blocks_finish_on(raw(), stream)); }
  /// Start and finish in one.
  void swap() {
    start();
    finish();
  }
  /// For one part, in a thread of its own: its blocks are ready (hlc_blocks_start_part).
  void start_part(int part) { check(hlc_blocks_start_part(raw(), part, nullptr)); }
  /// The same as requested; all parts request the same.
  void start_part(int part, const hlc_swap &what) { check(hlc_blocks_start_part(raw(), part, &what)); }
  /// Completes the swap for one part, sharing the copies with the others (hlc_blocks_finish_part).
  void finish_part(int part) { check(hlc_blocks_finish_part(raw(), part)); }
  /// What the plan decided: mode, routes, bytes.
  hlc_plan_info info() const {
    hlc_plan_info info{};
    check(hlc_blocks_info(raw(), &info));
    return info;
  }
  /// Which mode is used, and why: in words or as JSON (hlc_halo_explain).
  std::string explain(Format format = Format::text) const { return explanation<hlc_blocks>(hlc_blocks_explain, raw(), format); }
  /// Releases the blocks now and says so if that fails. Collective. The destructor does the same without throwing.
  void finalise() { handle_.finalise(); }
  /// The handle for calls of the C API. It is closed with this object.
  hlc_blocks *raw() const noexcept { return handle_.get(); }

 private:
  static hlc_blocks *open(const Context &context, const BlocksSpec &spec) {
    hlc_blocks *raw = nullptr;
    check(hlc_blocks_init(context.raw(), &spec, &raw));
    return raw;
  }
  detail::Handle<hlc_blocks, hlc_blocks_finalise> handle_;
};

}  // namespace halocline
#endif
