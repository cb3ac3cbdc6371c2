// Whether the elements are combined at once or in chunks: as asked for, or as the cards of all ranks predict. The bits are the same.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/arrays.hpp"
#include "support/variables.hpp"

namespace halocline::test {
namespace {

/// A context that reads the environment as it is now.
class OwnContext {
 public:
  OwnContext() { EXPECT_TRUE(ok(hlc_init(MPI_COMM_WORLD, &raw_))); }
  ~OwnContext() { EXPECT_TRUE(ok(hlc_finalise(&raw_))); }
  OwnContext(const OwnContext &) = delete;
  OwnContext &operator=(const OwnContext &) = delete;
  hlc_context *raw() const { return raw_; }

 private:
  hlc_context *raw_ = nullptr;
};

hlc_allreduce_spec sum_of(std::int64_t count) { return spec_of(HLC_FLOAT64, HLC_REDUCE_SUM, count); }

hlc_allreduce_info_t info_of(const Plan &plan) {
  hlc_allreduce_info_t info{};
  EXPECT_TRUE(ok(hlc_allreduce_info(plan.raw(), &info)));
  return info;
}
bool is_at_once(const Plan &plan) { return info_of(plan).chunk_bytes == 0; }

std::string curve_of(const std::string &method, double us, double most_bytes) {
  std::string curves;
  for (const int nodes : {1, 2})
    curves += (nodes > 1 ? ", " : "") + std::string(R"({"operation": "allreduce", "by": ")") + method + R"(", "nodes": )" +
              std::to_string(nodes) + R"(, "least_bytes": 8, "most_bytes": )" + std::to_string(most_bytes) +
              R"(, "least_ranks": 1, "most_ranks": 64, "terms": [{"quantity": "latency", "us": )" + std::to_string(us) + "}]}";
  return curves;
}
constexpr double kMebibyte = 1 << 20;
std::string card_of(double at_once_us, double chunks_us, double most_bytes = kMebibyte) {
  return R"({"schema": "halocline-card/1", "curves": [)" + curve_of("at_once", at_once_us, most_bytes) + ", " +
         curve_of("chunks", chunks_us, most_bytes) + "]}";
}

/// Few elements, and many: by the bytes alone the first would be combined at once, and the second in chunks.
constexpr std::int64_t kFewElements = 2, kManyElements = 40000;

/// Expects of few elements, and of many, whether they are combined at once; runs each.
void expect_methods(hlc_context *context, bool few, bool many) {
  for (const auto &[count, at_once] : {std::pair{kFewElements, few}, {kManyElements, many}}) {
    const Plan plan(sum_of(count), context);
    EXPECT_EQ(is_at_once(plan), at_once) << count << " elements";
    for (int step = 0; step < 3; ++step) expect_run(plan, step, folded<double>(step, count, sum<double>));
  }
}

TEST(ReduceMethod, asked_for_is_taken_and_the_bits_are_the_same) {
  for (const bool at_once : {true, false}) {
    const Variables asked{{"HALOCLINE_ALLREDUCE", at_once ? "at_once" : "chunks"}};
    for (const std::int64_t count : {1, 2, 3, 17, 1000, 30011}) {
      SCOPED_TRACE(testing::Message() << count << " elements, at once: " << at_once);
      const Plan plan(sum_of(count));
      EXPECT_EQ(is_at_once(plan), at_once);
      for (int step = 0; step < 9; ++step) expect_run(plan, step, folded<double>(step, count, sum<double>));
    }
  }
}

TEST(ReduceMethod, is_in_chunks_where_all_at_once_would_need_much_memory) {
  const Variables asked{{"HALOCLINE_ALLREDUCE", "at_once"}};
  const std::int64_t most = (std::int64_t{8} << 20) / size() / 8;
  EXPECT_TRUE(is_at_once(Plan(sum_of(most))));
  EXPECT_FALSE(is_at_once(Plan(sum_of(most + 1))));
}

TEST(ReduceMethod, is_refused_where_it_is_none) {
  const Variables asked{{"HALOCLINE_ALLREDUCE", "soon"}};
  const hlc_allreduce_spec spec = sum_of(kFewElements);
  hlc_allreduce *plan = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_allreduce_create(context(), &spec, &plan)));
  EXPECT_NE(std::string(hlc_error_message()).find("HALOCLINE_ALLREDUCE is 'soon' but must be at_once or chunks"), std::string::npos)
      << hlc_error_message();
}

TEST(ReduceMethod, must_be_the_same_on_all_ranks) {
  if (size() == 1) GTEST_SKIP() << "needs two ranks";
  const Variables asked{{"HALOCLINE_ALLREDUCE", rank() == 0 ? "at_once" : "chunks"}};
  const hlc_allreduce_spec spec = sum_of(kFewElements);
  hlc_allreduce *plan = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_allreduce_create(context(), &spec, &plan)));
  EXPECT_NE(std::string(hlc_error_message()).find("ranks disagree on HALOCLINE_ALLREDUCE: rank 0 has at_once"), std::string::npos)
      << hlc_error_message();
}

