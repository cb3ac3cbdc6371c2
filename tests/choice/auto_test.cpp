// Mode auto: what it chooses from, that all ranks choose the same, that every swap is right, and what it says about it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <set>
#include <thread>

#include "choice/ring.hpp"

namespace halocline::test {
namespace {

constexpr int kTrial = 80;   // swaps in which a trial is over
constexpr int kLater = 150;  // further swaps in which the two best have been compared once more

/// A card in which a swap takes so many microseconds for any number of bytes, on one node and on several.
std::string card_of(const std::map<std::string, double> &us) {
  std::string curves;
  for (const auto &[mode, cost] : us)
    for (const int nodes : {1, 2})
      curves += (curves.empty() ? "" : ", ") + std::string(R"({"operation": "halo", "by": ")") + mode + R"(", "nodes": )" +
                std::to_string(nodes) + R"(, "terms": [{"quantity": "latency", "us": )" + std::to_string(cost) + "}]}";
  return R"({"schema": "halocline-card/1", "curves": [)" + curves + "]}";
}

/// Odd ranks expect much of notify, even ones of direct; only p2p is bearable for all.
std::string contrary_card() {
  return rank() % 2 ? card_of({{"p2p", 3}, {"notify", 1}, {"direct", 200}}) : card_of({{"p2p", 3}, {"notify", 200}, {"direct", 1}});
}

/// A report of halocline-doctor on the MPI that runs.
std::string report_of(const std::map<std::string, std::string> &verdicts) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  std::string mpi, modes;
  for (const char *c = version; *c; ++c) mpi += *c == '\n' ? "\\n" : *c == '\t' ? "\\t" : *c == '"' ? "\\\"" : std::string(1, *c);
  for (const auto &[mode, verdict] : verdicts)
    modes += (modes.empty() ? "" : ", ") + ("\"" + mode) + R"(": {"verdict": ")" + verdict + R"(", "reason": "for the test"})";
  return R"({"doctor": 1, "mpi": ")" + mpi + R"(", "modes": {)" + modes + "}}";
}

bool same_on_all(int number) {
  int both[] = {number, -number};
  MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return both[0] == -both[1];
}

TEST(Auto, finds_a_winner_and_every_swap_on_the_way_is_right) {
  const Variables default_card{{"HALOCLINE_CARD", "default"}, {"HALOCLINE_DOCTOR", "none"}};
  const Ring ring;
  if (!ring.ready()) return;
  for (int step = 1; step <= kTrial; ++step) {
    ring.swap(step);
    EXPECT_TRUE(same_on_all(ring.mode())) << "step " << step;
  }
  EXPECT_FALSE(ring.says("\"under_way\": true")) << ring.explain();
  EXPECT_TRUE(ring.says("\"card\": \"default card")) << ring.explain();
  EXPECT_TRUE(size() == 1 || ring.says("\"measured_us\"")) << ring.explain();
  EXPECT_TRUE(ring.is_left_out("pscw", "not examined")) << "nobody has examined this MPI: " << ring.explain();
}

/// The number behind a word of the explanation, -1 without it.
int number_of(const Ring &ring, const std::string &word) {
  const std::string text = ring.explain();
  const auto at = text.find("\"" + word + "\": ");
  return at == std::string::npos ? -1 : std::stoi(text.substr(at + word.size() + 4));
}

TEST(Auto, compares_the_two_best_once_more) {
  if (size() == 1) GTEST_SKIP() << "with one rank there is nothing to choose";
  const Variables small{{"HALOCLINE_CARD", "default"}, {"HALOCLINE_AUTO_MODES", "direct,notify,p2p"}};
  const Ring ring;
  if (!ring.ready()) return;
  int step = 1;
  for (; step <= kTrial; ++step) ring.swap(step);
  ASSERT_FALSE(ring.says("\"under_way\": true")) << ring.explain();
  const int tried = number_of(ring, "swaps");
  for (; step <= kTrial + kLater; ++step) {
    ring.swap(step);
    EXPECT_TRUE(same_on_all(ring.mode())) << "step " << step;
  }
  EXPECT_FALSE(ring.says("\"under_way\": true")) << ring.explain();
  // Nine swaps of each, and those of the agreement.
  EXPECT_EQ(number_of(ring, "swaps"), tried + 2 * 9 + 6) << ring.explain();
  EXPECT_EQ(number_of(ring, "trials"), 1) << ring.explain();
}

TEST(Auto, does_not_believe_a_curve_far_beyond_its_bytes) {
  if (size() < 2) GTEST_SKIP() << "one rank has nothing to choose";
  const std::string curve = R"(, "nodes": 1, "terms": [{"quantity": "latency", "us": 1}]})";
  const RankFile card("card", R"({"schema": "halocline-card/1", "curves": [{"operation": "halo", "by": "p2p", "most_bytes": 1)" + curve +
                                  R"(, {"operation": "halo", "by": "notify", "most_bytes": 1000000)" + curve + "]}");
  const Variables mine{{"HALOCLINE_CARD", card.path()}, {"HALOCLINE_DOCTOR", "none"}, {"HALOCLINE_FAKE_NODES", ""}};
  const Ring ring;
  if (!ring.ready()) return;
  EXPECT_TRUE(ring.about("p2p").find("\"predicted_us\"") == std::string::npos) << "a swap is more than 8 B: " << ring.explain();
  EXPECT_TRUE(ring.about("notify").find("\"predicted_us\"") != std::string::npos) << ring.explain();
}

TEST(Auto, says_what_neighbours_on_other_nodes_add_to_a_prediction) {
  // A far message takes 10 us, and a far byte 0.5 us. Each rank gets from both sides one cell of each field.
  const RankFile card("card", R"({"schema": "halocline-card/1", "curves": [{"operation": "halo", "by": "p2p", "nodes": 2, "terms": [
    {"quantity": "latency", "us": 100}, {"quantity": "far_messages", "us": 10}, {"quantity": "far_bytes", "us": 0.5}]}]})");
  const Variables mine{{"HALOCLINE_CARD", card.path()}, {"HALOCLINE_DOCTOR", "none"}, {"HALOCLINE_FAKE_NODES", "2"}};
  const Ring ring;
  if (!ring.ready()) return;
  hlc_context_info_t info{};
  ASSERT_TRUE(ok(hlc_context_info(ring.context(), &info)));
  std::vector<int> nodes(static_cast<std::size_t>(size()));
  MPI_Allgather(&info.node, 1, MPI_INT, nodes.data(), 1, MPI_INT, MPI_COMM_WORLD);
  int far = 0, most_far = 0;
  for (const int other : {Ring::below(), Ring::above()}) far += nodes[static_cast<std::size_t>(other)] != info.node;
  MPI_Allreduce(&far, &most_far, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  const int far_us = 10 + Ring::kFields * 4;
  // The cost is the worst of all ranks, the part of other nodes this rank's own.
  const std::string about = ring.about("p2p"), added = "\"predicted_for_other_nodes_us\": ";
  if (size() > 1 && info.nodes > 1) {
    EXPECT_NE(about.find("\"predicted_us\": " + std::to_string(100 + most_far * far_us) + ","), std::string::npos) << ring.explain();
  }
  EXPECT_EQ(about.find(added + std::to_string(far * far_us)) != std::string::npos, far > 0) << ring.explain();
}

