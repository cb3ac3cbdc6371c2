// The machine card: what is read is what was written, and a card that is none is said so and does no harm.
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/model.h>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

constexpr const char *kCard = R"({"schema": "halocline-card/1", "host": "a \"quoted\" host\n", "cores": 2, "curves": [
  {"operation": "put + flush", "by": "engine", "nodes": 1, "points": 9, "least_bytes": 8, "most_bytes": 1e6, "least_ranks": 2, "most_ranks": 8,
   "typical_error": 0.05, "residuals": {"median": 0.01, "worst": null}, "predicted_half": {"median": 0.05, "worst": 0.2, "points": 4},
   "terms": [{"quantity": "latency", "us": 1}, {"quantity": "bytes", "to": 1000, "us": 0.001}, {"quantity": "bytes", "from": 1000, "us": 0.0005},
             {"quantity": "switch", "from": 5000, "us": 7}, {"quantity": "log_ranks", "us": 2.9}]},
  {"operation": "halo", "by": "direct", "nodes": 2, "terms": [{"quantity": "neighbours", "us": 0.35}, {"quantity": "crowding", "us": 10}]},
  {"operation": "allreduce", "by": "at_once", "nodes": 1, "terms": [{"quantity": "ranks_bytes", "us": 0.25}]}]})";

/// A folder of its own, as the user's cache.
class CardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("halocline-card-test-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    unsetenv("HALOCLINE_CARD");
  }
  void TearDown() override {
    hlc_model_close(&model_);
    fs::remove_all(folder_);
  }
  std::string write(const std::string &text, const std::string &name = "card.json") {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  /// The message with which a text is refused; "" if it is not.
  std::string refusal(const std::string &text) {
    const std::string path = write(text);
    const hlc_status status = hlc_model_open(path.c_str(), &model_);
    if (status == HLC_OK) return hlc_model_close(&model_), "";
    EXPECT_EQ(status, HLC_ERR_ARGUMENT);
    EXPECT_NE(std::string(hlc_error_message()).find(path), std::string::npos);
    return hlc_error_message();
  }
  std::string source() const { return hlc_model_source(model_); }

  fs::path folder_;
  hlc_model *model_ = nullptr;
};

hlc_model_case case_of(const char *operation, const char *by) {
  hlc_model_case which{};
  which.operation = operation;
  which.by = by;
  return which;
}

TEST_F(CardTest, predicts_the_sum_of_its_terms) {
  ASSERT_EQ(hlc_model_open(write(kCard).c_str(), &model_), HLC_OK);
  hlc_model_case which = case_of("put + flush", "engine");
  hlc_prediction found{};
  which.bytes = 100;
  which.ranks = 4;
  ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK);
  EXPECT_DOUBLE_EQ(found.us, 1 + 0.1 + 5.8);
  EXPECT_DOUBLE_EQ(found.typical_error, 0.05);
  EXPECT_EQ(found.beyond_measured, 0);
  which.bytes = 6000;
  ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK);
  EXPECT_DOUBLE_EQ(found.us, 1 + 1 + 2.5 + 7 + 5.8);
}

TEST_F(CardTest, says_what_lies_beyond_the_measured) {
  ASSERT_EQ(hlc_model_open(write(kCard).c_str(), &model_), HLC_OK);
  hlc_model_case which = case_of("put + flush", "engine");
  hlc_prediction found{};
  which.bytes = 1e7;
  ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK);
  EXPECT_EQ(found.beyond_measured, 1);
  which.bytes = 8, which.ranks = 9;
  ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK);
  EXPECT_EQ(found.beyond_measured, 1);
}

TEST_F(CardTest, predicts_no_less_than_the_least_that_was_measured) {
  const std::string path = write(R"({"schema": "halocline-card/1", "curves": [{"operation": "halo", "by": "direct", "least_bytes": 24576,
    "most_bytes": 1e6, "least_us": 2, "terms": [{"quantity": "bytes", "us": 0.0001}]}]})");
  ASSERT_EQ(hlc_model_open(path.c_str(), &model_), HLC_OK);
  hlc_model_case which = case_of("halo", "direct");
  hlc_prediction found{};
  which.bytes = 8;
  ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK);
  EXPECT_DOUBLE_EQ(found.us, 2);
  EXPECT_EQ(found.beyond_measured, 1);
  which.bytes = 1e6;
  ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK);
  EXPECT_DOUBLE_EQ(found.us, 100);
}

TEST_F(CardTest, has_no_error_where_no_point_was_left_out_of_a_fit) {
  const std::string path = write(R"({"schema": "halocline-card/1", "curves": [
    {"operation": "a", "by": "b", "typical_error": 0, "residuals": {"median": 0, "worst": 0, "points": 2}, "terms": [{"quantity": "latency", "us": 1}]},
    {"operation": "a", "by": "c", "typical_error": null, "predicted_half": {"median": null, "worst": null, "points": 0},
     "terms": [{"quantity": "latency", "us": 1}]}]})");
  ASSERT_EQ(hlc_model_open(path.c_str(), &model_), HLC_OK);
  for (const char *by : {"b", "c"}) {
    const hlc_model_case which = case_of("a", by);
    hlc_prediction found{};
    ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK);
    EXPECT_EQ(found.typical_error, -1) << by;
  }
}

