// Buffers whose memory is released to the system and allocated again at the same address, with other pages. A network that pins pages must send
// and fill the new ones. HALOCLINE_TEST_FREED_ROUNDS: how often (32). HALOCLINE_TEST_FREED_KIB: the size of the longest buffers (1024).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <malloc.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "engine/segments.hpp"
#include "support/cases.hpp"

namespace halocline::test {
namespace {

int number_in(const char *variable, int otherwise) {
  const char *const asked = std::getenv(variable);
  return asked ? std::atoi(asked) : otherwise;
}

int rounds() { return number_in("HALOCLINE_TEST_FREED_ROUNDS", 32); }

const std::int64_t most_bytes = std::int64_t{1024} * number_in("HALOCLINE_TEST_FREED_KIB", 1024);

/// How memory is allocated and released. What is allocated after `release` has most likely the same address.
struct Source {
  std::byte *(*get)(std::size_t bytes);
  void (*release)(std::byte *memory, std::size_t bytes);
};

std::byte *map(std::size_t bytes) {
  void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte *>(memory);
}

/// Memory of which the address stays, and the pages go.
std::byte *kept(std::size_t) {
  static std::byte *const memory = map(static_cast<std::size_t>(most_bytes));
  return memory;
}

constexpr std::size_t kHugePage = std::size_t{2} << 20;
const std::size_t huge_bytes = (static_cast<std::size_t>(most_bytes) + kHugePage - 1) / kHugePage * kHugePage;

/// The same of huge pages, if the kernel makes any.
std::byte *huge(std::size_t) {
  static std::byte *const memory = map(huge_bytes + kHugePage);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory) % kHugePage;
  std::byte *const first = memory + (beyond == 0 ? 0 : kHugePage - beyond);
  madvise(first, huge_bytes, MADV_HUGEPAGE);
  return first;
}

/// What malloc takes from the system by brk, and releases in its own time.
std::byte *heap(std::size_t bytes) { return static_cast<std::byte *>(std::malloc(bytes)); }

const Source sources[] = {
    {heap,
     [](std::byte *memory, std::size_t) {
       std::free(memory);
       malloc_trim(0);
     }},
    {map, [](std::byte *memory, std::size_t bytes) { munmap(memory, bytes); }},
    {kept, [](std::byte *memory, std::size_t bytes) { madvise(memory, bytes, MADV_DONTNEED); }},
    {map,
     [](std::byte *memory, std::size_t bytes) {
       void *const moved = mremap(memory, bytes, 2 * bytes, MREMAP_MAYMOVE);
       munmap(moved == MAP_FAILED ? memory : moved, moved == MAP_FAILED ? bytes : 2 * bytes);
     }},
    {huge, [](std::byte *memory, std::size_t) { madvise(memory, huge_bytes, MADV_DONTNEED); }},
};

/// malloc keeps a block of this size in its heap, where it would have mapped it alone.
void keep_in_heap() {
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(4 * most_bytes));
  mallopt(M_TRIM_THRESHOLD, 0);
}

/// A process that has all memory of this one, page by page, until the first of both writes to the page.
class Child {
 public:
  Child() {
    EXPECT_EQ(pipe(ends_), 0);
    process_ = fork();
    if (process_ != 0) return;
    close(ends_[1]);
    char none;
    _exit(read(ends_[0], &none, 1) == 0 ? 0 : 1);
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  ~Child() {
    close(ends_[1]);
    close(ends_[0]);
    int status = -1;
    EXPECT_EQ(waitpid(process_, &status, 0), process_);
    EXPECT_EQ(status, 0);
  }

 private:
  int ends_[2] = {-1, -1};
  pid_t process_ = -1;
};

class Round {
 public:
  Round(TestSegment &segment, int number)
      : segment_(segment),
        number_(static_cast<std::uint64_t>(number)),
        source_(sources[number % std::size(sources)]),
        bytes_(static_cast<std::int64_t>(between(random_, 4096, most_bytes))) {}

  void put() {
    const std::vector<std::byte> written = bytes_of(rank(), number_, bytes_);
    with_buffer([&](std::byte *buffer) {
      std::copy(written.begin(), written.end(), buffer);
      EXPECT_TRUE(ok(hlc_put(segment_.at(next(), 0), buffer, bytes_)));
      EXPECT_TRUE(ok(hlc_flush(segment_.raw(), next())));
    });
    segment_.barrier();
    expect_of((rank() + size() - 1) % size(), segment_.data(), "put");
  }
  void get() {
    with_buffer([&](std::byte *buffer) {
      std::memset(buffer, 0xFF, static_cast<std::size_t>(bytes_));
      EXPECT_TRUE(ok(hlc_get(segment_.at(next(), 0), buffer, bytes_)));
      EXPECT_TRUE(ok(hlc_flush_local(segment_.raw(), next())));
      expect_of(rank(), buffer, "got");
    });
    segment_.barrier();
  }

 private:
  static int next() { return (rank() + 1) % size(); }

  template <class Use>
  void with_buffer(Use use) {
    const auto bytes = static_cast<std::size_t>(bytes_);
    std::byte *const buffer = source_.get(bytes);
    ASSERT_NE(buffer, nullptr);
    use(buffer);
    source_.release(buffer, bytes);
  }
  void expect_of(int writer, const std::byte *found, const char *how) const {
    const std::vector<std::byte> expected = bytes_of(writer, number_, bytes_);
    std::int64_t wrong = 0, first = bytes_, last = 0;
    for (std::int64_t b = 0; b < bytes_; ++b)
      if (found[b] != expected[static_cast<std::size_t>(b)]) ++wrong, first = std::min(first, b), last = b;
    EXPECT_EQ(wrong, 0) << "of " << bytes_ << " bytes that were " << how << " in round " << number_ << ", from byte " << first << " (it is "
                        << static_cast<int>(found[first < bytes_ ? first : 0]) << ") to byte " << last;
  }

  TestSegment &segment_;
  std::uint64_t number_;
  const Source &source_;
  Random random_{mixed(seed() ^ number_)};
  std::int64_t bytes_;
};

TEST(FreedMemory, is_neither_sent_nor_filled_when_its_address_is_in_use_again) {
  keep_in_heap();
  TestSegment segment(most_bytes);
  for (int number = 0; number < rounds(); ++number) {
    Round round(segment, number);
    round.put();
    round.get();
  }
}

TEST(FreedMemory, of_a_segment_takes_nothing_of_the_next_one_at_its_address) {
  for (int number = 0; number < rounds() / 2; ++number) {
    TestSegment segment(most_bytes);
    Round(segment, number).put();
  }
}

/// The parent writes to pages that it shares with the child, and gets others.
TEST(FreedMemory, is_not_that_of_a_child_process) {
  TestSegment segment(most_bytes);
  for (int number = 0; number < rounds() / 4; ++number) {
    Round before(segment, number), after(segment, number + 1);
    before.put();
    before.get();
    const Child child;
    after.put();
    after.get();
  }
}

}  // namespace
}  // namespace halocline::test
