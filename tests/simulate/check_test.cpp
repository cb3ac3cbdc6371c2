// The check of the simulation by measured swaps, and the calibration by a card.
// SPDX-License-Identifier: BSD-3-Clause
#include "card.hpp"

#include <check.hpp>
#include <common/json.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace {

using namespace simulate;

/// A file in the shape that halocline-bench halo writes.
std::string file_of(const std::string &text) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("halocline-simulate-" + std::to_string(getpid()) + ".json");
  std::ofstream(path) << text;
  return path;
}

const char *const kRun = R"({"environment": {"nodes": 1, "ranks": 2, "cores": 2},
  "problem": {"local": [16, 16, 64], "process_grid": [2, 1, 1], "depth": 2, "fields": 3, "type": "float64", "stencil": "box"},
  "modes": {"p2p": {"median_us": 80.0, "p10_us": 40.0}, "direct": {"median_us": 20.0, "p10_us": 10.0}, "hand_p2p": {"median_us": 1.0}}})";

/// Other values at places of a file.
using Values = std::vector<std::pair<std::string, common::Json>>;

std::string file_with(const Values &values) {
  common::Json run = common::Json::parse(kRun);
  for (const auto &[place, value] : values) run[common::Json::json_pointer(place)] = value;
  return file_of(run.dump());
}

/// The default card with curves of two nodes: a half round trip of 20 us, 1 ns for a byte.
std::unique_ptr<hlc_model, CloseCard> card_of_two_nodes() {
  std::ifstream file(DEFAULT_CARD);
  common::Json card = common::Json::parse(file);
  for (common::Json curve : common::Json(card["curves"])) {
    if (curve["operation"] != "put + flush" || curve["by"] != "host") continue;
    curve["operation"] = "put + notify", curve["by"] = "engine", curve["nodes"] = 2;
    curve["terms"] = {{{"quantity", "latency"}, {"us", 20.0}, {"low_us", 20.0}, {"high_us", 20.0}},
                      {{"quantity", "bytes"}, {"us", 0.001}, {"low_us", 0.001}, {"high_us", 0.001}}};
    card["curves"].push_back(curve);
  }
  const std::string path = file_of(card.dump());
  hlc_model *model = nullptr;
  if (hlc_model_open(path.c_str(), &model) != HLC_OK) throw Refusal(path + " is no card");
  return std::unique_ptr<hlc_model, CloseCard>(model);
}

std::string problem_of(const Values &values) { return check_file(file_with(values), default_card(), false).front().problem; }

TEST(Check, simulates_the_modes_of_a_file_beside_what_was_measured) {
  const std::vector<Checked> all = check_file(file_of(kRun), default_card(), false);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].mode, "p2p");
  EXPECT_EQ(all[0].problem, "16 x 16 x 64, 3 fields");
  EXPECT_DOUBLE_EQ(all[0].measured_us, 80);
  EXPECT_GT(all[0].simulated_us, all[1].simulated_us);
  EXPECT_DOUBLE_EQ(check_file(file_of(kRun), default_card(), true)[0].measured_us, 40);
  std::filesystem::remove(file_of(kRun));
}

TEST(Check, a_grid_that_is_split_in_three_dimensions_is_simulated_so) {
  const auto simulated_us = [&](const char *split) {
    return check_file(file_with({{"/problem/split", split}}), default_card(), false).front().simulated_us;
  };
  EXPECT_GT(simulated_us("xyz"), 1.1 * simulated_us("xy"));
}

TEST(Check, swaps_that_are_not_those_of_a_figure_have_another_name) {
  const Values cloud{{"/problem/local", {16, 16, 256}}, {"/problem/fields", 29}};
  const std::string figure = weak_figure(small_settings(2), {contender_of("direct")}, {2}).measured_as;
  EXPECT_EQ(problem_of(cloud), figure);
  for (const auto &other :
       Values{{"/problem/depth", 1}, {"/problem/stencil", "star"}, {"/problem/type", "float32"}, {"/problem/split", "xyz"}}) {
    auto values = cloud;
    values.push_back(other);
    EXPECT_NE(problem_of(values), figure) << other.first;
  }
  EXPECT_EQ(problem_of({{"/problem/depth", 1}, {"/problem/stencil", "star"}, {"/problem/type", "float32"}, {"/problem/split", "xyz"}}),
            "16 x 16 x 64, 3 fields, depth 1, star, float32, xyz");
}