TEST(Auto, is_the_default) {
  const Ring ring(HLC_MODE_DEFAULT);
  if (!ring.ready()) return;
  EXPECT_TRUE(ring.says("\"asked\": \"auto\"")) << ring.explain();
}

TEST(Auto, ranks_with_different_cards_try_the_same_modes) {
  const RankFile card("card", contrary_card());
  const Variables mine{{"HALOCLINE_CARD", card.path()}, {"HALOCLINE_DOCTOR", "none"}};
  const Ring ring;
  if (!ring.ready()) return;
  for (int step = 1; step <= kTrial; ++step) {
    ring.swap(step);
    EXPECT_TRUE(same_on_all(ring.mode())) << "step " << step;
  }
  // The worst prediction of all ranks counts. Modes without a curve may be tried besides p2p, and may win.
  if (size() > 1) {
    EXPECT_TRUE(ring.is_left_out("direct", "slow")) << ring.explain();
    EXPECT_TRUE(ring.is_left_out("notify", "slow")) << ring.explain();
  }
}

TEST(Auto, ranks_with_different_cards_take_the_mode_that_is_good_enough_for_all) {
  const RankFile card("card", contrary_card());
  const Variables mine{{"HALOCLINE_CARD", card.path()}, {"HALOCLINE_DOCTOR", "none"}, {"HALOCLINE_AUTO_MODES", "direct,notify,p2p"}};
  const Ring ring;
  if (!ring.ready()) return;
  ring.swap(1);
  if (size() > 1) {
    EXPECT_EQ(ring.mode(), HLC_MODE_P2P) << ring.explain();
  }
}

