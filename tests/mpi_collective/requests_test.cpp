// Requests of collectives that the drop-in carries: among requests of the host, in wrong states, while the rank waits in the host, and of
// MPI_Alltoallv_init and its relatives.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <halocline/mpi4.h>

#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

/// A periodic ring whose links are made.
class Ring {
 public:
  Ring() {
    const int dims[] = {size()}, periods[] = {1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Neighbor_alltoall(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, comm_);
  }
  Ring(const Ring &) = delete;
  Ring &operator=(const Ring &) = delete;
  ~Ring() { MPI_Comm_free(&comm_); }
  MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

int left() { return (rank() + size() - 1) % size(); }
int right() { return (rank() + 1) % size(); }

/// `count` numbers to either side.
struct Halo {
  int count;
  std::vector<int> sent, received;

  explicit Halo(int numbers) : count(numbers), sent(2 * static_cast<std::size_t>(numbers)), received(sent.size()) {}
  void renew(int step) {
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = rank() * 100000 + step * 1000 + static_cast<int>(i % 999);
    std::fill(received.begin(), received.end(), -1);
  }
  /// What went right arrives from the left.
  bool is_right(int step) const {
    const auto half = static_cast<std::size_t>(count);
    for (std::size_t i = 0; i < half; ++i) {
      if (received[i] != left() * 100000 + step * 1000 + static_cast<int>((half + i) % 999)) return false;
      if (received[half + i] != right() * 100000 + step * 1000 + static_cast<int>(i % 999)) return false;
    }
    return true;
  }
  MPI_Request begin(const Ring &ring) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ineighbor_alltoall(sent.data(), count, MPI_INT, received.data(), count, MPI_INT, ring.comm(), &request);
    return request;
  }
  MPI_Request init(const Ring &ring) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Neighbor_alltoall_init(sent.data(), count, MPI_INT, received.data(), count, MPI_INT, ring.comm(), MPI_INFO_NULL, &request);
    return request;
  }
};

int error_class_of(int code) {
  int found = 0;
  MPI_Error_class(code, &found);
  return found;
}

constexpr int kShort = 5, kLong = 200'000;

