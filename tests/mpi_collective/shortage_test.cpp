// Neighbourhood and persistent collectives where a rank is out of memory. Where the ranks meet they decide together: the host carries the call, with
// the right data. Where they do not, the rank without memory gets MPI_ERR_NO_MEM, and no other one waits for what it cannot send.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include <halocline/mpi4.h>

#include "failure/shortage.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {
namespace {

using Extent = FailingAllocation::Extent;

int left() { return (rank() + size() - 1) % size(); }
int right() { return (rank() + 1) % size(); }
int number_of(int from, int to, int step) { return from * 100'003 + to * 1009 + step; }

int class_of(int code) {
  int found = 0;
  MPI_Error_class(code, &found);
  return found;
}

/// Errors are returned, as long as the object lives.
class ReturnedErrors {
 public:
  ReturnedErrors() { set(MPI_ERRORS_RETURN); }
  ReturnedErrors(const ReturnedErrors &) = delete;
  ReturnedErrors &operator=(const ReturnedErrors &) = delete;
  ~ReturnedErrors() { set(MPI_ERRORS_ARE_FATAL); }

 private:
  static void set(MPI_Errhandler handler) { MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); }
};

/// A communicator of its own, and two blocks for its neighbours.
class Ring {
 public:
  Ring() {
    const int dims[] = {size()}, periods[] = {1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm_);
  }
  Ring(const Ring &) = delete;
  Ring &operator=(const Ring &) = delete;
  ~Ring() {
    if (request_ != MPI_REQUEST_NULL) MPI_Request_free(&request_);
    MPI_Comm_free(&comm_);
  }