TEST_F(CardTest, has_curves_of_their_own_for_several_nodes) {
  ASSERT_EQ(hlc_model_open(write(kCard).c_str(), &model_), HLC_OK);
  hlc_model_case which = case_of("halo", "direct");
  hlc_prediction found{};
  EXPECT_EQ(hlc_model_predict(model_, &which, &found), HLC_ERR_UNSUPPORTED);
  EXPECT_NE(std::string(hlc_error_message()).find("'halo' by 'direct' on one node"), std::string::npos) << hlc_error_message();
  which.nodes = 3, which.neighbours = 4, which.ranks_per_core = 1.5;
  ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK);
  EXPECT_DOUBLE_EQ(found.us, 1.4 + 5);
}

TEST_F(CardTest, counts_the_bytes_of_all_other_ranks) {
  ASSERT_EQ(hlc_model_open(write(kCard).c_str(), &model_), HLC_OK);
  hlc_model_case which = case_of("allreduce", "at_once");
  hlc_prediction found{};
  which.bytes = 8, which.ranks = 4;
  ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK);
  EXPECT_DOUBLE_EQ(found.us, 6);
  which.ranks = 1;
  ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK);
  EXPECT_DOUBLE_EQ(found.us, 0);
}

TEST_F(CardTest, adds_what_ranks_on_other_nodes_take_longer) {
  const std::string path = write(R"({"schema": "halocline-card/1", "curves": [{"operation": "halo", "by": "p2p", "nodes": 2, "terms": [
    {"quantity": "messages", "us": 1}, {"quantity": "far_messages", "us": 10}, {"quantity": "far_bytes", "us": 0.5}]}]})");
  ASSERT_EQ(hlc_model_open(path.c_str(), &model_), HLC_OK);
  hlc_model_case which = case_of("halo", "p2p");
  which.nodes = 2, which.bytes = 64, which.messages = 3;
  hlc_prediction found{};
  ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK);
  EXPECT_DOUBLE_EQ(found.us, 3);
  which.far_messages = 2, which.far_bytes = 8;
  ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK);
  EXPECT_DOUBLE_EQ(found.us, 3 + 20 + 4);
}

TEST_F(CardTest, lists_its_curves) {
  ASSERT_EQ(hlc_model_open(write(kCard).c_str(), &model_), HLC_OK);
  hlc_model_curve_t curve{};
  ASSERT_EQ(hlc_model_curve(model_, 0, &curve), HLC_OK);
  EXPECT_STREQ(curve.operation, "put + flush");
  EXPECT_EQ(curve.nterms, 5);
  EXPECT_STREQ(hlc_model_quantity_name(curve.terms[3].quantity), "switch");
  ASSERT_EQ(hlc_model_curve(model_, 1, &curve), HLC_OK);
  EXPECT_EQ(curve.nodes, 2);
  EXPECT_EQ(hlc_model_curve(model_, 3, &curve), HLC_ERR_ARGUMENT);
}

TEST_F(CardTest, refuses_what_is_no_card) {
  const std::string whole = kCard;
  EXPECT_EQ(refusal(whole), "");
  EXPECT_NE(refusal("").find("ends too early"), std::string::npos);
  EXPECT_NE(refusal("nonsense").find("at line 1"), std::string::npos);
  EXPECT_NE(refusal("[]").find("schema"), std::string::npos);
  EXPECT_NE(refusal(R"({"schema": "halocline-card/2", "curves": []})").find("halocline-card/2"), std::string::npos);
  EXPECT_NE(refusal(R"({"schema": "halocline-card/1", "curves": []})").find("no curves"), std::string::npos);
  EXPECT_NE(refusal(R"({"schema": "halocline-card/1", "curves": [{"operation": "a", "by": "b"}]})").find("terms"), std::string::npos);
  for (const char *term : {R"({"quantity": "luck", "us": 1})", R"({"quantity": "bytes"})", R"({"quantity": "bytes", "us": -1})",
                           R"({"quantity": "bytes", "from": 9, "to": 3, "us": 1})", "7"})
    EXPECT_NE(refusal(R"({"schema": "halocline-card/1", "curves": [{"operation": "a", "by": "b", "terms": [)" + std::string(term) + "]}]}")
                  .find("the curve of a by b has an unknown term"),
              std::string::npos)
        << term;
}

TEST_F(CardTest, survives_every_beginning_of_a_card) {
  const std::string whole = kCard;
  for (std::size_t length = 0; length < whole.size(); ++length) EXPECT_NE(refusal(whole.substr(0, length)), "") << length;
}

TEST_F(CardTest, survives_bytes_that_are_wrong) {
  for (std::size_t place = 0; place < std::string(kCard).size(); place += 3)
    for (const char wrong : {'\0', '"', '{', ']', '\\', '9'}) {
      std::string text = kCard;
      text[place] = wrong;
      refusal(text);
    }
  EXPECT_NE(refusal(std::string(100000, '[')).find("too many levels"), std::string::npos);
}

