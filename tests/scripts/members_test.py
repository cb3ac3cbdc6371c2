#!/usr/bin/env python3
"""Tests of members.py: what it counts, and when it fails.

Usage: members_test.py PATH_OF_MEMBERS

SPDX-License-Identifier: BSD-3-Clause
"""
import sys

from made import load, report

SOURCE = """
namespace one {
/// Not counted: struct Comment { int a; };
class Outer final : public Base {
 public:
  explicit Outer(int a) : a_(a), b_{a} {}
  Outer(const Outer &) = delete;
  template <class Work>
  int work(Work work) const { return work({a_, b_}); }
  virtual void plain(int a, int b) = 0;
  using Number = int;
  enum class Kind { one, two };

 private:
  friend class Friend;
  struct Inner {
    int first = 0, second = 0;
    std::map<int, std::vector<int>> third;
    std::string fourth = "a, b; {";
  };
  static_assert(sizeof(int) == 4);
  int a_ = 0, b_;
  std::vector<Inner> inner_{{1, 2}};
  std::array<int, 2> pair_;
  const char *(*word_)(int) = nullptr;
};
}
enum class Free { a, b };
"""


def checks(members):
    """Pairs of a sentence and whether it holds."""
    classes = members.classes_of(members.NOISE.sub(" ", SOURCE))
    yield "finds classes, and no enumerations or comments", set(classes) == {"Outer", "Outer::Inner"}
    yield "counts functions and data, but no types", classes.get("Outer") == 9
    yield "counts each of several data of one type", classes.get("Outer::Inner") == 4
    yield "lets a class be that is within the limit", not members.faults_of({"A": members.LIMIT}, {})
    yield "fails for one beyond it", len(members.faults_of({"A": members.LIMIT + 1}, {})) == 1
    yield "lets one be that is listed", not members.faults_of({"A": 50}, {"A": 50})
    yield "fails for one that has grown", len(members.faults_of({"A": 51}, {"A": 50})) == 1
    yield "fails for an entry that is needed no more", len(members.faults_of({"A": 3}, {"A": 50})) == 1
    yield "fails for an entry that names no class", len(members.faults_of({"A": 3}, {"B": 50})) == 1


def main():
    report(checks(load(sys.argv[1])))


if __name__ == "__main__":
    main()
