// The swaps of one block's halo in one exchange: a halo is one stage, or one per dimension.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/fields.hpp"
#include "halo/bindings.hpp"
#include "halo/check.hpp"
#include "halo/copies.hpp"
#include "halo/field_memory.hpp"
#include "halo/tables.hpp"
#include "halo/views.hpp"

namespace halocline::core {

/// Geometry and copies around one Exchange. Its owner has checked the arguments of each call, and that it is allowed now.
class Stage final : private Packer {
 public:
  explicit Stage(const EngineParts &engine);

  /// Plans. Collective; the same status on all ranks. The spec has been checked, also that it is the same on all ranks. grown: the low halo
  /// cells that count as block here, and have been filled by the stages before.
  Status create(const hlc_halo_spec &spec, const Options &options, const Cells &grown = {});
  /// data: other arrays than the spec's, one per field; NULL: the spec's.
  Status start(const hlc_swap *what, void *const *data) {
    if (!everything_ || what || bindings_) HLC_TRY(select(what, data));
    return exchange_.start([&] { return check_->start(what); });
  }
  Status test() { return exchange_.test(); }
  /// If not waits, as far as possible without waiting; `again` while something is left.
  Status finish(bool waits = true) { return exchange_.finish(waits); }
  /// As finish, but in mode view without copies.
  Status finish_views();
  Status release();
  Status end(bool others_broken) { return exchange_.end(others_broken); }
  bool retire() { return exchange_.retire(); }

  const Exchange &exchange() const { return exchange_; }
  const std::vector<HaloField> &fields() const { return tables_.fields; }
  /// Writes the rank of each direction that a rank fills. As long as views are out, also writes where the cells of a field are.
  void put_views(std::size_t field, hlc_view *views) const;
  hlc_plan_info describe() const;
  Work work() const;

 private:
  void pack(int edge, void *buffer, bool past_caches) override { copies_.pack(edge, buffer, past_caches); }
  void unpack(int edge, const void *buffer) override { copies_.unpack(edge, buffer); }
  Status found(int edge, std::span<const FieldPlace> places) override;
  void pull(Edges edges) override { copies_.pull(edges); }
  void show(int edge, const void *buffer) override { views_->show(edge, buffer); }
  void copy_to_self() override { copies_.copy_to_self(); }
  void end_round() override {
    copies_.end();
    if (bindings_) bindings_->release();
  }
  Looks *looks() override { return check_.get(); }
  bool copies_cells() const override { return true; }
  Status joined(const Plan &plan) override;

  Status select(const hlc_swap *what, void *const *data);
  void set_swap(const hlc_swap *what);
  void list_copies();
  std::string swapped_names() const;

  Communicator &communicator_;
  Fields &fields_;
  HaloTables tables_;
  FieldMemory memory_;
  Exchange exchange_;

  Copies copies_;
  bool everything_ = false;  // the parts of the exchange are those of a whole swap
  std::unique_ptr<Bindings> bindings_;  // null unless swaps may use other arrays
  std::unique_ptr<Views> views_;  // null but in mode view without HALOCLINE_CHECK=1
  std::unique_ptr<HaloCheck> check_;  // null unless HALOCLINE_CHECK=1
};

}  // namespace halocline::core
