// What the tests of the ARMCI interface share: memory for the length of a test, numbers that identify their writer, and the element types of
// accumulates. They use nothing but MPI and armci.h, so that they run with any implementation of ARMCI.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

// Also a macro of GoogleTest, which no test here needs.
#undef FAIL
// ARMCI-MPI's header has no linkage of its own.
extern "C" {
#include <armci.h>
}

#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/mpi_test.hpp"

namespace halocline::test {

inline int next() { return (rank() + 1) % size(); }
inline int previous() { return (rank() + size() - 1) % size(); }
inline std::size_t as_index(int number) { return static_cast<std::size_t>(number); }

/// Memory of all ranks, allocated and freed by them together. The number of bytes may differ.
class GlobalMemory {
 public:
  explicit GlobalMemory(long bytes) : bytes_(bytes), bases_(as_index(size())) {
    EXPECT_EQ(ARMCI_Malloc(bases_.data(), bytes), 0);
    fill(0x5a);
    ARMCI_Barrier();
  }
  GlobalMemory(const GlobalMemory &) = delete;
  GlobalMemory &operator=(const GlobalMemory &) = delete;
  ~GlobalMemory() {
    ARMCI_Barrier();
    EXPECT_EQ(ARMCI_Free(bases_[as_index(rank())]), 0);
  }

  char *of(int r) const { return static_cast<char *>(bases_[as_index(r)]); }
  template <class T>
  T *words(int r) const {
    return static_cast<T *>(bases_[as_index(r)]);
  }
  char *mine() const { return of(rank()); }
  long bytes() const { return bytes_; }

  /// Sets each byte of the caller's part.
  void fill(int byte) const {
    if (bytes_ == 0) return;
    ARMCI_Access_begin(mine());
    std::memset(mine(), byte, static_cast<std::size_t>(bytes_));
    ARMCI_Access_end(mine());
  }
  /// The caller's part as it is now.
  std::vector<char> copy() const {
    std::vector<char> bytes(static_cast<std::size_t>(bytes_));
    if (bytes_ == 0) return bytes;
    ARMCI_Access_begin(mine());
    std::memcpy(bytes.data(), mine(), bytes.size());
    ARMCI_Access_end(mine());
    return bytes;
  }
  template <class T>
  std::vector<T> copy_of(std::size_t first, std::size_t count) const {
    std::vector<T> elements(count);
    const std::vector<char> bytes = copy();
    std::memcpy(elements.data(), bytes.data() + first * sizeof(T), count * sizeof(T));
    return elements;
  }
  template <class T>
  void store(std::size_t first, const std::vector<T> &elements) const {
    ARMCI_Access_begin(mine());
    std::memcpy(mine() + first * sizeof(T), elements.data(), elements.size() * sizeof(T));
    ARMCI_Access_end(mine());
  }

 private:
  long bytes_;
  std::vector<void *> bases_;
};

/// Word `index` of what a rank writes in a step: it depends on all three, and is never 0.
inline std::uint64_t word_of(int rank, std::uint64_t step, std::uint64_t index) {
  std::uint64_t word = (static_cast<std::uint64_t>(rank) << 48) + (step << 24) + index + 1;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  return (word ^ (word >> 27)) | 1;
}

inline std::vector<std::uint64_t> words_of(int rank, std::uint64_t step, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = word_of(rank, step, i);
  return words;
}

/// The same as bytes.
inline std::vector<char> bytes_of(int rank, std::uint64_t step, std::size_t count) {
  const std::vector<std::uint64_t> words = words_of(rank, step, count / 8 + 1);
  std::vector<char> bytes(count);
  std::memcpy(bytes.data(), words.data(), count);
  return bytes;
}

/// A whole number as an element; complex ones have an imaginary part that differs.
template <class T>
T element_of(int number) {
  return static_cast<T>(number);
}
template <>
inline std::complex<float> element_of(int number) {
  return {static_cast<float>(number), static_cast<float>(3 - number)};
}
template <>
inline std::complex<double> element_of(int number) {
  return {static_cast<double>(number), static_cast<double>(3 - number)};
}

/// A whole number as an element without an imaginary part.
template <class T>
T real_element(int number) {
  return static_cast<T>(number);
}
template <>
inline std::complex<float> real_element(int number) {
  return {static_cast<float>(number), 0};
}
template <>
inline std::complex<double> real_element(int number) {
  return {static_cast<double>(number), 0};
}

template <class T>
constexpr int accumulate_type() {
  if constexpr (std::is_same_v<T, int>) return ARMCI_ACC_INT;
  if constexpr (std::is_same_v<T, long>) return ARMCI_ACC_LNG;
  if constexpr (std::is_same_v<T, float>) return ARMCI_ACC_FLT;
  if constexpr (std::is_same_v<T, double>) return ARMCI_ACC_DBL;
  if constexpr (std::is_same_v<T, std::complex<float>>) return ARMCI_ACC_CPL;
  if constexpr (std::is_same_v<T, std::complex<double>>) return ARMCI_ACC_DCP;
}

using AccumulateTypes = testing::Types<int, long, float, double, std::complex<float>, std::complex<double>>;

/// A section of an array in the words of ARMCI: bytes of a run, and how many of them at each level.
struct Section {
  std::vector<int> count;  // bytes, then numbers
  std::vector<int> strides[2];  // bytes, at the source and at the destination
  int levels() const { return static_cast<int>(count.size()) - 1; }
  /// From the first byte to behind the last one; `side` 0 is the source.
  std::size_t extent(int side) const {
    std::size_t bytes = as_index(count[0]);
    for (std::size_t l = 0; l + 1 < count.size(); ++l) bytes += as_index(count[l + 1] - 1) * as_index(strides[side][l]);
    return bytes;
  }
  /// Where each run begins.
  std::vector<std::size_t> runs(int side) const {
    std::vector<std::size_t> starts{0};
    for (std::size_t l = 0; l + 1 < count.size(); ++l) {
      const std::vector<std::size_t> inner = starts;
      for (int i = 1; i < count[l + 1]; ++i)
        for (const std::size_t start : inner) starts.push_back(start + as_index(i) * as_index(strides[side][l]));
    }
    return starts;
  }
};

}  // namespace halocline::test
