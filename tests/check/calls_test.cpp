// Calls at the wrong time, exchanges in check mode, and how the C++ API reports a broken rule. Run with HALOCLINE_CHECK=1.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include <halocline/halocline.hpp>

#include "check/basin.hpp"

namespace halocline::test {
namespace {

class Calls : public testing::TestWithParam<ModeChoice> {};

TEST_P(Calls, at_the_wrong_time_name_halo_and_swap) {
  Basin basin(GetParam());
  if (!basin.ready()) return;
  basin.swap(1);
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_finish(basin.halo())));
  EXPECT_TRUE(message_names({"hlc_halo_finish", rank_words(rank()), "('u', 'v')", "swap 1", "no swap has been started"}));
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_start(basin.halo(), nullptr)));
  EXPECT_TRUE(message_names({"hlc_halo_start", rank_words(rank()), "('u', 'v')", "swap 2", "in flight"}));
  EXPECT_TRUE(ok(hlc_halo_finish(basin.halo())));
}

TEST_P(Calls, test_moves_a_checked_swap_along) {
  Basin basin(GetParam());
  if (!basin.ready()) return;
  basin.fill(1);
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  hlc_status status = HLC_AGAIN;
  for (int i = 0; i < 1000000 && status == HLC_AGAIN && GetParam().sees_arrival(); ++i) status = hlc_halo_test(basin.halo());
  EXPECT_TRUE(!GetParam().sees_arrival() || ok(status));
  EXPECT_TRUE(ok(hlc_halo_finish(basin.halo())));
  basin.expect_faces(1);
}

/// A ring in which each rank sends 24 bytes to the next.
struct Ring {
  explicit Ring(const ModeChoice &mode) {
    neighbours = {{(rank() + 1) % size(), 1, 0, 24, 0}, {(rank() + size() - 1) % size(), 0, 1, 0, 24}};
    hlc_exchange_spec spec{};
    spec.nneighbours = 2;
    spec.neighbours = neighbours.data();
    spec.pack = [](int, void *buffer, void *user) {
      static_cast<Ring *>(user)->packed = static_cast<char *>(buffer), std::memset(buffer, 7, 24);
    };
    spec.unpack = [](int, const void *buffer, void *user) { static_cast<Ring *>(user)->came = *static_cast<const char *>(buffer); };
    spec.user = this;
    spec.mode = mode.mode;
    spec.epoch = mode.epoch;
    spec.drive = mode.drive;
    EXPECT_TRUE(ok(hlc_exchange_create(context(), &spec, &exchange)));
  }
  ~Ring() { EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange))); }

  std::vector<hlc_neighbour> neighbours;
  hlc_exchange *exchange = nullptr;
  char *packed = nullptr;
  int came = 0;
};

TEST_P(Calls, of_an_exchange_name_it_and_its_swap) {
  if (size() < 2) GTEST_SKIP() << "needs a neighbour";
  Ring ring(GetParam());
  for (int round = 1; round <= 4; ++round) {
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_exchange_finish(ring.exchange)));
    EXPECT_TRUE(ok(hlc_exchange_start(ring.exchange)));
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_exchange_start(ring.exchange)));
    EXPECT_TRUE(message_names({"hlc_exchange_start", "exchange", "swap " + std::to_string(round), rank_words(rank())}));
    EXPECT_TRUE(ok(hlc_exchange_finish(ring.exchange)));
    EXPECT_EQ(ring.came, 7);
  }
}

TEST_P(Calls, an_exchange_finished_before_a_halo_here_and_after_it_there_is_named) {
  if (size() < 2) GTEST_SKIP() << "needs a neighbour";
  Basin basin(GetParam());
  Ring ring(GetParam());
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  EXPECT_TRUE(ok(hlc_exchange_start(ring.exchange)));
  int told = 0;
  for (const bool halo_now : {rank() == 0, rank() != 0}) {
    const hlc_status status = halo_now ? hlc_halo_finish(basin.halo()) : hlc_exchange_finish(ring.exchange);
    if (size() > 2 && rank() != 0 && status == HLC_OK) continue;  // another neighbour of rank 0 crossed it first
    EXPECT_TRUE(is_status(HLC_ERR_RULE, status));
    EXPECT_TRUE(message_names({"exchange", "halo", "rank 0"}));
    ++told;
  }
  EXPECT_TRUE(told > 0 || (rank() != 0 && Basin::left() != 0 && Basin::right() != 0));
  everyone(true);
}

FOR_ALL_MODES(Calls);

/// In mode notify a message is packed into the receiver's buffer: a program that keeps the address can still damage it after start.
TEST(Stamps, show_that_a_message_was_written_after_start) {
  if (size() < 2) GTEST_SKIP() << "needs a neighbour";
  Ring ring({"notify", HLC_MODE_NOTIFY});
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_exchange_info(ring.exchange, &info)));
  if (info.via_network + info.via_mpi > 0) GTEST_SKIP() << "to pretended nodes the message is a copy";
  EXPECT_TRUE(ok(hlc_exchange_start(ring.exchange)));
  if (rank() == 0) ring.packed[23] = 8;
  const hlc_status status = hlc_exchange_finish(ring.exchange);
  EXPECT_TRUE(is_status(rank() == 1 ? HLC_ERR_RULE : HLC_OK, status));
  if (rank() == 1) {
    EXPECT_TRUE(message_names({"rank 1", "exchange", "swap 1", "from rank 0", "torn", "24 bytes"}));
  }
  EXPECT_TRUE(ok(hlc_exchange_start(ring.exchange)));
  EXPECT_TRUE(ok(hlc_exchange_finish(ring.exchange)));
}

TEST(Cxx, throws_what_check_mode_found_and_goes_on) {
  Context context(MPI_COMM_WORLD);
  const Grid grid(context, {8 * size(), 8}, {true, true});
  Field<double, 2> theta(context, grid, 1);
  Halo halo(context, grid, {theta});
  halo.start();
  theta(0, 0) = 3;
  try {
    halo.finish();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), HLC_ERR_RULE);
    EXPECT_NE(std::string(error.what()).find("HLC_ERR_RULE"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("cell (0, 0)"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(halo.swap());
}

}  // namespace
}  // namespace halocline::test
