// The parts of halocline-doctor that need no MPI: words that describe themselves, patience, verdicts that are kept.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>
#include <doctor/memory.hpp>
#include <doctor/options.hpp>
#include <doctor/progress.hpp>
#include <doctor/verdicts.hpp>

#include <cstdlib>
#include <fstream>

namespace {

using namespace doctor;

TEST(Word, is_read_back_from_its_bytes) {
  const Word word{{3, 1, 77, 41}, 123456};
  const std::uint64_t code = encode(word);
  unsigned char bytes[8];
  std::memcpy(bytes, &code, 8);
  const auto found = decode(bytes, 4);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->stream, word.stream);
  EXPECT_EQ(found->index, word.index);
  EXPECT_FALSE(decode(bytes, 3)) << "there is no rank 3 of 3";
}

TEST(Stream, is_the_same_from_any_place) {
  const Stream stream{1, 2, 3, 4};
  unsigned char whole[64], part[64];
  write_stream(whole, sizeof whole, stream);
  for (std::size_t start = 0; start < 20; ++start) {
    write_stream(part, 40, stream, start);
    EXPECT_EQ(std::memcmp(part, whole + start, 40), 0) << "from byte " << start;
  }
}

/// A window of 64 bytes into which a stream of 24 was to be written at byte 8.
struct Window {
  Image expected{64, 0, 5};
  std::vector<unsigned char> found;
  Layout layout() const { return Layout(Arrangement::basic, {MPI_BYTE, 1, "MPI_BYTE"}, 24); }
  static Stream stream() { return {1, 0, 9, 5}; }
  Window() {
    expected.write(8, layout(), stream());
    found = expected.bytes();
  }
  std::string text() const {
    const auto difference = expected.difference(found.data(), 2);
    return difference ? difference->text : "";
  }
};

TEST(Image, that_is_right_has_no_difference) { EXPECT_EQ(Window().text(), ""); }

TEST(Image, tells_data_that_never_came) {
  Window window;
  write_stream(window.found.data(), 64, Image::poison(0, 5));
  EXPECT_NE(window.text().find("24 of 64 bytes wrong; first at byte 8: there is what rank 0 had there before"), std::string::npos)
      << window.text();
}

TEST(Image, tells_data_at_a_wrong_offset) {
  Window window;
  write_stream(window.found.data(), 64, Image::poison(0, 5));
  write_stream(window.found.data() + 16, 24, Window::stream());
  EXPECT_NE(window.text().find("there is what rank 0 had there before"), std::string::npos) << window.text();
  write_stream(window.found.data(), 24, Window::stream());
  EXPECT_NE(window.text().find("there is transfer 9 of rank 1 to rank 0, round 5, its byte 0"), std::string::npos) << window.text();
}

TEST(Image, tells_data_of_an_earlier_round) {
  Window window;
  write_stream(window.found.data() + 8, 24, {1, 0, 9, 4});
  EXPECT_NE(window.text().find("round 4"), std::string::npos) << window.text();
}

TEST(Image, tells_data_that_nobody_wrote) {
  Window window;
  window.found[12] ^= 0xFF;
  EXPECT_NE(window.text().find("1 of 64 bytes wrong; first at byte 12"), std::string::npos) << window.text();
}

TEST(Patience, ends_when_nothing_moves_and_not_before) {
  using std::chrono::milliseconds;
  Patience patience;
  Patience::Clock::time_point now = Patience::Clock::now();
  patience.begin(0.5, 0, now);
  for (std::uint64_t sum = 1; sum < 5; ++sum) EXPECT_FALSE(patience.is_over(sum, now += milliseconds(499))) << "it moves";
  EXPECT_FALSE(patience.is_over(4, now + milliseconds(499)));
  EXPECT_TRUE(patience.is_over(4, now + milliseconds(501))) << "nothing has moved";
}

