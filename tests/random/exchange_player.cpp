// An exchange of a scenario: a list of neighbours made from links, self-describing bytes, and calls of unpack that are counted.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "random/player.hpp"
#include "support/links.hpp"

namespace halocline::test {
namespace {

std::vector<Link> read_links(const Json &text) {
  std::vector<Link> links;
  for (const std::vector<std::int64_t> link : text.at("links"))
    links.push_back({static_cast<int>(link[0]), static_cast<int>(link[1]), static_cast<int>(links.size()), link[3], link[4]});
  return links;
}

class ExchangePlayer final : public Player {
 public:
  ExchangePlayer(const Stage &stage, const Json &text) : stage_(stage), text_(text), entries_(entries_of(stage.rank, read_links(text))) {}

  hlc_status plan(const Json &wrong) override {
    std::vector<Entry> entries = entries_;
    hlc_exchange_spec spec{};
    spec.pack = [](int neighbour, void *buffer, void *user) { static_cast<ExchangePlayer *>(user)->pack(neighbour, buffer); };
    spec.unpack = [](int neighbour, const void *buffer, void *user) { static_cast<ExchangePlayer *>(user)->unpack(neighbour, buffer); };
    const bool mine = !wrong.is_null() && wrong.at("rank") == stage_.rank;
    if (mine) spoil(entries, spec, wrong);
    std::vector<hlc_neighbour> neighbours;
    for (const Entry &entry : entries) neighbours.push_back(entry.neighbour);
    spec.nneighbours = static_cast<int>(neighbours.size());
    spec.neighbours = neighbours.data();
    spec.user = this;
    spec.mode = static_cast<hlc_mode>(text_.at("mode").get<int>());
    spec.epoch = static_cast<hlc_epoch>(text_.at("epoch").get<int>());
    spec.drive = static_cast<hlc_drive>(text_.at("drive").get<int>());
    return hlc_exchange_create(stage_.context, &spec, &exchange_);
  }

  void prepare(int step, const Json &) override {
    step_ = step;
    complaint_.clear();
    unpacked_.assign(entries_.size(), 0);
  }

  hlc_status start() override { return hlc_exchange_start(exchange_); }
  hlc_status test() override { return hlc_exchange_test(exchange_); }
  hlc_status finish() override { return hlc_exchange_finish(exchange_); }

  std::string complaint() override {
    for (std::size_t i = 0; i < entries_.size() && complaint_.empty(); ++i)
      if (unpacked_[i] != (entries_[i].neighbour.bytes_in > 0 ? 1 : 0))
        complaint_ = "unpack was called " + std::to_string(unpacked_[i]) + " times for " + named(i);
    return complaint_;
  }

  std::string misuse(bool in_flight) override {
    if (in_flight) {
      if (hlc_exchange_start(exchange_) != HLC_ERR_STATE) return "a second start was not refused";
      return hlc_exchange_destroy(&exchange_) == HLC_ERR_STATE && exchange_ ? "" : "destroy in flight was not refused";
    }
    if (hlc_exchange_finish(exchange_) != HLC_ERR_STATE) return "finish without a start was not refused";
    return hlc_exchange_test(exchange_) == HLC_ERR_STATE ? "" : "test without a start was not refused";
  }

  hlc_status release() override { return hlc_exchange_destroy(&exchange_); }

 private:
  std::string named(std::size_t i) const {
    const hlc_neighbour &n = entries_[i].neighbour;
    return "link " + std::to_string(entries_[i].link) + " with rank " + std::to_string(n.rank) + ", tag_out " + std::to_string(n.tag_out);
  }

  /// Makes one entry wrong: that of a link of the scenario.
  static void spoil(std::vector<Entry> &entries, hlc_exchange_spec &spec, const Json &wrong) {
    const std::string name = wrong.at("name");
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const Entry &e) { return e.link == wrong.at("link"); });
    const auto value = wrong.at("value").get<std::int64_t>();
    if (name == "rank") entry->neighbour.rank = static_cast<int>(value);
    if (name == "tag") entry->neighbour.tag_out = static_cast<int>(value);
    if (name == "bytes_out") entry->neighbour.bytes_out = value;
    if (name == "more_out") entry->neighbour.bytes_out += value;
    if (name == "more_in") entry->neighbour.bytes_in += value;
    if (name == "drop") entries.erase(entry);
    if (name == "pack") spec.pack = nullptr;
    if (name == "unpack") spec.unpack = nullptr;
  }

  void pack(int neighbour, void *buffer) {
    const Entry &entry = entries_[static_cast<std::size_t>(neighbour)];
    for (std::int64_t b = 0; b < entry.neighbour.bytes_out; ++b)
      static_cast<std::byte *>(buffer)[b] = link_byte(stage_.rank, entry.link, b, step_);
  }

  void unpack(int neighbour, const void *buffer) {
    const auto i = static_cast<std::size_t>(neighbour);
    const Entry &entry = entries_[i];
    unpacked_[i] += 1;
    for (std::int64_t b = 0; b < entry.neighbour.bytes_in && complaint_.empty(); ++b)
      if (static_cast<const std::byte *>(buffer)[b] != link_byte(entry.neighbour.rank, entry.link, b, step_))
        complaint_ = "byte " + std::to_string(b) + " of " + named(i) + " is wrong in step " + std::to_string(step_);
  }

  Stage stage_;
  Json text_;
  std::vector<Entry> entries_;
  std::vector<int> unpacked_;  // calls of unpack in the running step, per entry
  std::string complaint_;
  hlc_exchange *exchange_ = nullptr;
  int step_ = 0;
};

}  // namespace

std::unique_ptr<Player> make_exchange_player(const Stage &stage, const Json &exchange) {
  return std::make_unique<ExchangePlayer>(stage, exchange);
}

}  // namespace halocline::test