/// Where modes that call no MPI seem slower than others, the curves may be wrong.
TEST(Auto, tries_modes_without_mpi_unless_they_are_slow) {
  for (const double direct : {29.0, 31.0}) {
    const RankFile card("card", card_of({{"p2p", 10}, {"neighbor", 11}, {"notify_node", 12}, {"notify", 28}, {"direct", direct}}));
    const Variables mine{{"HALOCLINE_CARD", card.path()}, {"HALOCLINE_DOCTOR", "none"}};
    const Ring ring;
    if (!ring.ready()) return;
    const bool one_node = ring.is_left_out("notify_node", "same"), slow = direct > 30;
    std::set<hlc_mode> tried;
    for (int step = 1; step <= kTrial; ++step) {
      ring.swap(step);
      tried.insert(ring.mode());
    }
    if (size() == 1) continue;
    EXPECT_EQ(tried.count(HLC_MODE_P2P), 1) << ring.explain();
    EXPECT_EQ(tried.count(HLC_MODE_DIRECT), slow ? 0 : 1) << ring.explain();
    EXPECT_EQ(tried.count(HLC_MODE_NOTIFY), one_node ? 1 : 0) << ring.explain();
    EXPECT_EQ(tried.count(HLC_MODE_NEIGHBOR), one_node && !slow ? 0 : 1) << ring.explain();
    EXPECT_EQ(ring.is_left_out("direct", "slow"), slow) << ring.explain();
    EXPECT_EQ(ring.says("replaced by direct, which moves data on a node without MPI"), !slow) << ring.explain();
  }
}

TEST(Auto, a_corrupt_or_missing_card_on_one_rank_is_replaced_by_the_default) {
  for (const bool is_there : {true, false}) {
    const RankFile card("card", rank() == 0 ? "{ \"schema\": " : card_of({{"p2p", 1}, {"direct", 1}}));
    if (!is_there && rank() == 0) card.remove();
    const Variables mine{{"HALOCLINE_CARD", card.path()}, {"HALOCLINE_QUIET", "1"}};
    const Ring ring;
    if (!ring.ready()) return;
    for (int step = 1; step <= kTrial; ++step) ring.swap(step);
    if (rank() == 0) {
      EXPECT_TRUE(ring.says("\"card\": \"default card: " + card.path() + " cannot be used: ")) << ring.explain();
    }
    EXPECT_TRUE(same_on_all(ring.mode()));
  }
}

TEST(Auto, one_rank_of_a_node_says_that_a_card_and_a_report_cannot_be_used) {
  // These reports are written once per process, so this test alone may provoke them.
  const Variables missing{{"HALOCLINE_CARD", "/no/such/card.json"}, {"HALOCLINE_DOCTOR", "/no/such/report.json"}};
  hlc_context_info_t info{};
  testing::internal::CaptureStderr();
  {
    const Ring ring;
    if (ring.ready()) ring.swap(1);
    EXPECT_TRUE(ok(hlc_context_info(ring.context(), &info)));
  }
  const std::string said = testing::internal::GetCapturedStderr();
  for (const char *file : {"/no/such/card.json", "/no/such/report.json"})
    EXPECT_EQ(said.find(file) != std::string::npos, info.node_rank == 0) << file << ": " << said;
}