  MPI_Comm comm() const { return comm_; }
  void renew(int step) {
    sent_ = {number_of(rank(), left(), step), number_of(rank(), right(), step)};
    received_ = {-1, -1};
  }
  int exchange() { return MPI_Neighbor_alltoall(sent_.data(), 1, MPI_INT, received_.data(), 1, MPI_INT, comm_); }
  int init() { return MPI_Neighbor_alltoall_init(sent_.data(), 1, MPI_INT, received_.data(), 1, MPI_INT, comm_, MPI_INFO_NULL, &request_); }
  int begin(MPI_Request *request) { return MPI_Ineighbor_alltoall(sent_.data(), 1, MPI_INT, received_.data(), 1, MPI_INT, comm_, request); }
  MPI_Request &request() { return request_; }
  void run() {
    MPI_Start(&request_);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
  bool is_right(int step) const { return received_ == std::vector<int>{number_of(left(), rank(), step), number_of(right(), rank(), step)}; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::vector<int> sent_, received_;
};

/// A number for each rank, in place.
class InPlace {
 public:
  InPlace() : numbers_(static_cast<std::size_t>(size())), counts_(numbers_.size(), 1), places_(numbers_.size()) {
    for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = static_cast<int>(i);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  }
  InPlace(const InPlace &) = delete;
  InPlace &operator=(const InPlace &) = delete;
  ~InPlace() {
    if (request_ != MPI_REQUEST_NULL) MPI_Request_free(&request_);
    MPI_Comm_free(&comm_);
  }

  int init() {
    return MPI_Alltoallv_init(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, numbers_.data(), counts_.data(), places_.data(), MPI_INT,
                              comm_, MPI_INFO_NULL, &request_);
  }
  void renew(int step) {
    for (int to = 0; to < size(); ++to) numbers_[static_cast<std::size_t>(to)] = number_of(rank(), to, step);
  }
  void run() {
    MPI_Start(&request_);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
  bool is_right(int step) const {
    for (int from = 0; from < size(); ++from)
      if (numbers_[static_cast<std::size_t>(from)] != number_of(from, rank(), step)) return false;
    return true;
  }

 private:
  std::vector<int> numbers_, counts_, places_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Which ranks run short, and for how long.
struct Shortage {
  bool on_all;
  Extent extent;
  bool hits_me() const { return on_all || rank() == size() - 1; }
};
constexpr Shortage kShortages[] = {
    {false, Extent::one}, {false, Extent::all_from_there}, {true, Extent::one}, {true, Extent::all_from_there}};

std::string name_of(const Shortage &shortage) {
  return std::string(shortage.on_all ? "all ranks" : "one rank") + (shortage.extent == Extent::one ? ", once" : ", from there on");
}

/// Makes something new each time while each allocation of `call` fails in turn, until none does. The call succeeds all the same, and `check` is
/// true.
template <class Made, class Call, class Check>
void fail_each_allocation(const Shortage &shortage, Call call, Check check) {
  constexpr long most = 2000;
  for (long n = 1; n < most; ++n) {
    Made made;
    made.renew(1);
    int code = MPI_SUCCESS;
    bool struck = false;
    {
      const FailingAllocation failing(shortage.hits_me() ? n : 0, shortage.extent);
      code = call(made);
      struck = failing.struck();
    }
    EXPECT_EQ(code, MPI_SUCCESS) << name_of(shortage) << ", allocation " << n;
    if (!everyone(code == MPI_SUCCESS)) return;
    EXPECT_TRUE(check(made)) << name_of(shortage) << ", allocation " << n;
    if (!everyone(!testing::Test::HasFailure())) return;
    if (everyone(!struck)) {
      EXPECT_GT(n, 1) << "nothing was allocated, so nothing failed";
      return;
    }
  }
  ADD_FAILURE() << "no end of allocations";
}

/// Also in later calls, which the ranks decide on anew or remember.
TEST(CollectiveShortage, in_the_first_call_of_a_communicator_is_a_decision_of_all) {
  const ReturnedErrors returned;
  for (const Shortage &shortage : kShortages)
    fail_each_allocation<Ring>(
        shortage, [](Ring &ring) { return ring.exchange(); },
        [](Ring &ring) {
          const bool is_right = ring.is_right(1);
          ring.renew(2);
          return ring.exchange() == MPI_SUCCESS && is_right && ring.is_right(2);
        });
}

TEST(CollectiveShortage, in_MPI_Neighbor_alltoall_init_is_a_decision_of_all) {
  const ReturnedErrors returned;
  for (const Shortage &shortage : kShortages)
    fail_each_allocation<Ring>(
        shortage, [](Ring &ring) { return ring.init(); },
        [](Ring &ring) {
          ring.run();
          const bool is_right = ring.is_right(1);
          ring.renew(2);
          ring.run();
          return is_right && ring.is_right(2);
        });
}

TEST(CollectiveShortage, in_MPI_Alltoallv_init_is_a_decision_of_all) {
  const ReturnedErrors returned;
  for (const Shortage &shortage : kShortages)
    fail_each_allocation<InPlace>(
        shortage, [](InPlace &numbers) { return numbers.init(); },
        [](InPlace &numbers) {
          numbers.run();
          return numbers.is_right(1);
        });
}

/// Which waits for none. Requests that were made before end as usual. A rank that waits for what this one has not sent gets an error, and so do later
/// calls of both: those of this one would meet what others have sent for the call that it has not made.
TEST(CollectiveShortage, in_a_nonblocking_call_is_an_error_in_that_and_later_ones) {
  const ReturnedErrors returned;
  bool any_struck = true;
  for (long n = 1; any_struck; ++n) {
    Ring ring;
    MPI_Comm_set_errhandler(ring.comm(), MPI_ERRORS_RETURN);
    ring.renew(static_cast<int>(n));
    EXPECT_EQ(ring.exchange(), MPI_SUCCESS);
    MPI_Request earlier[2], last = MPI_REQUEST_NULL;
    for (MPI_Request &request : earlier) ASSERT_EQ(ring.begin(&request), MPI_SUCCESS);
    bool struck = false;
    int code = MPI_SUCCESS;
    {
      const FailingAllocation failing(rank() == size() - 1 ? n : 0, Extent::all_from_there);
      code = ring.begin(&last);
      struck = failing.struck();
    }
    EXPECT_EQ(class_of(code), struck ? MPI_ERR_NO_MEM : MPI_SUCCESS) << n;
    EXPECT_EQ(MPI_Waitall(2, earlier, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EXPECT_TRUE(ring.is_right(static_cast<int>(n)));
    any_struck = !everyone(!struck);
    const bool is_neighbor = left() == size() - 1 || right() == size() - 1;
    const bool fails = any_struck && (is_neighbor || struck);
    if (!struck) {
      EXPECT_EQ(MPI_Wait(&last, MPI_STATUS_IGNORE) != MPI_SUCCESS, fails) << n;
    }
    ring.renew(static_cast<int>(n) + 100);
    EXPECT_EQ(ring.exchange() != MPI_SUCCESS, fails) << n;
    EXPECT_TRUE(fails || ring.is_right(static_cast<int>(n) + 100)) << n;
  }
}

/// The same in a blocking call.
TEST(CollectiveShortage, in_a_blocking_call_is_an_error_in_that_and_later_ones) {
  const ReturnedErrors returned;
  const Ring ring;
  MPI_Comm_set_errhandler(ring.comm(), MPI_ERRORS_RETURN);
  int sent[] = {1, 2}, received[] = {-1, -1}, codes[3] = {};
  EXPECT_EQ(MPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, ring.comm()), MPI_SUCCESS);
  MPI_Datatype first_used = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, MPI_INT, &first_used);
  MPI_Type_commit(&first_used);
  {
    const FailingAllocation failing(rank() == size() - 1 ? 1 : 0, Extent::all_from_there);
    codes[0] = MPI_Neighbor_alltoall(sent, 1, first_used, received, 1, MPI_INT, ring.comm());
  }
  sent[0] = sent[1] = 7;
  for (int i = 1; i < 3; ++i) codes[i] = MPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, ring.comm());
  const bool is_neighbor = left() == size() - 1 || right() == size() - 1;
  if (rank() == size() - 1) {
    EXPECT_EQ(class_of(codes[0]), MPI_ERR_NO_MEM);
  } else if (is_neighbor) {
    EXPECT_NE(codes[0], MPI_SUCCESS);
  }
  EXPECT_NE(codes[2], MPI_SUCCESS);
  EXPECT_TRUE(received[0] != 7 && received[1] != 7) << received[0] << ' ' << received[1];
  MPI_Type_free(&first_used);
}

/// Nothing has ended, and the next wait ends it.
TEST(CollectiveShortage, in_a_wait_is_an_error_of_that_rank_that_changes_nothing) {
  const ReturnedErrors returned;
  Ring ring;
  ring.renew(5);
  ASSERT_EQ(ring.init(), MPI_SUCCESS);
  MPI_Request requests[2] = {ring.request(), MPI_REQUEST_NULL};
  EXPECT_EQ(MPI_Start(requests), MPI_SUCCESS);
  int codes[3] = {}, index = 0, flag = 0, done = 0, which[2];
  {
    const FailingAllocation failing(1, Extent::all_from_there);
    codes[0] = MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    codes[1] = MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    codes[2] = MPI_Waitsome(2, requests, &done, which, MPI_STATUSES_IGNORE);
  }
  for (const int code : codes) EXPECT_EQ(class_of(code), MPI_ERR_NO_MEM);
  EXPECT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  EXPECT_TRUE(ring.is_right(5));
}

/// Blocks with gaps that are longer than slots: these are packed in the memory of the sender, and of the receiver.
class LongBlocks {
 public:
  static constexpr int kNumbers = 1000, kGap = 2, kMost = 60;

  LongBlocks() : sent_(2 * kMost * kNumbers * kGap), received_(sent_.size()) {
    MPI_Type_vector(kNumbers, 1, kGap, MPI_INT, &every_other_);
    MPI_Type_create_resized(every_other_, 0, kNumbers * kGap * static_cast<MPI_Aint>(sizeof(int)), &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&every_other_);
  }
  LongBlocks(const LongBlocks &) = delete;
  LongBlocks &operator=(const LongBlocks &) = delete;
  ~LongBlocks() { MPI_Type_free(&type_); }

  void renew(int count, int step) {
    std::fill(received_.begin(), received_.end(), -1);
    for (std::size_t i = 0; i < sent_.size(); ++i)
      sent_[i] = number_of(rank(), i < block(count) ? left() : right(), step) + static_cast<int>(i % block(count));
  }
  int exchange(const Ring &ring, int count) {
    return MPI_Neighbor_alltoall(sent_.data(), count, type_, received_.data(), count, type_, ring.comm());
  }
  bool is_right(int count, int step) const {
    for (std::size_t i = 0; i < 2 * block(count); ++i) {
      const int expected = number_of(i < block(count) ? left() : right(), rank(), step) + static_cast<int>(i % block(count));
      if (received_[i] != (i % kGap == 0 ? expected : -1)) return false;
    }
    return true;
  }

 private:
  static std::size_t block(int count) { return static_cast<std::size_t>(count) * kNumbers * kGap; }

  std::vector<int> sent_, received_;
  MPI_Datatype every_other_ = MPI_DATATYPE_NULL, type_ = MPI_DATATYPE_NULL;
};

/// The ranks that should have had a block learn that. The next exchange is right.
TEST(CollectiveShortage, of_a_rank_that_packs_a_long_block_keeps_no_other_one_waiting) {
  const ReturnedErrors returned;
  const Ring ring;
  MPI_Comm_set_errhandler(ring.comm(), MPI_ERRORS_RETURN);
  LongBlocks blocks;
  int count = 5;
  blocks.renew(count, 0);
  ASSERT_EQ(blocks.exchange(ring, count), MPI_SUCCESS);
  EXPECT_TRUE(blocks.is_right(count, 0));
  bool any_struck = true;
  for (long n = 1; any_struck && count < LongBlocks::kMost; ++n) {
    count += 5;
    const int step = static_cast<int>(n);
    blocks.renew(count, step);
    int code = MPI_SUCCESS;
    bool struck = false;
    {
      const FailingAllocation failing(rank() == size() - 1 ? n : 0, Extent::one);
      code = blocks.exchange(ring, count);
      struck = failing.struck();
    }
    any_struck = !everyone(!struck);
    if (struck) {
      EXPECT_EQ(class_of(code), MPI_ERR_NO_MEM) << n;
    } else if (code != MPI_SUCCESS) {
      EXPECT_TRUE(any_struck && class_of(code) == MPI_ERR_OTHER) << n;
    } else {
      EXPECT_TRUE(blocks.is_right(count, step)) << n;
    }
    blocks.renew(count, step + 100);
    EXPECT_EQ(blocks.exchange(ring, count), MPI_SUCCESS);
    EXPECT_TRUE(blocks.is_right(count, step + 100)) << n;
  }
}

}  // namespace
}  // namespace halocline::test
