// SPDX-License-Identifier: BSD-3-Clause
#include "sums.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace pic {

void Sums::start(const std::vector<ExactSum> &mine) {
  const Timed timed(clock_, Site::sums);
  numbers_.clear();
  for (const ExactSum &sum : mine) numbers_.insert(numbers_.end(), sum.level, sum.level + ExactSum::kLevels);
  do_start(numbers_);
}

std::vector<double> Sums::finish() {
  {
    const Timed timed(clock_, Site::sums);
    do_finish(numbers_);
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < numbers_.size(); i += ExactSum::kLevels) {
    ExactSum sum;
    std::copy_n(numbers_.begin() + static_cast<std::ptrdiff_t>(i), ExactSum::kLevels, sum.level);
    values.push_back(sum.value());
  }
  return values;
}

namespace {

class MpiSums : public Sums {
 public:
  MpiSums(const halocline::Context &, Clock &clock) : Sums(clock) {}

 private:
  void do_start(std::vector<double> &numbers) override {
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  void do_finish(std::vector<double> &) override {}
};

class MpiOverlapped : public Sums {
 public:
  MpiOverlapped(const halocline::Context &, Clock &clock) : Sums(clock) {}

 private:
  void do_start(std::vector<double> &numbers) override {
    MPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request_);
  }
  void do_finish(std::vector<double> &) override { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Plans have a fixed number of elements: one for 1 value, 2, 4, and so on.
std::size_t plan_of(std::size_t numbers) {
  std::size_t plan = 0;
  while ((std::size_t{ExactSum::kLevels} << plan) < numbers) ++plan;
  return plan;
}

class LibrarySums : public Sums {
 public:
  LibrarySums(const halocline::Context &context, Clock &clock) : Sums(clock) {
    for (std::size_t count = ExactSum::kLevels; count <= kMost * ExactSum::kLevels; count *= 2)
      plans_.emplace_back(context, static_cast<std::int64_t>(count), halocline::Reduction::sum, "sums");
  }

 private:
  void do_start(std::vector<double> &numbers) override {
    const std::size_t count = numbers.size(), plan = plan_of(count);
    numbers.resize(std::size_t{ExactSum::kLevels} << plan);
    plans_[plan].run(numbers.data());
    numbers.resize(count);
  }
  void do_finish(std::vector<double> &) override {}

  std::vector<halocline::Allreduce<double>> plans_;
};

/// Each rank puts its numbers into the memory of every other one, with a notification, and adds up what it has got.
class NotifiedSums : public Sums {
 public:
  NotifiedSums(const halocline::Context &context, Clock &clock) : Sums(clock), ranks_(context.size()), rank_(context.rank()) {
    for (std::size_t count = ExactSum::kLevels; count <= kMost * ExactSum::kLevels; count *= 2) plans_.push_back(plan(context, count));
  }

 private:
  using Pack = std::function<void(int, void *)>;
  using Unpack = std::function<void(int, const void *)>;
  using Plan = halocline::Exchange<Pack, Unpack>;

  std::unique_ptr<Plan> plan(const halocline::Context &context, std::size_t count) {
    const auto bytes = static_cast<std::int64_t>(count * sizeof(double));
    std::vector<halocline::Neighbour> others;
    for (int rank = 0; rank < ranks_; ++rank)
      if (rank != rank_) others.push_back({rank, 0, 0, bytes, bytes});
    halocline::ExchangeOptions options;
    options.mode = halocline::Mode::notify;
    options.name = "sums";
    const Pack pack = [this](int, void *to) { std::copy(mine_.begin(), mine_.end(), static_cast<double *>(to)); };
    const Unpack unpack = [this](int, const void *from) {
      const auto *numbers = static_cast<const double *>(from);
      for (std::size_t i = 0; i < result_->size(); ++i) (*result_)[i] += numbers[i];
    };
    return std::make_unique<Plan>(context, others, pack, unpack, options);
  }
  void do_start(std::vector<double> &numbers) override {
    mine_ = numbers;
    running_ = plans_[plan_of(numbers.size())].get();
    mine_.resize(std::size_t{ExactSum::kLevels} << plan_of(numbers.size()));
    running_->start();
  }
  void do_finish(std::vector<double> &numbers) override {
    result_ = &numbers;
    running_->finish();
  }

  int ranks_, rank_;
  std::vector<double> mine_;
  std::vector<double> *result_ = nullptr;
  std::vector<std::unique_ptr<Plan>> plans_;
  Plan *running_ = nullptr;
};

template <class Kind>
std::unique_ptr<Sums> make(const halocline::Context &context, Clock &clock) {
  return std::make_unique<Kind>(context, clock);
}

}  // namespace

const std::vector<SumsKind> &sums_kinds() {
  static const std::vector<SumsKind> kinds = {
      {"mpi", make<MpiSums>}, {"mpi_overlapped", make<MpiOverlapped>}, {"hlc", make<LibrarySums>}, {"overlapped", make<NotifiedSums>}};
  return kinds;
}

std::unique_ptr<Sums> make_sums(const std::string &name, const halocline::Context &context, Clock &clock) {
  for (const SumsKind &kind : sums_kinds())
    if (name == kind.name) return kind.make(context, clock);
  throw std::runtime_error("no way to sum is called " + name);
}

}  // namespace pic