TEST(Auto, of_one_permitted_mode_is_that_mode) {
  for (const hlc_mode mode : {HLC_MODE_P2P, HLC_MODE_NEIGHBOR, HLC_MODE_FENCE, HLC_MODE_PSCW, HLC_MODE_PASSIVE, HLC_MODE_PASSIVE_NAIVE,
                              HLC_MODE_NOTIFY, HLC_MODE_DIRECT, HLC_MODE_NOTIFY_NODE}) {
    const Variables one{{"HALOCLINE_AUTO_MODES", hlc_mode_name(mode)}};
    const Ring ring;
    if (!ring.ready()) return;
    for (int step = 1; step <= 3; ++step) ring.swap(step);
    EXPECT_EQ(ring.mode(), mode);
    EXPECT_FALSE(ring.says("\"trial\"")) << ring.explain();
    EXPECT_TRUE(ring.is_left_out(mode == HLC_MODE_P2P ? "direct" : "p2p", "not listed")) << ring.explain();
  }
}

TEST(Auto, a_list_that_cannot_be_read_is_refused) {
  for (const char *list : {"p2p,drect", "auto"}) {
    const Variables wrong{{"HALOCLINE_AUTO_MODES", list}};
    const Ring ring;
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, ring.status()));
    EXPECT_NE(ring.message().find("HALOCLINE_AUTO_MODES"), std::string::npos) << ring.message();
  }
}

TEST(Auto, what_the_doctor_of_one_rank_found_wrong_is_used_by_none) {
  const bool last = rank() == size() - 1;
  const RankFile report(
      "report",
      report_of(
          {{"direct", "right"}, {"notify", last ? "wrong" : "right"}, {"notify_node", "right"}, {"p2p", "hangs"}, {"pscw", "right"}}));
  const RankFile card("card", card_of({{"p2p", 1}, {"notify", 1}, {"direct", 2}, {"notify_node", 2}, {"pscw", 2}}));
  const Variables mine{{"HALOCLINE_DOCTOR", report.path()}, {"HALOCLINE_CARD", card.path()}};
  const Ring ring;
  if (!ring.ready()) return;
  for (int step = 1; step <= kTrial; ++step) {
    ring.swap(step);
    EXPECT_TRUE(ring.mode() != HLC_MODE_NOTIFY && ring.mode() != HLC_MODE_P2P) << hlc_mode_name(ring.mode());
  }
  EXPECT_TRUE(ring.is_left_out("notify", "wrong")) << ring.explain();
  EXPECT_TRUE(ring.about("p2p").find("hangs: for the test") != std::string::npos) << ring.explain();
  EXPECT_FALSE(ring.is_left_out("pscw", "not examined")) << "it was found right: " << ring.explain();
}

TEST(Auto, a_program_may_test_until_the_data_are_there) {
  const RankFile report("report", report_of({{"fence", "right"}, {"passive_naive", "right"}}));
  const RankFile card("card", card_of({{"fence", 1}, {"passive_naive", 1}, {"p2p", 2}, {"direct", 2}, {"notify", 2}, {"notify_node", 2}}));
  const Variables mine{{"HALOCLINE_DOCTOR", report.path()}, {"HALOCLINE_CARD", card.path()}};
  const Ring ring;
  if (!ring.ready()) return;
  for (int step = 1; step <= kTrial; ++step) {
    ring.fill(step);
    EXPECT_TRUE(ok(hlc_halo_start(ring.halo(), nullptr)));
    hlc_status status = HLC_AGAIN;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while ((status = hlc_halo_test(ring.halo())) == HLC_AGAIN && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_TRUE(ok(status)) << hlc_mode_name(ring.mode());
    EXPECT_TRUE(ok(hlc_halo_finish(ring.halo())));
    EXPECT_EQ(ring.wrong(step), 0);
  }
  EXPECT_TRUE(ring.is_left_out("fence", "not testable")) << ring.explain();
  EXPECT_TRUE(ring.is_left_out("passive_naive", "not testable")) << ring.explain();
}

TEST(Auto, leaves_out_stages_that_a_test_cannot_start) {
  const RankFile report("report", report_of({{"pscw", "right"}}));
  const Variables mine{{"HALOCLINE_DOCTOR", report.path()}, {"HALOCLINE_EPOCH", "late"}};
  for (const bool staged : {false, true}) {
    const Ring ring(HLC_MODE_AUTO, staged);
    if (!ring.ready()) return;
    EXPECT_EQ(ring.is_left_out("pscw", "not testable"), staged) << ring.explain();
  }
  const Variables early{{"HALOCLINE_EPOCH", "early"}};
  const Ring ring(HLC_MODE_AUTO, true);
  if (!ring.ready()) return;
  EXPECT_FALSE(ring.is_left_out("pscw", "not testable")) << ring.explain();
}

TEST(Auto, modes_that_cannot_be_tested_can_be_listed) {
  const Variables mine{{"HALOCLINE_DOCTOR", "none"}, {"HALOCLINE_AUTO_MODES", "fence"}};
  const Ring ring;
  if (!ring.ready()) return;
  ring.swap(1);
  EXPECT_EQ(ring.mode(), HLC_MODE_FENCE) << ring.explain();
}

TEST(Auto, without_a_mode_that_may_be_used_is_refused) {
  const RankFile report("report", report_of({{"notify", "wrong"}}));
  const Variables mine{{"HALOCLINE_DOCTOR", report.path()}, {"HALOCLINE_AUTO_MODES", "notify"}};
  const Ring ring;
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, ring.status()));
  EXPECT_NE(ring.message().find("no usable mode for auto"), std::string::npos) << ring.message();
}