TEST_F(CardTest, takes_the_default_where_none_is_kept) {
  ASSERT_EQ(hlc_model_open(nullptr, &model_), HLC_OK);
  EXPECT_EQ(source().find("default card: no machine card of this host and MPI"), 0u) << source();
}

TEST_F(CardTest, takes_the_one_that_is_kept) {
  const std::string kept = hlc_model_path();
  ASSERT_EQ(kept.find(folder_.string() + "/halocline/card-"), 0u) << kept;
  write(kCard, kept.substr(folder_.string().size() + 1));
  ASSERT_EQ(hlc_model_open(nullptr, &model_), HLC_OK);
  EXPECT_EQ(source(), kept);
}

TEST_F(CardTest, takes_the_one_that_the_environment_names) {
  const std::string path = write(kCard, "mine.json");
  setenv("HALOCLINE_CARD", path.c_str(), 1);
  ASSERT_EQ(hlc_model_open(nullptr, &model_), HLC_OK);
  EXPECT_EQ(source(), path);
  hlc_model_close(&model_);
  setenv("HALOCLINE_CARD", "default", 1);
  ASSERT_EQ(hlc_model_open(nullptr, &model_), HLC_OK);
  EXPECT_EQ(source().find("default card: HALOCLINE_CARD"), 0u) << source();
}

TEST_F(CardTest, says_that_a_card_is_missing_or_corrupt_and_uses_the_default) {
  setenv("HALOCLINE_CARD", "/no/such/card.json", 1);
  testing::internal::CaptureStderr();
  ASSERT_EQ(hlc_model_open(nullptr, &model_), HLC_OK);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(source(), "default card: /no/such/card.json cannot be used: it cannot be read");
  EXPECT_NE(said.find("the machine card /no/such/card.json cannot be used: it cannot be read. The default card is used"), std::string::npos)
      << said;
  hlc_model_close(&model_);
  setenv("HALOCLINE_CARD", write("{").c_str(), 1);
  ASSERT_EQ(hlc_model_open(nullptr, &model_), HLC_OK);
  EXPECT_EQ(source().find("default card: "), 0u) << source();
}

TEST_F(CardTest, has_halo_modes_and_operations_by_default) {
  setenv("HALOCLINE_CARD", "default", 1);
  ASSERT_EQ(hlc_model_open(nullptr, &model_), HLC_OK);
  for (const int mode : {HLC_MODE_P2P, HLC_MODE_PSCW, HLC_MODE_FENCE, HLC_MODE_PASSIVE, HLC_MODE_NOTIFY, HLC_MODE_DIRECT}) {
    hlc_model_case which = case_of("halo", hlc_mode_name(static_cast<hlc_mode>(mode)));
    which.bytes = 65536, which.neighbours = 2, which.blocks = 64;
    hlc_prediction found{};
    ASSERT_EQ(hlc_model_predict(model_, &which, &found), HLC_OK) << hlc_error_message();
    EXPECT_GT(found.us, 0);
  }
}

TEST_F(CardTest, has_a_constant_in_each_mode_by_default) {
  ASSERT_EQ(hlc_model_open(DEFAULT_CARD, &model_), HLC_OK) << hlc_error_message();
  int modes = 0;
  hlc_model_curve_t curve{};
  for (int index = 0; hlc_model_curve(model_, index, &curve) == HLC_OK; ++index) {
    if (std::string(curve.operation) != "halo") continue;
    ++modes;
    hlc_model_case none = case_of("halo", curve.by);
    EXPECT_GT(hlc_model_quantity_of(&curve.terms[0], &none) * curve.terms[0].us, 0.1) << curve.by;
    none.bytes = 8;
    hlc_prediction found{};
    ASSERT_EQ(hlc_model_predict(model_, &none, &found), HLC_OK);
    EXPECT_GT(found.us, 0.25) << curve.by;  // a swap of 4 x 4 x 4 cells took 0.27 us in the fastest mode
  }
  EXPECT_EQ(modes, 10);
}

TEST_F(CardTest, has_the_default_that_is_shipped) { ASSERT_EQ(hlc_model_open(DEFAULT_CARD, &model_), HLC_OK) << hlc_error_message(); }

TEST_F(CardTest, answers_wrong_arguments) {
  hlc_prediction found{};
  const hlc_model_case which{};
  EXPECT_EQ(hlc_model_open(nullptr, nullptr), HLC_ERR_ARGUMENT);
  EXPECT_EQ(hlc_model_predict(nullptr, &which, &found), HLC_ERR_ARGUMENT);
  EXPECT_STREQ(hlc_model_source(nullptr), "");
  EXPECT_EQ(hlc_model_quantity_name(HLC_MODEL_QUANTITY_COUNT_), nullptr);
  EXPECT_EQ(hlc_model_quantity_of(nullptr, &which), 0);
  hlc_model_close(nullptr);
}

}  // namespace