TEST(CollectiveRequests, are_awaited_among_those_of_the_host) {
  const Ring ring;
  Halo one(kShort), other(kLong);
  for (int step = 0; step < 8; ++step) {
    one.renew(step), other.renew(step + 50);
    int got = -1;
    const int given = rank() * 10 + step;
    MPI_Request requests[5] = {MPI_REQUEST_NULL};
    MPI_Irecv(&got, 1, MPI_INT, left(), step, MPI_COMM_WORLD, &requests[0]);
    requests[1] = one.begin(ring);
    requests[3] = other.begin(ring);
    requests[2] = MPI_REQUEST_NULL;
    MPI_Isend(&given, 1, MPI_INT, right(), step, MPI_COMM_WORLD, &requests[4]);
    MPI_Status statuses[5];
    if (step % 4 == 0) {
      EXPECT_EQ(MPI_Waitall(5, requests, statuses), MPI_SUCCESS);
      EXPECT_EQ(statuses[0].MPI_SOURCE, left());
    }
    for (int done = 0, index = 0; step % 4 == 1 && done < 4; ++done)
      EXPECT_EQ(MPI_Waitany(5, requests, &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int done = 0, some = 0, indices[5]; step % 4 == 2 && done < 4; done += some) MPI_Testsome(5, requests, &some, indices, statuses);
    for (int flag = 0; step % 4 == 3 && !flag;) MPI_Testall(5, requests, &flag, MPI_STATUSES_IGNORE);
    for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(got, left() * 10 + step);
    EXPECT_TRUE(one.is_right(step) && other.is_right(step + 50)) << step;
  }
}

TEST(CollectiveRequests, of_which_none_is_active_are_undefined) {
  const Ring ring;
  Halo halo(kShort);
  MPI_Request requests[2] = {halo.init(ring), MPI_REQUEST_NULL};
  int index = 0, flag = 0, some = 0, indices[2];
  EXPECT_EQ(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(index, MPI_UNDEFINED);
  EXPECT_EQ(MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_TRUE(flag && index == MPI_UNDEFINED);
  EXPECT_EQ(MPI_Waitsome(2, requests, &some, indices, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(some, MPI_UNDEFINED);
  MPI_Status status;
  EXPECT_EQ(MPI_Wait(&requests[0], &status), MPI_SUCCESS);
  EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
  EXPECT_NE(requests[0], MPI_REQUEST_NULL);
  MPI_Request_free(&requests[0]);
  EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
}

TEST(CollectiveRequests, refuse_a_second_start_and_the_end_of_one_that_is_active) {
  const Ring ring;
  Halo halo(kLong);
  halo.renew(1);
  MPI_Request request = halo.init(ring);
  EXPECT_EQ(MPI_Start(&request), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQ(error_class_of(MPI_Start(&request)), MPI_ERR_REQUEST);
  EXPECT_EQ(error_class_of(MPI_Request_free(&request)), MPI_ERR_REQUEST);
  EXPECT_EQ(error_class_of(MPI_Cancel(&request)), MPI_ERR_REQUEST);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  int flag = 0;
  while (!flag) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_TRUE(halo.is_right(1));
  MPI_Request_free(&request);
}

/// A call with arguments that are wrong where `is_wrong`.
struct WrongCall {
  const char *what;
  int error;
  int (*init)(bool is_wrong, MPI_Comm comm, MPI_Request *request);
};

int numbers_sent[64], numbers_received[64];
std::vector<int> ones() { return std::vector<int>(static_cast<std::size_t>(size()) + 2, 1); }

const WrongCall kWrongCalls[] = {
    {"a count", MPI_ERR_COUNT,
     [](bool is_wrong, MPI_Comm comm, MPI_Request *request) {
       return MPI_Neighbor_alltoall_init(numbers_sent, is_wrong ? -1 : 1, MPI_INT, numbers_received, 1, MPI_INT, comm, MPI_INFO_NULL,
                                         request);
     }},
    {"a datatype", MPI_ERR_TYPE,
     [](bool is_wrong, MPI_Comm comm, MPI_Request *request) {
       return MPI_Neighbor_alltoall_init(numbers_sent, 1, is_wrong ? MPI_DATATYPE_NULL : MPI_INT, numbers_received, 1, MPI_INT, comm,
                                         MPI_INFO_NULL, request);
     }},
    {"one of several datatypes", MPI_ERR_TYPE,
     [](bool is_wrong, MPI_Comm comm, MPI_Request *request) {
       const MPI_Datatype types[] = {MPI_INT, is_wrong ? MPI_DATATYPE_NULL : MPI_INT};
       const MPI_Aint places[] = {0, 4};
       return MPI_Neighbor_alltoallw_init(numbers_sent, ones().data(), places, types, numbers_received, ones().data(), places, types, comm,
                                          MPI_INFO_NULL, request);
     }},
    {"a buffer", MPI_ERR_BUFFER,
     [](bool is_wrong, MPI_Comm comm, MPI_Request *request) {
       return MPI_Neighbor_alltoallv_init(numbers_sent, ones().data(), ones().data(), MPI_INT, is_wrong ? nullptr : numbers_received,
                                          ones().data(), ones().data(), MPI_INT, comm, MPI_INFO_NULL, request);
     }},
    {"the request", MPI_ERR_ARG,
     [](bool is_wrong, MPI_Comm comm, MPI_Request *request) {
       return MPI_Neighbor_alltoall_init(numbers_sent, 1, MPI_INT, numbers_received, 1, MPI_INT, comm, MPI_INFO_NULL,
                                         is_wrong ? nullptr : request);
     }},
    {"a count for one rank", MPI_ERR_COUNT,
     [](bool is_wrong, MPI_Comm comm, MPI_Request *request) {
       std::vector<int> counts = ones();
       if (is_wrong) counts[0] = -4;
       return MPI_Alltoallv_init(numbers_sent, counts.data(), ones().data(), MPI_INT, numbers_received, ones().data(), ones().data(),
                                 MPI_INT, comm, MPI_INFO_NULL, request);
     }},
    {"a buffer for all ranks", MPI_ERR_BUFFER,
     [](bool is_wrong, MPI_Comm comm, MPI_Request *request) {
       return MPI_Allgatherv_init(is_wrong ? nullptr : numbers_sent, 1, MPI_INT, numbers_received, ones().data(), ones().data(), MPI_INT,
                                  comm, MPI_INFO_NULL, request);
     }},
};

/// No rank waits for one that refuses its arguments: that has its own error, the others are told its rank. The next call is right.
TEST(CollectiveRequests, refuse_on_all_ranks_what_one_rank_refuses) {
  const Ring ring;
  Halo halo(kShort);
  for (const WrongCall &call : kWrongCalls)
    for (const int wrong_on : {size() - 1, 0}) {
      const bool is_wrong = rank() == wrong_on;
      MPI_Request request = MPI_REQUEST_NULL;
      EXPECT_EQ(error_class_of(call.init(is_wrong, ring.comm(), &request)), is_wrong ? call.error : MPI_ERR_OTHER) << call.what;
      EXPECT_EQ(request, MPI_REQUEST_NULL);
      request = halo.init(ring);
      halo.renew(4);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_TRUE(halo.is_right(4)) << call.what;
      MPI_Request_free(&request);
    }
}

TEST(CollectiveRequests, continue_while_a_rank_waits_in_the_host) {
  const Ring ring;
  constexpr int kInFlight = 9;  // more than there are slots
  std::vector<Halo> halos;
  for (int i = 0; i < kInFlight; ++i) halos.emplace_back(i % 3 == 0 ? kLong / 4 : kShort), halos.back().renew(i);
  std::vector<MPI_Request> requests;
  for (Halo &halo : halos) requests.push_back(halo.begin(ring));
  // Rank 0 is in a receive of the host until the others have all that it sends.
  int token = 0;
  if (rank() == 0)
    for (int from = 1; from < size(); ++from) MPI_Recv(&token, 1, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (rank() != left() && left() != 0 && right() != 0)
    MPI_Waitall(kInFlight, requests.data(), MPI_STATUSES_IGNORE);
  if (rank() > 0) MPI_Send(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  MPI_Waitall(kInFlight, requests.data(), MPI_STATUSES_IGNORE);
  for (int i = 0; i < kInFlight; ++i) EXPECT_TRUE(halos[static_cast<std::size_t>(i)].is_right(i)) << i;
}

TEST(CollectiveRequests, outlive_their_communicator) {
  Halo halo(kLong);
  halo.renew(3);
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const Ring ring;
    request = halo.init(ring);
  }
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_TRUE(halo.is_right(3));
  MPI_Request_free(&request);
}

TEST(CollectiveRequests, are_awaited_by_several_threads) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
  constexpr int kThreads = 3, kSteps = 20;
  const Ring ring;
  std::vector<Halo> halos;
  std::vector<MPI_Request> requests;
  for (int i = 0; i < kThreads; ++i) halos.emplace_back(i == 1 ? kLong / 10 : kShort);
  for (Halo &halo : halos) requests.push_back(halo.init(ring));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < halos.size(); ++i)
    threads.emplace_back([&, i] {
      for (int step = 0; step < kSteps; ++step) {
        halos[i].renew(step);
        MPI_Start(&requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        wrong += halos[i].is_right(step) ? 0 : 1;
      }
    });
  for (std::thread &thread : threads) thread.join();
  // Of one communicator's links, begun by this thread, awaited by others.
  for (std::size_t i = 0; i < halos.size(); ++i) {
    MPI_Request_free(&requests[i]);
    halos[i].renew(77);
    requests[i] = halos[i].begin(ring);
  }
  threads.clear();
  for (std::size_t i = halos.size(); i-- > 0;) threads.emplace_back([&, i] { MPI_Wait(&requests[i], MPI_STATUS_IGNORE); });
  for (std::thread &thread : threads) thread.join();
  for (const Halo &halo : halos) wrong += halo.is_right(77) ? 0 : 1;
  EXPECT_EQ(wrong, 0);
}

/// What rank `from` has for rank `to` in a step: some ranks have nothing for others.
int count_for(int from, int to) { return (from + 2 * to) % 4 == 0 ? 0 : (from * 7 + to * 3) % 5 * 900 + 1; }
int number_of(int from, int to, int step, int i) { return from * 1000003 + to * 10007 + step * 101 + i; }

struct Vector {
  std::vector<int> counts, places;
  int all = 0;

  template <class Count>
  explicit Vector(Count count) {
    for (int other = 0; other < size(); ++other) {
      counts.push_back(count(other));
      places.push_back(all);
      all += counts.back();
    }
  }
};

TEST(PersistentAlltoallv, sends_each_rank_its_own) {
  const Vector out([](int to) { return count_for(rank(), to); }), in([](int from) { return count_for(from, rank()); });
  std::vector<int> sent(static_cast<std::size_t>(out.all) + 1), received(static_cast<std::size_t>(in.all) + 1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Alltoallv_init(sent.data(), out.counts.data(), out.places.data(), MPI_INT, received.data(), in.counts.data(), in.places.data(),
                     MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int step = 0; step < 6; ++step) {
    for (int to = 0; to < size(); ++to)
      for (int i = 0; i < out.counts[static_cast<std::size_t>(to)]; ++i)
        sent[static_cast<std::size_t>(out.places[static_cast<std::size_t>(to)] + i)] = number_of(rank(), to, step, i);
    std::fill(received.begin(), received.end(), -1);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int wrong = 0;
    for (int from = 0; from < size(); ++from)
      for (int i = 0; i < in.counts[static_cast<std::size_t>(from)]; ++i)
        wrong +=
            received[static_cast<std::size_t>(in.places[static_cast<std::size_t>(from)] + i)] != number_of(from, rank(), step, i) ? 1 : 0;
    EXPECT_EQ(wrong, 0) << step;
    EXPECT_EQ(received.back(), -1);
  }
  MPI_Request_free(&request);
}

/// In place both directions have as many numbers.
TEST(PersistentAlltoallv, in_place_exchanges_what_is_there) {
  const Vector both([](int other) { return 300 + 4000 * ((rank() + other) % 2); });
  std::vector<int> data(static_cast<std::size_t>(both.all));
  const std::vector<MPI_Datatype> types(static_cast<std::size_t>(size()), MPI_INT);
  std::vector<int> bytes;
  for (const int place : both.places) bytes.push_back(place * 4);
  for (const bool by_types : {false, true}) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (by_types)
      MPI_Alltoallw_init(MPI_IN_PLACE, nullptr, nullptr, nullptr, data.data(), both.counts.data(), bytes.data(), types.data(),
                         MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
      MPI_Alltoallv_init(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, data.data(), both.counts.data(), both.places.data(), MPI_INT,
                         MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int step = 0; step < 6; ++step) {
      const auto at = [&](int other, int i) { return static_cast<std::size_t>(both.places[static_cast<std::size_t>(other)] + i); };
      for (int to = 0; to < size(); ++to)
        for (int i = 0; i < both.counts[static_cast<std::size_t>(to)]; ++i) data[at(to, i)] = number_of(rank(), to, step, i);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      int wrong = 0;
      for (int from = 0; from < size(); ++from)
        for (int i = 0; i < both.counts[static_cast<std::size_t>(from)]; ++i)
          wrong += data[at(from, i)] != number_of(from, rank(), step, i);
      EXPECT_EQ(wrong, 0) << step;
    }
    MPI_Request_free(&request);
  }
}

TEST(PersistentAllgatherv, gathers_from_all_also_in_place) {
  const Vector all([](int from) { return from % 3 == 1 ? 0 : 200 + 30'000 * (from % 2); });
  const int mine = all.counts[static_cast<std::size_t>(rank())], place = all.places[static_cast<std::size_t>(rank())];
  for (const bool in_place : {false, true}) {
    std::vector<int> sent(static_cast<std::size_t>(mine) + 1), received(static_cast<std::size_t>(all.all) + 1);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Allgatherv_init(in_place ? MPI_IN_PLACE : sent.data(), mine, MPI_INT, received.data(), all.counts.data(), all.places.data(),
                        MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int step = 0; step < 5; ++step) {
      std::fill(received.begin(), received.end(), -1);
      for (int i = 0; i < mine; ++i)
        (in_place ? received[static_cast<std::size_t>(place + i)] : sent[static_cast<std::size_t>(i)]) = number_of(rank(), 0, step, i);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      int wrong = 0;
      for (int from = 0; from < size(); ++from)
        for (int i = 0; i < all.counts[static_cast<std::size_t>(from)]; ++i)
          wrong +=
              received[static_cast<std::size_t>(all.places[static_cast<std::size_t>(from)] + i)] != number_of(from, 0, step, i) ? 1 : 0;
      EXPECT_EQ(wrong, 0) << step;
      EXPECT_EQ(received.back(), -1);
    }
    MPI_Request_free(&request);
  }
}

}  // namespace
