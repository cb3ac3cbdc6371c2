// A halo of a scenario: its memory, one or several sets of arrays, and its swaps. All of its memory is compared with the oracle's, also
// padding and the sets that a swap does not use.
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
  HaloPlayer(const Stage &stage, const Json &text) : stage_(stage), text_(text), case_(read_case(text)), sets_(text.value("sets", 1)) {
    allocate();
  }

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
    const Image image = untouched();
    for (int set = 0; set < sets_; ++set) write(set, image);
  }

  hlc_status start() override {
    return swap_->with.empty() ? hlc_halo_start(halo_, &swap_->what) : hlc_halo_start_with(halo_, &swap_->what, brought().data());
  }
  hlc_status test() override { return hlc_halo_test(halo_); }
  hlc_status finish() override { return hlc_halo_finish(halo_); }
  bool refused() const override { return refused_; }

  std::string complaint() override {
    for (int set = 0; set < sets_; ++set) {
      const Image found = read(set), expected = expectation(set);
      if (found == expected) continue;
      const std::string where = set > 0 ? "in set " + std::to_string(set) + " of arrays:\n" : "";
      return where + (swap_->what.reverse ? "after a reverse swap:\n" : "") + difference(case_, stage_.rank, step_, expected, found);
    }
    return {};
  }

  std::string misuse(bool in_flight) override {
    if (!in_flight) {
      if (hlc_halo_finish(halo_) != HLC_ERR_STATE) return "finish without a start was not refused";
      return hlc_halo_test(halo_) == HLC_ERR_STATE ? "" : "test without a start was not refused";
    }
    if (start() != HLC_ERR_STATE) return "a second start was not refused";
    if (hlc_halo_finalise(&halo_) != HLC_ERR_STATE || !halo_) return "finalise in flight was not refused";
    // Other arrays that a swap uses need not be held; those of the spec are.
    for (std::size_t arena = 0; arena < bytes_.size(); ++arena) {
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
  /// "memory" has a bit for each arena and rank: 1 for the own heap, 0 for memory that the node's ranks share. It is the same for all sets.
  bool own(std::size_t arena) const {
    return text_.at("memory").get<std::uint64_t>() >> ((arena * 8 + static_cast<std::size_t>(stage_.rank)) % 32) & 1;
  }
  std::size_t place(int set, std::size_t arena) const { return static_cast<std::size_t>(set) * bytes_.size() + arena; }
  std::byte *data(int set, std::size_t arena) {
    return own(arena) ? heap_[place(set, arena)].data() : static_cast<std::byte *>(shared_[place(set, arena)]);
  }

  /// hlc_field_alloc is collective: a rank that wants its own memory takes part with no bytes.
  void allocate() {
    bytes_ = arena_bytes(case_, stage_.rank);
    shared_.resize(static_cast<std::size_t>(sets_) * bytes_.size());
    heap_.resize(shared_.size());
    for (std::size_t i = 0; i < shared_.size(); ++i) {
      const std::size_t arena = i % bytes_.size();
      if (hlc_field_alloc(stage_.context, own(arena) ? 0 : bytes_[arena], &shared_[i]) != HLC_OK)
        throw std::runtime_error(std::string("hlc_field_alloc: ") + hlc_error_message());
      if (own(arena)) heap_[i].resize(bytes_[arena]);
    }
  }

  /// The addresses of the fields in the sets that the swap uses.
  std::vector<void *> brought() {
    std::vector<void *> all;
    for (const FieldShape &shape : case_.field_shapes(case_, stage_.rank)) {
      const int set = swap_->with.at(all.size());
      all.push_back(set < 0 ? nullptr : data(set, static_cast<std::size_t>(shape.arena)) + shape.offset);
    }
    return all;
  }

  void describe() {
    owned_.grid = case_.decomposition.grid_of(stage_.rank);
    for (const FieldShape &shape : case_.field_shapes(case_, stage_.rank)) {
      hlc_field field{};
      field.data = data(0, static_cast<std::size_t>(shape.arena)) + shape.offset;
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
    spec.rebind = sets_ > 1;
    spec.staged = text_.value("staged", 0);
    owned_.fills = case_.fills;
    spec.fills = owned_.fills.empty() ? nullptr : owned_.fills.data();
    owned_.shapes = case_.shapes;
    spec.shapes = owned_.shapes.empty() ? nullptr : owned_.shapes.data();
  }

  /// Memory as it is when the swap starts.
  Image untouched() const {
    const bool reverse = swap_->what.reverse && !refused_;
    return reverse ? before_reverse(case_, stage_.rank, step_) : before(case_, stage_.rank, step_);
  }

  /// A swap moves those fields of a set that it takes from there.
  Image expectation(int set) const {
    const std::vector<int> fields = refused_ ? std::vector<int>() : swap_->fields_of(set, case_.nfields);
    if (fields.empty()) return untouched();
    hlc_swap what = swap_->what;
    what.nfields = static_cast<int>(fields.size());
    what.fields = fields.data();
    if (what.reverse) return after_reverse(case_, stage_.rank, step_, what);
    Image expected = untouched();
    deliver(case_, stage_.rank, step_, what, expected);
    return expected;
  }

  void write(int set, const Image &image) {
    for (std::size_t arena = 0; arena < image.size(); ++arena) std::copy(image[arena].begin(), image[arena].end(), data(set, arena));
  }

  Image read(int set) {
    Image image;
    for (std::size_t arena = 0; arena < bytes_.size(); ++arena) image.emplace_back(data(set, arena), data(set, arena) + bytes_[arena]);
    return image;
  }

  Stage stage_;
  Json text_;
  Case case_;
  int sets_;
  std::vector<std::size_t> bytes_;  // per arena
  std::vector<void *> shared_;  // per set and arena: from hlc_field_alloc
  Image heap_;  // per set and arena: the own memory, empty where it is shared
  OwnedSpec owned_;
  hlc_halo *halo_ = nullptr;
  std::optional<Swap> swap_;
  bool refused_ = false;
  int step_ = 0;
};

}  // namespace

std::unique_ptr<Player> make_halo_player(const Stage &stage, const Json &halo) { return std::make_unique<HaloPlayer>(stage, halo); }

}  // namespace halocline::test