TEST(Check, swaps_of_emulated_nodes_have_the_network_of_the_card_where_they_wait_in_the_engine) {
  const auto card = card_of_two_nodes();
  const auto simulated_us = [&](int nodes) {
    std::vector<double> us;
    const std::string file = file_with({{"/environment/nodes", nodes}, {"/problem/fake_nodes", nodes}});
    for (const Checked &one : check_file(file, card.get(), false)) us.push_back(one.simulated_us);
    return us;
  };
  // The modes are p2p and direct.
  const std::vector<double> one = simulated_us(1), two = simulated_us(2);
  EXPECT_DOUBLE_EQ(two[0], one[0]);
  EXPECT_GT(two[1], one[1] + 20);
}

TEST(Check, what_is_not_simulated_is_refused) {
  const auto refuses = [&](const Values &values, const hlc_model *card) {
    EXPECT_THROW(check_file(file_with(values), card, false), Refusal) << values.front().first;
  };
  const auto card = card_of_two_nodes();
  refuses({{"/problem/skew_us", 10.0}}, card.get());
  refuses({{"/environment/nodes", 2}}, card.get());
  refuses({{"/environment/nodes", 2}, {"/problem/fake_nodes", 2}, {"/environment/cores", 1}}, card.get());
  refuses({{"/environment/nodes", 2}, {"/problem/fake_nodes", 2}}, default_card());
}

TEST(Check, measured_points_join_the_figure_of_their_problem) {
  Figure figure{"", "", "", "", "", {{"p2p", Origin::simulated, {}}, {"p2p", Origin::modelled, {}}, {"fence", Origin::simulated, {}}}};
  figure.measured_as = "this";
  add_measured(figure, {{"this", "p2p", 2, 2, 3000, 1}, {"that", "p2p", 2, 2, 5000, 1}, {"this", "pscw", 2, 2, 7000, 1}});
  ASSERT_EQ(figure.series.size(), 4U);
  EXPECT_EQ(figure.series[3].origin, Origin::measured);
  EXPECT_DOUBLE_EQ(figure.series[3].at(2), 3);
}

TEST(Check, errors_are_relative_to_what_was_measured) {
  const Error error = error_of({{"", "", 2, 2, 100, 150}, {"", "", 2, 2, 100, 90}, {"", "", 2, 2, 100, 80}});
  EXPECT_DOUBLE_EQ(error.median, 0.2);
  EXPECT_DOUBLE_EQ(error.worst, 0.5);
}

TEST(Check, a_file_of_something_else_is_refused) {
  EXPECT_THROW(check_file(file_of("{}"), default_card(), false), Refusal);
  EXPECT_THROW(check_file("/does/not/exist", default_card(), false), Refusal);
}

TEST(Machine, a_card_calibrates_the_node) {
  const Node node = node_of_card(default_card(), {});
  for (const double us : {node.copy_us_per_byte, node.pack_us_per_byte, node.put_us, node.put_us_per_byte, node.lock_us, node.message_us,
                          node.message_us_per_byte, node.handover_us})
    EXPECT_GT(us, 0);
  EXPECT_LT(node.handover_us, 10);
}

TEST(Machine, copies_of_all_ranks_share_the_memory_of_the_node) {
  Machine machine{node_of_card(default_card(), {}), published_network("archer")};
  const double one = machine.node.copy_us_per_byte * 1e6;
  EXPECT_NEAR(machine.copy_us(1e6), 2 * 24 * 1e6 / 119.4e3, 1e-6);
  machine.network.memory_us_per_byte = 0;
  EXPECT_DOUBLE_EQ(machine.copy_us(1e6), one);
}

TEST(Machine, a_card_without_several_nodes_has_no_network) { EXPECT_THROW(network_of_card(default_card()), Refusal); }
TEST(Machine, a_network_that_is_none_is_refused) { EXPECT_THROW(published_network("string"), Refusal); }

}  // namespace