TEST(Auto, tries_again_when_swaps_take_longer_than_they_did) {
  if (size() == 1) GTEST_SKIP() << "one rank waits for no other";
  const Variables short_period{
      {"HALOCLINE_AUTO_PERIOD", "4"}, {"HALOCLINE_CARD", "default"}, {"HALOCLINE_AUTO_MODES", "direct,notify,p2p"}};
  const Ring ring;
  if (!ring.ready()) return;
  int step = 1;
  for (; step <= 4 * kTrial; ++step) ring.swap(step);
  const bool late = rank() == 0;
  for (; step <= 20 * kTrial && !ring.says("\"trials\": 2"); ++step) {
    ring.fill(step);
    if (late) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the others wait for it inside the library
    EXPECT_TRUE(ok(hlc_halo_start(ring.halo(), nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(ring.halo())));
    EXPECT_EQ(ring.wrong(step), 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  EXPECT_FALSE(ring.says("\"trials\": 1,")) << ring.explain();
  for (const int end = step + kTrial; step < end; ++step) ring.swap(step);
  EXPECT_TRUE(same_on_all(ring.mode()));
}

/// The values that views show at both ends.
void expect_views(const Ring &ring, int step) {
  for (int f = 0; f < Ring::kFields; ++f) {
    hlc_view views[HLC_DIRECTIONS(1)];
    ASSERT_TRUE(ok(hlc_halo_views(ring.halo(), f, views)));
    EXPECT_EQ(*static_cast<const double *>(views[0].data), Ring::value(Ring::below(), f, Ring::kCells, step)) << "step " << step;
    EXPECT_EQ(*static_cast<const double *>(views[2].data), Ring::value(Ring::above(), f, 1, step)) << "step " << step;
  }
}

TEST(Auto, shows_views_to_programs_that_finish_by_views) {
  const Ring ring;
  if (!ring.ready()) return;
  for (int step = 1; step <= kTrial; ++step) {
    ring.fill(step);
    EXPECT_TRUE(ok(hlc_halo_start(ring.halo(), nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish_views(ring.halo())));
    expect_views(ring, step);
    EXPECT_TRUE(ok(hlc_halo_release(ring.halo())));
  }
  if (size() > 1) {
    EXPECT_EQ(ring.mode(), HLC_MODE_VIEW) << ring.explain();
  }
  if (size() > 1) {
    EXPECT_TRUE(ring.says("copy nothing")) << ring.explain();
  }
  ring.swap(kTrial + 1);
}

TEST(Auto, ranks_with_different_reports_choose_alike) {
  const bool odd = rank() % 2 != 0;
  const RankFile report("report", report_of({{odd ? "notify" : "fence", "wrong"}}));
  const Variables mine{{"HALOCLINE_CARD", "default"},
                       {"HALOCLINE_DOCTOR", report.path()},
                       {"HALOCLINE_AUTO_PERIOD", "4"},
                       {"HALOCLINE_AUTO_MODES", "view,notify,fence,p2p"}};
  const Ring ring;
  if (!ring.ready()) return;
  for (int step = 1; step <= 3 * kTrial; ++step) {
    ring.fill(step);
    EXPECT_TRUE(ok(hlc_halo_start(ring.halo(), nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish_views(ring.halo())));
    expect_views(ring, step);
    EXPECT_TRUE(ok(hlc_halo_release(ring.halo())));
    EXPECT_TRUE(same_on_all(ring.mode())) << "step " << step;
  }
  if (size() > 1) {
    EXPECT_TRUE(ring.mode() != HLC_MODE_NOTIFY && ring.mode() != HLC_MODE_FENCE) << "wrong on some ranks: " << ring.explain();
  }
}

TEST(Auto, compares_like_swaps_with_each_other) {
  const Ring ring;
  if (!ring.ready()) return;
  const int one = 1;
  hlc_swap part{}, reverse{};
  part.nfields = 1, part.fields = &one, reverse.reverse = 1;
  for (int step = 1; step <= 3 * kTrial; ++step) {
    ring.swap(step);
    ring.fill(step);
    EXPECT_TRUE(ok(hlc_halo_start(ring.halo(), step % 2 ? &part : &reverse)));
    EXPECT_TRUE(ok(hlc_halo_finish(ring.halo())));
    EXPECT_TRUE(same_on_all(ring.mode()));
  }
  EXPECT_FALSE(ring.says("\"under_way\": true")) << ring.explain();
}

TEST(Auto, ends_its_trial_where_all_swaps_are_in_reverse) {
  const Ring ring;
  if (!ring.ready()) return;
  hlc_swap reverse{};
  reverse.reverse = 1;
  for (int step = 1; step <= kTrial; ++step) {
    // Each side's halo cell is added to the owner's cell, and then 0.
    for (int f = 0; f < Ring::kFields; ++f)
      for (int i = 0; i < Ring::kCells + 2; ++i) ring.cells(f)[i] = i == 0 ? 2 : i == Ring::kCells + 1 ? 3 : 10 * step;
    EXPECT_TRUE(ok(hlc_halo_start(ring.halo(), &reverse)));
    EXPECT_TRUE(ok(hlc_halo_finish(ring.halo())));
    for (int f = 0; f < Ring::kFields; ++f) {
      EXPECT_EQ(ring.cells(f)[1], 10 * step + 3) << "step " << step;
      EXPECT_EQ(ring.cells(f)[Ring::kCells], 10 * step + 2) << "step " << step;
      EXPECT_EQ(ring.cells(f)[0], 0);
    }
    EXPECT_TRUE(same_on_all(ring.mode()));
  }
  EXPECT_FALSE(ring.says("\"under_way\": true")) << ring.explain();
}

/// Ranks in rows, which swap along the rows alone: one row may end before another begins.
TEST(Auto, does_not_make_groups_of_ranks_wait_for_each_other) {
  if (size() < 4 || size() % 2) GTEST_SKIP() << "two rows of two ranks at least";
  hlc_context *context = nullptr;
  hlc_grid grid{};
  const std::int64_t global[] = {4 * size() / 2, 8};
  const int dims[] = {size() / 2, 2}, periodic[] = {1, 1};
  ASSERT_TRUE(ok(hlc_init(MPI_COMM_WORLD, &context)));
  ASSERT_TRUE(ok(hlc_grid_create(context, 2, global, dims, periodic, &grid)));
  std::vector<double> cells(6 * 4);
  hlc_field field{};
  field.data = cells.data(), field.type = HLC_FLOAT64;
  hlc_halo_spec spec{};
  spec.grid = &grid, spec.nfields = 1, spec.fields = &field, spec.mode = HLC_MODE_AUTO;
  spec.layout = HLC_COLUMN_MAJOR;
  spec.depth_low[0] = spec.depth_high[0] = 1;
  hlc_halo *halo = nullptr;
  ASSERT_TRUE(ok(hlc_halo_init(context, &spec, &halo)));
  const int partner = rank() ^ 1;  // the last dimension runs fastest
  if (grid.coords[1] == 1) MPI_Recv(nullptr, 0, MPI_INT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int step = 0; step < kTrial; ++step) {
    EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  }
  if (grid.coords[1] == 0) MPI_Send(nullptr, 0, MPI_INT, partner, 0, MPI_COMM_WORLD);
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  EXPECT_TRUE(ok(hlc_finalise(&context)));
}

TEST(Auto, does_not_compare_with_a_swap_that_was_refused) {
  const Ring ring;
  if (!ring.ready()) return;
  const int none = Ring::kFields;
  hlc_swap wrong{};
  wrong.nfields = 1, wrong.fields = &none;
  for (int step = 1; step <= kTrial; ++step) {
    if (rank() == 0) {
      EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_start(ring.halo(), &wrong)));
    }
    ring.swap(step);
    EXPECT_TRUE(same_on_all(ring.mode())) << "step " << step;
  }
  EXPECT_FALSE(ring.says("\"under_way\": true")) << ring.explain();
}

TEST(Auto, does_not_read_a_list_that_is_longer_than_there_are_fields) {
  const Ring ring;
  if (!ring.ready()) return;
  const int one = 0;
  hlc_swap wrong{};
  wrong.nfields = 1 << 30, wrong.fields = &one;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_start(ring.halo(), &wrong)));
  ring.swap(1);
}

TEST(Auto, takes_a_list_of_everything_for_no_list) {
  const Ring ring;
  if (!ring.ready()) return;
  const int all[] = {0, 1};
  static_assert(std::size(all) == Ring::kFields);
  hlc_swap listed{};
  listed.nfields = Ring::kFields, listed.fields = all, listed.one_dim = 1;
  for (int step = 1; step <= kTrial; ++step) {
    ring.fill(step);
    EXPECT_TRUE(ok(hlc_halo_start(ring.halo(), (step + rank()) % 2 ? &listed : nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(ring.halo())));
    EXPECT_EQ(ring.wrong(step), 0) << "step " << step;
    EXPECT_TRUE(same_on_all(ring.mode())) << "step " << step;
  }
  EXPECT_FALSE(ring.says("\"under_way\": true")) << ring.explain();
}

TEST(Auto, in_check_mode_tries_nothing) {
  const Variables check{{"HALOCLINE_CHECK", "1"}};
  const Ring ring;
  if (!ring.ready()) return;
  for (int step = 1; step <= 3; ++step) ring.swap(step);
  EXPECT_FALSE(ring.says("\"trial\"")) << ring.explain();
}

TEST(Auto, that_only_some_ranks_ask_for_is_a_mismatch) {
  if (size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const Ring ring(rank() == 0 ? HLC_MODE_DIRECT : HLC_MODE_AUTO);
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, ring.status()));
  EXPECT_NE(ring.message().find("auto"), std::string::npos) << ring.message();
}

TEST(Auto, has_one_number_in_the_messages_of_all_its_candidates) {
  if (size() != 2) GTEST_SKIP() << "needs a rank that waits for the one that does not come";
  {
    const Variables few{{"HALOCLINE_AUTO_MODES", "p2p,notify,direct"}, {"HALOCLINE_CARD", "default"}, {"HALOCLINE_TIMEOUT", "1"}};
    const Ring ring;
    if (!ring.ready()) return;
    for (int step = 1; step <= 3; ++step) ring.swap(step);  // then the next candidate has its turn
    if (rank() == 0) {
      EXPECT_TRUE(ok(hlc_halo_start(ring.halo(), nullptr)));
      EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_halo_finish(ring.halo())));
      const std::string message = hlc_error_message();
      EXPECT_NE(message.find("a swap of plan 1: rank 0 timed out"), std::string::npos) << message;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const Variables several{{"HALOCLINE_AUTO_MODES", "p2p,notify,direct"}, {"HALOCLINE_CARD", "default"}};
  const Ring ring;
  if (!ring.ready()) return;
  const hlc_segment_spec differs{8, rank(), 0};
  hlc_segment *segment = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_segment_create(ring.context(), &differs, &segment)));
  EXPECT_NE(std::string(hlc_error_message()).find("hlc_segment_create of plan 2: "), std::string::npos) << hlc_error_message();
}