TEST(Patience, ends_at_ten_times_its_limit_though_something_moves) {
  using std::chrono::milliseconds;
  Patience patience;
  Patience::Clock::time_point now = Patience::Clock::now();
  patience.begin(0.5, 0, now);
  for (std::uint64_t sum = 1; sum <= 10; ++sum) EXPECT_FALSE(patience.is_over(sum, now += milliseconds(499)));
  EXPECT_TRUE(patience.is_over(11, now += milliseconds(11)));
}

TEST(Pattern, is_a_part_of_the_name_or_has_wildcards) {
  EXPECT_TRUE(matches("create/fence/sum", "fence"));
  EXPECT_TRUE(matches("create/fence/sum", ""));
  EXPECT_TRUE(matches("create/fence/sum", "*/sum"));
  EXPECT_FALSE(matches("create/fence/sum", "*/fence"));
}

TEST(Pattern, chooses_one_sided_probes_alone_for_the_drop_in) {
  Options options;
  EXPECT_TRUE(options.chooses("messages/plain"));
  options.preload = "libhalocline_mpi.so";
  EXPECT_FALSE(options.chooses("messages/plain"));
  EXPECT_FALSE(options.chooses("collectives/neighbor"));
  EXPECT_FALSE(options.chooses("errors/return"));
  EXPECT_TRUE(options.chooses("create/fence/sum"));
  EXPECT_TRUE(options.chooses("epochs/passive"));
  options.only = "*/sum";
  EXPECT_TRUE(options.chooses("create/fence/sum"));
  EXPECT_FALSE(options.chooses("create/fence"));
}

/// A report file of its own for each test, and a cache that is not the user's.
class Verdicts : public testing::Test {
 protected:
  void SetUp() override {
    file_ = testing::TempDir() + "halocline-verdicts-" + std::to_string(getpid());
    setenv("XDG_CACHE_HOME", "/cache", 1);
  }
  void TearDown() override { std::remove(file_.c_str()); }
  std::optional<ModeVerdicts> read(const std::string &text) {
    std::ofstream(file_) << text;
    return read_verdicts(file_, "MPI 1");
  }
  std::string file_;
};

TEST_F(Verdicts, lie_in_a_file_per_mpi_and_host) {
  const std::string path = report_path("MPI 1", "here");
  EXPECT_EQ(path.rfind("/cache/halocline/doctor-", 0), 0u) << path;
  EXPECT_NE(path, report_path("MPI 2", "here"));
  EXPECT_NE(path, report_path("MPI 1", "there"));
}

TEST_F(Verdicts, lie_in_the_home_folder_or_nowhere) {
  unsetenv("XDG_CACHE_HOME");
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(report_path("MPI 1", "here").rfind("/home/somebody/.cache/halocline/doctor-", 0), 0u);
  unsetenv("HOME");
  EXPECT_EQ(report_path("MPI 1", "here"), "");
  setenv("HOME", home.c_str(), 1);
}

TEST_F(Verdicts, are_read_from_a_report) {
  const auto verdicts =
      read(R"({"doctor": 1, "mpi": "MPI 1", "modes": {"p2p": {"verdict": "right"}, "pscw": {"verdict": "hangs", "reason": "so"}}})");
  ASSERT_TRUE(verdicts);
  EXPECT_TRUE(verdicts->at("p2p").usable());
  EXPECT_FALSE(verdicts->at("pscw").usable());
  EXPECT_EQ(verdicts->at("pscw").reason, "so");
}

TEST_F(Verdicts, of_another_mpi_or_a_broken_file_are_none) {
  EXPECT_FALSE(read(R"({"doctor": 1, "mpi": "MPI 2", "modes": {}})"));
  EXPECT_FALSE(read(R"({"doctor": 2, "mpi": "MPI 1", "modes": {}})"));
  EXPECT_FALSE(read(R"({"doctor": 1, "mpi": "MPI 1", "modes": {"p2p": 7}})"));
  EXPECT_FALSE(read("{"));
  EXPECT_FALSE(read_verdicts("/no/such/file", "MPI 1"));
}

}  // namespace
