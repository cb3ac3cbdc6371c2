// Halo swaps of unstructured meshes: lists of entries around one Exchange.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/fields.hpp"
#include "exchange/packer.hpp"
#include "index_halo/device_entries.hpp"
#include "index_halo/tables.hpp"

namespace halocline::core {

class IndexCheck;

/// One index halo: the object behind hlc_index_halo.
class IndexHalo final : private Packer {
 public:
  explicit IndexHalo(const EngineParts &engine);
  ~IndexHalo() override;

  /// The part of hlc_index_halo_init that is local: checks the spec. *plan receives what is compared between ranks: the names of the
  /// fields. chosen: the library has chosen the spec's mode.
  Status accept(const hlc_index_halo_spec *spec, std::string *plan, bool chosen = false);
  /// Plans what has been checked. Collective; the same status on all ranks.
  Status create(const hlc_index_halo_spec *spec);
  Status may_start(const char *call) const { return exchange_.may_start(call); }
  Status may_go_on(const char *call) const { return exchange_.may_go_on(call); }
  /// Each call is allowed now.
  Status start(const hlc_index_swap *what);
  Status test();
  Status finish();
  /// The same in order with the work in a stream of the fields' device. See hlc_index_halo_start_on.
  Status start_on(const hlc_index_swap *what, void *stream);
  Status finish_on(void *stream);
  /// As finish, but in mode view without copies; see hlc_index_halo_finish_views.
  Status finish_views();
  Status release();
  Status announce_release();
  Status show_view(int field, int neighbour, hlc_index_view *view);
  /// As those of an exchange.
  bool retire();
  Work work() const;
  Status end(bool others_broken);

  RoundState state() const { return exchange_.state(); }
  hlc_plan_info describe() const;
  DeviceFields device_fields() const { return device_ ? device_->describe() : DeviceFields(); }

 private:
  void pack(int edge, void *buffer, bool past_caches) override;
  void unpack(int edge, const void *buffer) override;
  void pull(Edges edges) override;
  void show(int edge, const void *buffer) override;
  void copy_to_self() override;
  void end_round() override;
  void describe_round(RoundDescriptor &descriptor) override;
  Looks *looks() override;
  Status met(Plan &plan) override;
  Status joined(const Plan &plan) override;

  Status make_device_entries();
  void take_fields(const hlc_index_halo_spec &spec);
  Status join_self_links();

  void store(const IndexLink &link);
  void pull_link(const IndexLink &link);
  void move_to_self(const IndexLink &link);
  Status check_swap(const hlc_index_swap &what) const;
  void set_swap(const hlc_index_swap *what);
  void make_views();
  void fill_view(IndexLink &link, std::size_t field, hlc_index_view &view) const;

  Communicator &communicator_;
  Options options_;
  IndexTables tables_;
  HeldFields held_;
  Exchange exchange_;

  bool everything_ = false;  // the parts of the exchange are those of a whole swap
  bool views_ = false;  // mode view without HALOCLINE_CHECK=1
  std::unique_ptr<DeviceEntries> device_;  // null unless a field is in a device's memory
  std::unique_ptr<IndexCheck> check_;  // null unless HALOCLINE_CHECK=1
};

}  // namespace halocline::core