TEST(Auto, of_an_exchange_chooses_among_modes_that_pack) {
  hlc_context *context = nullptr;
  REQUIRE_EVERYWHERE(hlc_init(MPI_COMM_WORLD, &context) == HLC_OK);
  hlc_neighbour sides[] = {{Ring::below(), 0, 1, 8, 8}, {Ring::above(), 1, 0, 8, 8}};
  double got[2]{};
  hlc_exchange_spec spec{};
  spec.nneighbours = 2, spec.neighbours = sides, spec.user = got;
  spec.pack = [](int n, void *to, void *) { *static_cast<double *>(to) = 1 + rank() + 100 * n; };
  spec.unpack = [](int n, const void *from, void *user) { static_cast<double *>(user)[n] = *static_cast<const double *>(from); };
  hlc_exchange *exchange = nullptr;
  REQUIRE_EVERYWHERE(hlc_exchange_create(context, &spec, &exchange) == HLC_OK);
  for (int step = 1; step <= kTrial; ++step) {
    got[0] = got[1] = -7;
    EXPECT_TRUE(ok(hlc_exchange_start(exchange)));
    EXPECT_TRUE(ok(hlc_exchange_finish(exchange)));
    EXPECT_EQ(got[0], 1 + Ring::below() + 100);
    EXPECT_EQ(got[1], 1 + Ring::above());
  }
  char text[4096];
  EXPECT_TRUE(ok(hlc_exchange_explain(exchange, HLC_FORMAT_TEXT, text, sizeof text, nullptr)));
  EXPECT_EQ(std::string(text).find("mode auto uses "), 0u) << text;
  EXPECT_NE(std::string(text).find("exactly as notify"), std::string::npos) << text;
  EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange)));
  EXPECT_TRUE(ok(hlc_finalise(&context)));
}

