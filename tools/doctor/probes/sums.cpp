// Accumulate and its kin with arithmetic: every rank adds to the window of every neighbour, through every synchronisation, as plain elements
// and as a subarray of doubles. Contributions tell their origin apart, so that a lost, doubled or torn one is named.
// SPDX-License-Identifier: BSD-3-Clause

#include "../layout.hpp"
#include "../probe.hpp"
#include "../sync.hpp"
#include "../watchdog.hpp"

namespace doctor {
namespace {

constexpr int kElements = 24;

/// What a rank adds to an element: whole numbers, exact in every type that is used here.
template <class T>
T share(int rank, int element) {
  return static_cast<T>((rank + 1) * 1000 + element);
}

template <class T>
struct SumType;
template <>
struct SumType<double> {
  static Base base() { return {MPI_DOUBLE, 8, "MPI_DOUBLE"}; }
};
template <>
struct SumType<std::int64_t> {
  static Base base() { return {MPI_INT64_T, 8, "MPI_INT64_T"}; }
};
template <>
struct SumType<std::int32_t> {
  static Base base() { return {MPI_INT32_T, 4, "MPI_INT32_T"}; }
};

/// Sums of one element type in one arrangement of the target.
template <class T>
class Sums {
 public:
  Sums(Bench &bench, const Sync &sync, Arrangement arrangement)
      : bench_(bench),
        sync_(sync),
        base_(SumType<T>::base()),
        here_(Arrangement::basic, base_, kElements),
        there_(arrangement, base_, kElements),
        name_(doctor::name_of(arrangement)),
        mine_(kElements) {
    for (int distance = 0; distance < std::min(bench.size(), 3); ++distance) distances_.push_back(distance);
  }

  void run(Kind kind) {
    Window window(kind, bench_.comm(), {there_.span, 8, 1});
    window_ = &window;
    watch_phase(words());
    Epoch epoch{bench_.comm(),
                &window,
                ranks(1),
                ranks(-1),
                [this] { prepare(); },
                [this](int target, std::vector<MPI_Request> *requests) { move(target, requests); },
                [] {},
                [this] { look(); }};
    sync_.run(epoch);
    window.free();
  }

 private:
  std::string words() const { return std::string("MPI_SUM of ") + base_.name + ", " + name_ + " at the target, " + sync_.calls; }

  std::vector<int> ranks(int direction) const {
    std::vector<int> found;
    for (const int distance : distances_) found.push_back((bench_.rank() + bench_.size() + direction * distance) % bench_.size());
    return found;
  }

  /// The element of my window that is the i-th to travel.
  T *element(int i) const {
    std::size_t place = static_cast<std::size_t>(i) * base_.bytes;
    for (const Run &run : there_.runs) {
      if (place < run.bytes) return reinterpret_cast<T *>(window_->base() + run.offset + place);
      place -= run.bytes;
    }
    return nullptr;
  }

  void prepare() {
    for (int i = 0; i < kElements; ++i) {
      *element(i) = static_cast<T>(i);
      mine_[static_cast<std::size_t>(i)] = share<T>(bench_.rank(), i);
    }
  }

  void move(int target, std::vector<MPI_Request> *requests) {
    MPI_Request request = MPI_REQUEST_NULL;
    const MPI_Aint there = window_->displacement(target, 0);
    if (requests) {
      CALL(MPI_Raccumulate, mine_.data(), kElements, base_.type, target, there, there_.count, there_.type, MPI_SUM, *window_, &request);
      requests->push_back(request);
    } else {
      CALL(MPI_Accumulate, mine_.data(), kElements, base_.type, target, there, there_.count, there_.type, MPI_SUM, *window_);
    }
  }

  void look() {
    for (int i = 0; i < kElements; ++i) {
      T expected = static_cast<T>(i);
      for (const int origin : ranks(-1)) expected = static_cast<T>(expected + share<T>(origin, i));
      if (*element(i) != expected) return complain(i, *element(i), expected);
    }
  }

  void complain(int i, T found, T expected) {
    std::string text = words() + ": element " + std::to_string(i) + " of rank " + std::to_string(bench_.rank()) + " is " +
                       std::to_string(found) + ", expected " + std::to_string(expected);
    for (const int origin : ranks(-1)) {
      const auto what = share<T>(origin, i);
      if (found + what == expected) text += ": what rank " + std::to_string(origin) + " adds is missing";
      if (found == expected + what) text += ": what rank " + std::to_string(origin) + " adds arrived twice";
    }
    bench_.wrong("accumulate", text);
  }

  Bench &bench_;
  const Sync &sync_;
  Base base_;
  Layout here_, there_;
  std::string name_;
  std::vector<T> mine_;
  std::vector<int> distances_;
  Window *window_ = nullptr;
};

void probe_sums(Bench &bench, Kind kind, const Sync &sync) {
  Sums<double>(bench, sync, Arrangement::subarray).run(kind);
  Sums<std::int64_t>(bench, sync, Arrangement::basic).run(kind);
  Sums<std::int32_t>(bench, sync, Arrangement::vector).run(kind);
}

}  // namespace

std::vector<Probe> sum_probes() {
  std::vector<Probe> probes;
  for (const Kind kind : kKinds)
    for (const Sync &sync : sync_table())
      probes.push_back({std::string(name_of(kind)) + "/" + sync.name + "/sum",
                        std::string(maker_of(kind)) + "; MPI_Accumulate (MPI_SUM); " + sync.calls,
                        [kind, &sync](Bench &bench) { probe_sums(bench, kind, sync); }});
  return probes;
}

}  // namespace doctor
