// A halo of a scenario: its memory, its swaps, and the comparison of all of its memory, padding included, with the oracle's.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <stdexcept>

#include "random/halo_case.hpp"

namespace halocline::test {
namespace {

class HaloPlayer final : public Player {
 public:
  HaloPlayer(const Stage &stage, const Json &text) : stage_(stage), text_(text), case_(read_case(text)) { allocate(); }

  ~HaloPlayer() override {
    for (void *&memory : shared_)
      if (memory) static_cast<void>(hlc_field_free(stage_.context, &memory));
  }

  hlc_status plan(const Json &wrong) override {
    describe();
    const bool mine = !wrong.is_null() && (wrong.at("rank") == -1 || wrong.at("rank") == stage_.rank);
    if (mine && wrong.at("name") != "spec") spoil(owned_, wrong);
    const hlc_status status = hlc_halo_init(stage_.context, mine && wrong.at("name") == "spec" ? nullptr : &owned_.spec, &halo_);
    owned_ = OwnedSpec();  // the library has copied what it needs
    return status;
  }

  void prepare(int step, const Json &swap) override {
    step_ = step;
    swap_.emplace(swap);
    refused_ = swap.value("refused", false);
    const bool reverse = swap_->what.reverse && !refused_;
    write(reverse ? before_reverse(case_, stage_.rank, step) : before(case_, stage_.rank, step));
  }

  hlc_status start() override { return hlc_halo_start(halo_, &swap_->what); }
  hlc_status test() override { return hlc_halo_test(halo_); }
  hlc_status finish() override { return hlc_halo_finish(halo_); }
  bool refused() const override { return refused_; }

  std::string complaint() override {
    const Image found = read(), expected = expectation();
    if (found == expected) return {};
    if (!swap_->what.reverse) return difference(case_, stage_.rank, step_, expected, found);
    return "after a reverse swap:\n" + difference(case_, stage_.rank, step_, expected, found);
  }

  std::string misuse(bool in_flight) override {
    if (!in_flight) {
      if (hlc_halo_finish(halo_) != HLC_ERR_STATE) return "finish without a start was not refused";
      return hlc_halo_test(halo_) == HLC_ERR_STATE ? "" : "test without a start was not refused";
    }
    if (hlc_halo_start(halo_, &swap_->what) != HLC_ERR_STATE) return "a second start was not refused";
    if (hlc_halo_finalise(&halo_) != HLC_ERR_STATE || !halo_) return "finalise in flight was not refused";
    for (std::size_t arena = 0; arena < shared_.size(); ++arena) {
      if (own(arena)) continue;
      if (hlc_field_free(stage_.context, &shared_[arena]) != HLC_ERR_STATE || !shared_[arena]) return "a field in use was released";
    }
    return {};
  }

  hlc_status release() override {
    const hlc_status finalised = hlc_halo_finalise(&halo_);
    if (finalised != HLC_OK) return finalised;
    for (void *&memory : shared_)
      if (const hlc_status freed = memory ? hlc_field_free(stage_.context, &memory) : HLC_OK; freed != HLC_OK) return freed;
    return HLC_OK;
  }

 private:
  /// "memory" has a bit for each arena and rank: 1 for the own heap, 0 for memory that the node's ranks share.
  bool own(std::size_t arena) const {
    return text_.at("memory").get<std::uint64_t>() >> ((arena * 8 + static_cast<std::size_t>(stage_.rank)) % 32) & 1;
  }
  std::byte *data(std::size_t arena) { return own(arena) ? heap_[arena].data() : static_cast<std::byte *>(shared_[arena]); }

  /// hlc_field_alloc is collective: a rank that wants its own memory takes part with no bytes.
  void allocate() {
    bytes_ = arena_bytes(case_, stage_.rank);
    shared_.resize(bytes_.size());
    heap_.resize(bytes_.size());
    for (std::size_t arena = 0; arena < bytes_.size(); ++arena) {
      if (hlc_field_alloc(stage_.context, own(arena) ? 0 : bytes_[arena], &shared_[arena]) != HLC_OK)
        throw std::runtime_error(std::string("hlc_field_alloc: ") + hlc_error_message());
      if (own(arena)) heap_[arena].resize(bytes_[arena]);
    }
  }

  void describe() {
    owned_.grid = case_.decomposition.grid_of(stage_.rank);
    for (const FieldShape &shape : case_.field_shapes(case_, stage_.rank)) {
      hlc_field field{};
      field.data = data(static_cast<std::size_t>(shape.arena)) + shape.offset;
      field.type = shape.type;
      field.element_bytes = shape.type == HLC_OPAQUE || owned_.fields.size() % 2 ? shape.element_bytes : 0;
      if (!shape.default_strides) std::copy(shape.stride.begin(), shape.stride.end(), field.stride_bytes);
      owned_.fields.push_back(field);
    }
    owned_.table = neighbour_table(case_, stage_.rank);
    hlc_halo_spec &spec = owned_.spec;
    spec.grid = &owned_.grid;
    std::copy(case_.depth_low.begin(), case_.depth_low.end(), spec.depth_low);
    std::copy(case_.depth_high.begin(), case_.depth_high.end(), spec.depth_high);
    spec.stencil = case_.stencil;
    spec.layout = case_.layout;
    spec.nfields = case_.nfields;
    spec.fields = owned_.fields.data();
    spec.neighbours = case_.explicit_table ? owned_.table.data() : nullptr;
    spec.mode = static_cast<hlc_mode>(text_.at("mode").get<int>());
    spec.epoch = static_cast<hlc_epoch>(text_.at("epoch").get<int>());
    spec.drive = static_cast<hlc_drive>(text_.at("drive").get<int>());
    owned_.fills = case_.fills;
    spec.fills = owned_.fills.empty() ? nullptr : owned_.fills.data();
  }

  Image expectation() const {
    if (swap_->what.reverse && !refused_) return after_reverse(case_, stage_.rank, step_, swap_->what);
    Image expected = before(case_, stage_.rank, step_);
    if (!refused_) deliver(case_, stage_.rank, step_, swap_->what, expected);
    return expected;
  }

  void write(const Image &image) {
    for (std::size_t arena = 0; arena < image.size(); ++arena) std::copy(image[arena].begin(), image[arena].end(), data(arena));
  }

  Image read() {
    Image image;
    for (std::size_t arena = 0; arena < bytes_.size(); ++arena) image.emplace_back(data(arena), data(arena) + bytes_[arena]);
    return image;
  }

  Stage stage_;
  Json text_;
  Case case_;
  std::vector<std::size_t> bytes_;
  std::vector<void *> shared_;  // per arena: from hlc_field_alloc
  Image heap_;                  // per arena: the own memory, empty where it is shared
  OwnedSpec owned_;
  hlc_halo *halo_ = nullptr;
  std::optional<Swap> swap_;
  bool refused_ = false;
  int step_ = 0;
};

}  // namespace

std::unique_ptr<Player> make_halo_player(const Stage &stage, const Json &halo) { return std::make_unique<HaloPlayer>(stage, halo); }

}  // namespace halocline::test