/// The first rank makes all its rounds before the others begin.
TEST(Auto, does_not_wait_for_a_rank_without_neighbours) {
  if (size() == 1) GTEST_SKIP() << "one rank waits for no other";
  hlc_context *context = nullptr;
  REQUIRE_EVERYWHERE(hlc_init(MPI_COMM_WORLD, &context) == HLC_OK);
  const bool alone = size() == 2 || rank() < size() - 2;  // the last two of several swap with each other
  const hlc_neighbour only{alone ? rank() : 2 * size() - 3 - rank(), 0, 0, 8, 8};
  hlc_exchange_spec spec{};
  spec.nneighbours = 1, spec.neighbours = &only;
  spec.pack = [](int, void *to, void *) { *static_cast<double *>(to) = 1; };
  spec.unpack = [](int, const void *, void *) {};
  hlc_exchange *exchange = nullptr;
  REQUIRE_EVERYWHERE(hlc_exchange_create(context, &spec, &exchange) == HLC_OK);
  if (rank() > 0) MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 1; step <= kTrial; ++step) EXPECT_TRUE(hlc_exchange_start(exchange) == HLC_OK && hlc_exchange_finish(exchange) == HLC_OK);
  if (rank() == 0) MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange)));
  EXPECT_TRUE(ok(hlc_finalise(&context)));
}

