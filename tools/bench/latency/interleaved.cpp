// SPDX-License-Identifier: BSD-3-Clause
#include "bench/latency/interleaved.hpp"

#include <algorithm>
#include <stdexcept>

namespace bench {

namespace {

/// What byte i of a message with this number holds; never 0, which is what memory holds at first.
char pattern(unsigned number, std::int64_t i) { return static_cast<char>(1 + (number * 31U + static_cast<unsigned>(i) * 7U) % 251U); }

void fill(char *bytes, std::int64_t count, unsigned number) {
  for (std::int64_t i = 0; i < count; ++i) bytes[i] = pattern(number, i);
}

bool holds(const char *bytes, std::int64_t count, unsigned number) {
  for (std::int64_t i = 0; i < count; ++i)
    if (bytes[i] != pattern(number, i)) return false;
  return true;
}

}  // namespace

void Interleaved::verify(Lap lap, std::int64_t bytes) {
  const std::int64_t count = lap == Lap::stream ? Slots::count(bytes) : 1;
  for (const auto &carrier : carriers_) {
    pattern_ += 2;
    fill(carrier->outgoing(), bytes * count, pattern_ + static_cast<unsigned>(pair_.rank));
    repeat(*carrier, lap, bytes, static_cast<int>(count));
    carrier->see_off();
    const bool receives = lap == Lap::ping_pong || pair_.rank == 1;
    const bool right = !receives || holds(carrier->incoming(), bytes * count, pattern_ + static_cast<unsigned>(pair_.other()));
    if (!on_both(right, pair_.comm))
      throw std::runtime_error("wrong bytes received by " + carrier->name() + " in messages of " + std::to_string(bytes) + " bytes");
  }
}

std::vector<Sampled> Interleaved::run(Lap lap, std::int64_t bytes) {
  std::vector<Sampled> timings;
  std::vector<int> counts;
  for (const auto &carrier : carriers_) {
    timings.push_back({carrier->name()});
    counts.push_back(first_count(*carrier, lap, bytes));
  }
  in_rounds(carriers_.size(), options_.repetitions, order_, [&](std::size_t c) {
    timings[c].samples.push_back(sample(*carriers_[c], lap, bytes, counts[c]));
    adapt(counts[c], timings[c].samples.back(), lap);
  });
  for (Sampled &timing : timings) timing.conclude();
  return timings;
}

void Interleaved::repeat(Carrier &carrier, Lap lap, std::int64_t bytes, int count) {
  if (lap == Lap::ping_pong)
    carrier.ping_pong(bytes, count);
  else
    carrier.stream(bytes, count);
}

/// The clock is that of rank 0, which starts and ends every lap.
double Interleaved::sample(Carrier &carrier, Lap lap, std::int64_t bytes, int count) {
  meet(pair_.comm);
  carrier.ping_pong(bytes, 1);
  const double begin = MPI_Wtime();
  repeat(carrier, lap, bytes, count);
  double us = (MPI_Wtime() - begin) / count * 1e6 / (lap == Lap::ping_pong ? 2 : 1);
  carrier.see_off();
  MPI_Bcast(&us, 1, MPI_DOUBLE, 0, pair_.comm);
  return us;
}

double Interleaved::least(Lap lap) { return lap == Lap::stream ? 4 : 1; }

/// As many as make a sample about as long as asked for, but at least so many that what begins and ends a stream counts little.
int Interleaved::count_for(double us, Lap lap) const { return repeats_for(us, options_, least(lap), 1e6); }

/// By the slowest of a few tries: a sample that is too short does less harm than one that does not end.
int Interleaved::first_count(Carrier &carrier, Lap lap, std::int64_t bytes) {
  const int few = static_cast<int>(least(lap));
  double us = 0;
  for (int i = 0; i < 3; ++i) us = std::max(us, sample(carrier, lap, bytes, few));
  return count_for(us, lap);
}

/// Follows what the last sample needed: a busy machine may slow a message a thousandfold from one round to the next.
void Interleaved::adapt(int &count, double us, Lap lap) const { count = std::clamp(count_for(us, lap), std::max(1, count / 8), 2 * count); }

}  // namespace bench
