// Swaps of any set of boxes: one exchange with an edge per neighbouring rank, and copies between the blocks of this rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "blocks/device_pieces.hpp"
#include "blocks/parts.hpp"
#include "blocks/piece_copies.hpp"
#include "blocks/tables.hpp"
#include "exchange/exchange.hpp"
#include "exchange/fields.hpp"
#include "exchange/packer.hpp"

namespace halocline::core {

/// The object behind hlc_blocks.
class Blocks final : private Packer {
 public:
  explicit Blocks(const EngineParts &engine);
  ~Blocks() override;

  /// The part that a rank does alone: checks the spec, and writes to *plan what ranks compare, the names of the first block's fields.
  /// chosen: the library has chosen the spec's mode.
  Status accept(const hlc_blocks_spec *spec, std::string *plan, bool chosen = false);
  /// Makes the plan for the checked spec. Collective; the same status on all ranks.
  Status create(const hlc_blocks_spec *spec);
  Status may_start(const char *call) const { return exchange_.may_start(call, state()); }
  Status may_go_on(const char *call) const { return exchange_.may_go_on(call, {whole_, state().broken}); }
  /// Each call is allowed now.
  Status start(const hlc_swap *what);
  Status test();
  Status finish();
  /// The same in order with the work in a stream of the arrays' device. See hlc_blocks_start_on.
  Status start_on(const hlc_swap *what, void *stream);
  Status finish_on(void *stream);
  /// The same by several threads, each of which drives a part.
  Status start_part(int part, const hlc_swap *what);
  Status finish_part(int part);
  /// As those of an exchange.
  bool retire();
  Work work() const;
  Status end(bool others_broken);
  /// Halo values on the deepest side of any field.
  std::int64_t deepest() const { return tables_.deepest; }

  RoundState state() const {
    return {exchange_.state().under_way || (team_ && team_->any_in_flight()), exchange_.state().broken || (team_ && team_->broken())};
  }
  hlc_plan_info describe() const;
  DeviceFields device_fields() const { return device_ ? device_->describe() : DeviceFields(); }

 private:
  void pack(int edge, void *buffer, bool past_caches) override { copies_.pack(edge, buffer, past_caches); }
  void unpack(int edge, const void *buffer) override;
  void pull(Edges edges) override;
  void copy_to_self() override { device_ ? device_->copy_to_self() : copies_.copy_to_self(); }
  void end_round() override;
  void describe_round(RoundDescriptor &descriptor) override;
  bool copies_cells() const override { return true; }
  Status met(Plan &plan) override;
  Status joined(const Plan &plan) override;

  Status make_team();
  Status make_device_pieces();
  Status check_swap(const char *call, const hlc_swap *what) const;
  void set_swap(const hlc_swap *what);
  Status launch();
  Status finish_rounds();

  void wait_for_launch(int part, std::uint64_t round);
  Status drive(int part, std::uint64_t round);
  void help_until_finished(int part, std::uint64_t round);

  Communicator &communicator_;
  Options options_;
  BlockTables tables_;
  HeldFields held_;
  Exchange exchange_;

  PieceCopies copies_;
  std::unique_ptr<DevicePieces> device_;  // null unless an array is in a device's memory
  std::unique_ptr<Parts> team_;
  bool everything_ = false;  // the parts of the exchange are those of a whole swap
  bool whole_ = false;       // the running swap was started by hlc_blocks_start
};

}  // namespace halocline::core
