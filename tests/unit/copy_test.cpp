// The copy kernels against a reference that moves one byte at a time: every order of dimensions, gaps, and run lengths from one element.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace halocline::core {
namespace {

/// A box of cells in an array with these strides, at random.
struct Sample {
  Cells count{1, 1, 1, 1};
  std::array<int, kMaxDims> order{0, 1, 2, 3};
  Strides strides{};
  std::int64_t element = 0, bytes = 0;
};

Sample random_sample(std::mt19937 &random, std::int64_t element) {
  Sample sample;
  sample.element = element;
  for (auto &count : sample.count) count = 1 + static_cast<std::int64_t>(random() % 5);
  std::shuffle(sample.order.begin(), sample.order.end(), random);
  std::int64_t stride = element + static_cast<std::int64_t>(random() % 2) * element;
  for (const int d : sample.order) {
    sample.strides[static_cast<std::size_t>(d)] = stride;
    stride *= sample.count[static_cast<std::size_t>(d)] + static_cast<std::int64_t>(random() % 3);
  }
  sample.bytes = stride;
  return sample;
}

template <class Visit>
void for_each_cell(const Cells &count, const Strides &to, const Strides &from, Visit visit) {
  for (std::int64_t i = 0; i < count[0]; ++i)
    for (std::int64_t j = 0; j < count[1]; ++j)
      for (std::int64_t k = 0; k < count[2]; ++k)
        for (std::int64_t l = 0; l < count[3]; ++l)
          visit(i * to[0] + j * to[1] + k * to[2] + l * to[3], i * from[0] + j * from[1] + k * from[2] + l * from[3]);
}

std::vector<char> random_bytes(std::mt19937 &random, std::int64_t bytes) {
  std::vector<char> memory(static_cast<std::size_t>(bytes));
  for (char &byte : memory) byte = static_cast<char>(random());
  return memory;
}

TEST(Copy, moves_what_the_byte_wise_reference_moves) {
  std::mt19937 random(1);
  for (const std::int64_t element : {1, 2, 3, 4, 8, 12, 16, 24})
    for (int trial = 0; trial < 200; ++trial) {
      const Sample sample = random_sample(random, element);
      const Strides packed = packed_strides(sample.count, element, sample.order);
      const auto from = random_bytes(random, sample.bytes);
      auto to = random_bytes(random, sample.bytes), expected = to;
      for_each_cell(sample.count, packed, sample.strides, [&](std::int64_t t, std::int64_t f) {
        for (std::int64_t b = 0; b < element; ++b) expected[static_cast<std::size_t>(t + b)] = from[static_cast<std::size_t>(f + b)];
      });
      copy(to.data(), from.data(), plan_copy(sample.count, packed, sample.strides, element, sample.order));
      ASSERT_EQ(to, expected) << "element of " << element << " bytes, trial " << trial;
    }
}

TEST(Copy, adds_and_clears_as_the_reference_does) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Sample sample = random_sample(random, 8);
    const Strides packed = packed_strides(sample.count, 8, sample.order);
    std::vector<double> term(static_cast<std::size_t>(sample.bytes / 8)), sum(term.size());
    for (double &value : term) value = static_cast<double>(random() % 1000);
    for (double &value : sum) value = static_cast<double>(random() % 1000);
    auto expected = sum, cleared = sum, zero = sum;
    for_each_cell(sample.count, sample.strides, packed, [&](std::int64_t t, std::int64_t f) {
      expected[static_cast<std::size_t>(t / 8)] += term[static_cast<std::size_t>(f / 8)];
      zero[static_cast<std::size_t>(t / 8)] = 0;
    });
    const BoxCopy box = plan_copy(sample.count, sample.strides, packed, 8, sample.order);
    add(reinterpret_cast<char *>(sum.data()), reinterpret_cast<const char *>(term.data()), box, HLC_FLOAT64);
    clear(reinterpret_cast<char *>(cleared.data()), box);
    ASSERT_EQ(sum, expected);
    ASSERT_EQ(cleared, zero);
  }
}

/// Rows of so many bytes, in one or two loops, with gaps between them in the array.
void pack_and_unpack_rows(std::mt19937 &random, std::int64_t bytes, std::int64_t loops) {
  const std::array<int, kMaxDims> order{0, 1, 2, 3};
  const Cells count{5, loops, 1, 1};
  const Strides packed = packed_strides(count, bytes, order), array{bytes + 24, 6 * (bytes + 24), 0, 0};
  const BoxCopy out = plan_copy(count, packed, array, bytes, order), in = plan_copy(count, array, packed, bytes, order);
  const std::int64_t place = 16, length = 5 * loops * bytes, size = loops * array[1];
  const auto from = random_bytes(random, size);
  std::vector<char> expected(static_cast<std::size_t>(place + length), 1), back = random_bytes(random, size), expected_back = back;
  copy(expected.data() + place, from.data(), out);
  copy(expected_back.data(), expected.data() + place, in);

  const BoundCopy into = bind_to_message(place, from.data(), out), out_of = bind_from_message(back.data(), place, in);
  for (const bool past_caches : {false, true}) {
    std::vector<char> message(expected.size(), 1);
    pack_copies({&into, 1}, message.data(), past_caches);
    ASSERT_EQ(message, expected) << bytes << " bytes in " << loops << " loops";
  }
  unpack_copies({&out_of, 1}, expected.data());
  ASSERT_EQ(back, expected_back) << bytes << " bytes in " << loops << " loops";
}

TEST(Copy, bound_to_a_place_in_a_message_is_the_same_copy) {
  std::mt19937 random(3);
  for (const std::int64_t bytes : {8, 32, 40, 64, 128, 200, 256, 264, 320, 1024})
    for (const std::int64_t loops : {1, 2}) pack_and_unpack_rows(random, bytes, loops);
}

TEST(Copy, of_nothing_touches_nothing) {
  char to[8] = {1, 2, 3, 4, 5, 6, 7, 8}, before[8];
  std::memcpy(before, to, 8);
  const std::array<int, kMaxDims> order{0, 1, 2, 3};
  const Cells none{0, 1, 1, 1};
  copy(to, before, plan_copy(none, packed_strides(none, 8, order), packed_strides(none, 8, order), 8, order));
  EXPECT_EQ(std::memcmp(to, before, 8), 0);
}

}  // namespace
}  // namespace halocline::core
