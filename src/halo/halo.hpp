// Halo swaps of structured grids: what a program may ask of a halo, and what is checked of it. It is swapped in one stage (stage.hpp), or in
// one per dimension (staged.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/copy_queue.hpp"
#include "exchange/channel.hpp"
#include "exchange/engine_parts.hpp"
#include "exchange/swap.hpp"

namespace halocline::core {

struct HaloField;

/// One halo: the object behind hlc_halo.
class Halo {
 public:
  /// A halo for this spec, which accept has yet to check.
  static std::unique_ptr<Halo> make(const EngineParts &engine, const hlc_halo_spec *spec);
  Halo(const Halo &) = delete;
  Halo &operator=(const Halo &) = delete;
  virtual ~Halo() = default;

  /// The part of hlc_halo_init that is local: checks the spec. *plan receives what is compared between ranks: the names of the halo and of
  /// its fields. chosen: the library has chosen the spec's mode.
  Status accept(const hlc_halo_spec *spec, std::string *plan, bool chosen = false);
  /// Plans what has been checked. Collective; the same status on all ranks.
  Status create(const hlc_halo_spec *spec);
  virtual Status may_start(const char *call) const = 0;
  virtual Status may_go_on(const char *call) const = 0;
  /// Each call is allowed now.
  virtual Status start(const hlc_swap *what) = 0;
  virtual Status test() = 0;
  virtual Status finish() = 0;
  /// The same, in order with the work in a stream of the fields' device: the swap follows it; work that it is given later follows the swap,
  /// and the host does not wait for the last copies. See hlc_halo_start_on.
  Status start_on(const hlc_swap *what, void *stream);
  Status finish_on(void *stream);
  /// As finish, but in mode view without copies; see hlc_halo_finish_views.
  virtual Status finish_views() = 0;
  /// As start, but with other arrays than the spec's, one per field; NULL: the spec's. Is refused where it is not allowed. See
  /// hlc_halo_start_with.
  Status start_with(const hlc_swap *what, void *const *data);
  Status release();
  /// As release, without the wait: a rank that ends its plan may meet one that waits for this in a finish.
  virtual Status announce_release() { return Status::ok; }
  Status list_views(int field, hlc_view *views) const;
  /// As those of an exchange.
  virtual bool retire() = 0;
  virtual Work work() const = 0;
  virtual Status end(bool others_broken) = 0;

  virtual RoundState state() const = 0;
  virtual hlc_plan_info describe() const = 0;
  virtual DeviceFields device_fields() const = 0;

 protected:
  explicit Halo(const EngineParts &engine) : engine_(engine) {}
  /// Fails unless a swap may move this. `call` is named in the error.
  Status check_swap(const char *call, const hlc_swap &what) const;

  const EngineParts engine_;

 private:
  virtual Status plan_swaps(const hlc_halo_spec &spec, const Options &options) = 0;
  /// Starts a swap that has been checked. data: see start_with.
  virtual Status begin(const hlc_swap *what, void *const *data) = 0;
  /// The error for a call at the wrong time.
  virtual Status bad_call(const char *call, const char *why) const = 0;
  /// The next start, or the finish that follows, is in order with a stream.
  virtual void follow(const DeviceStream &stream) = 0;
  virtual void precede(const DeviceStream &stream) = 0;
  virtual Status release_views() = 0;
  virtual bool views_out() const = 0;
  /// Writes, of one field, the rank of each direction that a rank fills, and while views are out, where its cells are.
  virtual void put_views(std::size_t field, hlc_view *views) const = 0;
  virtual const std::vector<HaloField> &fields() const = 0;
  /// Each dimension is swapped after the one before, all at the whole depth.
  virtual bool in_stages() const = 0;

  Status check_memory(const hlc_halo_spec &spec) const;
  Status check_given(const hlc_swap *what, void *const *data) const;
  Status refuse_other_place(const std::string &who, int device, int planned) const;
  void list_own(std::size_t field, hlc_view *views) const;
  int rank() const;

  Options options_;
  int ndims_ = 0;
  bool rebinds_ = false;  // swaps may use other arrays
  std::int64_t deepest_ = 0;  // halo cells on a side
  bool repeats_ = false;  // the block, in a halo that is deeper
};

}  // namespace halocline::core