TEST(Explain, writes_as_much_as_there_is_room_for) {
  const Ring ring;
  if (!ring.ready()) return;
  const std::string whole = ring.explain(HLC_FORMAT_TEXT);
  std::size_t length = 0;
  EXPECT_TRUE(ok(hlc_halo_explain(ring.halo(), HLC_FORMAT_TEXT, nullptr, 0, &length)));
  EXPECT_EQ(length, whole.size());
  char some[10] = "xxxxxxxxx";
  EXPECT_TRUE(ok(hlc_halo_explain(ring.halo(), HLC_FORMAT_TEXT, some, sizeof some, &length)));
  EXPECT_EQ(some, whole.substr(0, 9));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_explain(ring.halo(), HLC_FORMAT_TEXT, nullptr, 10, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_explain(ring.halo(), static_cast<hlc_format>(7), some, 10, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_explain(nullptr, HLC_FORMAT_TEXT, some, 10, nullptr)));
}

TEST(Explain, of_a_mode_that_was_asked_for_says_so) {
  const Ring ring(HLC_MODE_NOTIFY);
  if (!ring.ready()) return;
  EXPECT_EQ(ring.explain(HLC_FORMAT_TEXT), "mode notify: mode notify was asked for\n");
}

}  // namespace
}  // namespace halocline::test
