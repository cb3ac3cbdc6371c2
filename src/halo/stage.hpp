// A halo that is swapped in one exchange: geometry and copies around it. A staged halo has one of these per dimension.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "exchange/device_reads.hpp"
#include "exchange/exchange.hpp"
#include "exchange/fields.hpp"
#include "exchange/packer.hpp"
#include "halo/bindings.hpp"
#include "halo/check.hpp"
#include "halo/copies.hpp"
#include "halo/device_cells.hpp"
#include "halo/field_memory.hpp"
#include "halo/halo.hpp"
#include "halo/tables.hpp"
#include "halo/views.hpp"

namespace halocline::core {

class Stage final : public Halo, private Packer {
 public:
  explicit Stage(const EngineParts &engine);

  Status may_start(const char *call) const override;
  Status may_go_on(const char *call) const override;
  Status start(const hlc_swap *what) override;
  Status test() override;
  Status finish() override;
  /// As finish, as far as possible without waiting; `again` while something is left.
  Status finish_without_wait();
  Status finish_views() override;
  Status announce_release() override;
  bool retire() override;
  Work work() const override;
  Status end(bool others_broken) override;
  RoundState state() const override { return exchange_.state(); }
  hlc_plan_info describe() const override;
  DeviceFields device_fields() const override;

  // For a staged halo, which has checked what it passes.
  void follow(const DeviceStream &stream) override { follows_ = stream; }
  void precede(const DeviceStream &stream) override { precedes_ = stream; }
  /// Plans. Collective; the same status on all ranks. The spec has been checked, also that it is the same on all ranks. grown: the low halo
  /// cells that count as block here, and have been filled by the stages before.
  Status plan_stage(const hlc_halo_spec &spec, const Options &options, const Cells &grown);
  Status begin(const hlc_swap *what, void *const *data) override;
  const Exchange &exchange() const { return exchange_; }

 private:
  Status plan_swaps(const hlc_halo_spec &spec, const Options &options) override { return plan_stage(spec, options, {}); }
  Status bad_call(const char *call, const char *why) const override { return exchange_.bad_call(call, why); }
  Status release_views() override;
  bool views_out() const override { return exchange_.views_out(); }
  void put_views(std::size_t field, hlc_view *views) const override;
  const std::vector<HaloField> &fields() const override { return tables_.fields; }
  bool in_stages() const override { return false; }

  void pack(int edge, void *buffer, bool past_caches) override { copies_.pack(edge, buffer, past_caches); }
  void unpack(int edge, const void *buffer) override;
  Status found(int edge, std::span<const FieldPlace> places) override;
  void pull(Edges edges) override;
  void show(int edge, const void *buffer) override { views_->show(edge, buffer); }
  void copy_to_self() override;
  void end_round() override;
  void describe_round(RoundDescriptor &descriptor) override;
  Looks *looks() override { return check_.get(); }
  bool copies_cells() const override { return true; }
  Status met(Plan &plan) override;
  Status joined(const Plan &plan) override;

  Status select(const hlc_swap *what, void *const *data);
  void set_swap(const hlc_swap *what);
  void list_copies();
  std::string swapped_names() const;
  void fetch_sent();
  void copy_inside(const std::vector<HaloPath> &paths);
  void store_halos();
  void pull_on_device(Edges edges);
  Status plan_device(const Options &options, bool rebinds);
  void give_arrays();
  /// Of a finish that has returned this.
  Status with_device(Status finished);

  Communicator &communicator_;
  Fields &fields_;
  HaloTables tables_;
  FieldMemory memory_;
  Exchange exchange_;

  Copies copies_;
  bool everything_ = false;  // the parts of the exchange are those of a whole swap
  std::unique_ptr<Bindings> bindings_;  // null unless swaps may use other arrays
  std::unique_ptr<Views> views_;  // null but in mode view without HALOCLINE_CHECK=1
  std::unique_ptr<DeviceCells> device_;  // null unless a field is in a device's memory
  std::unique_ptr<DeviceReads> reads_;  // null unless neighbours may read it there
  DeviceStream follows_, precedes_;  // of the running call
  std::unique_ptr<HaloCheck> check_;  // null unless HALOCLINE_CHECK=1
  const hlc_swap *starting_ = nullptr;  // what the call that starts a swap was passed
};

}  // namespace halocline::core