TEST(ReduceMethod, follows_the_card) {
  for (const bool at_once : {true, false}) {
    const RankFile card("method", at_once ? card_of(1.5, 20) : card_of(20, 1.5));
    const Variables mine{{"HALOCLINE_CARD", card.path()}, {"HALOCLINE_ALLREDUCE", ""}};
    const OwnContext own;
    expect_methods(own.raw(), at_once, at_once);
    const hlc_allreduce_info_t info = info_of(Plan(sum_of(kManyElements), own.raw()));
    EXPECT_EQ(info.at_once_us, at_once ? 1.5 : 20);
    EXPECT_EQ(info.chunks_us, at_once ? 20 : 1.5);
  }
}

/// Emulated nodes share the cores of their host.
TEST(ReduceMethod, counts_all_ranks_that_share_cores) {
  std::string crowded = curve_of("at_once", 1, kMebibyte);
  for (std::size_t at = 0; (at = crowded.find("}]}", at)) != std::string::npos; at += 60)
    crowded.insert(at + 1, R"(, {"quantity": "crowding", "us": 100})");
  const RankFile card("method-crowded",
                      R"({"schema": "halocline-card/1", "curves": [)" + crowded + ", " + curve_of("chunks", 5, kMebibyte) + "]}");
  const Variables mine{{"HALOCLINE_CARD", card.path()}, {"HALOCLINE_ALLREDUCE", ""}};
  const OwnContext own;
  hlc_context_info_t about{};
  ASSERT_TRUE(ok(hlc_context_info(own.raw(), &about)));
  const double crowding = std::max(static_cast<double>(size()) / about.cores - 1, 0.0);
  EXPECT_NEAR(info_of(Plan(sum_of(kFewElements), own.raw())).at_once_us, 1 + 100 * crowding, 0.01);
}

/// Curves are not good enough for a difference of a tenth.
TEST(ReduceMethod, follows_the_bytes_where_the_card_sees_little_difference) {
  for (const bool at_once : {true, false}) {
    const RankFile card("method-near", at_once ? card_of(10, 11) : card_of(11, 10));
    const Variables mine{{"HALOCLINE_CARD", card.path()}, {"HALOCLINE_ALLREDUCE", ""}};
    const OwnContext own;
    expect_methods(own.raw(), true, false);
    EXPECT_EQ(info_of(Plan(sum_of(kManyElements), own.raw())).at_once_us, at_once ? 10 : 11);
  }
}

/// What a rank predicts to be long is long for all.
TEST(ReduceMethod, follows_the_longest_predictions_of_all_ranks) {
  if (size() == 1) GTEST_SKIP() << "needs two ranks";
  const RankFile card("method", rank() == size() - 1 ? card_of(200, 1) : card_of(1, 30));
  const Variables mine{{"HALOCLINE_CARD", card.path()}, {"HALOCLINE_ALLREDUCE", ""}};
  const OwnContext own;
  expect_methods(own.raw(), false, false);
  EXPECT_EQ(info_of(Plan(sum_of(kManyElements), own.raw())).chunks_us, 30);
}

/// Of the default card, of one that ends at fewer bytes on one rank, and of one that is none.
TEST(ReduceMethod, follows_the_bytes_where_a_card_says_nothing) {
  const RankFile small("method-small", rank() == 0 ? card_of(20, 1, 15) : card_of(20, 1));
  const RankFile broken("method-broken", rank() == 0 ? "{" : card_of(20, 1));
  for (const std::string &path : {std::string("default"), small.path(), broken.path()}) {
    SCOPED_TRACE(path);
    const Variables mine{{"HALOCLINE_CARD", path}, {"HALOCLINE_ALLREDUCE", ""}, {"HALOCLINE_QUIET", "1"}};
    const OwnContext own;
    expect_methods(own.raw(), true, false);
    EXPECT_EQ(info_of(Plan(sum_of(kManyElements), own.raw())).at_once_us, 0);
  }
}

}  // namespace
}  // namespace halocline::test
