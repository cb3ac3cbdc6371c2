#!/usr/bin/env python3
"""Tests of interfaces.py: what it counts, and when it fails.

Usage: interfaces_test.py PATH_OF_INTERFACES

SPDX-License-Identifier: BSD-3-Clause
"""
import sys

from made import load, report

HEADER = """
namespace one {
/// Not counted: struct Comment { int a; };
class Held {};
struct Owned {
  void open();
};
class Outer final : public Base {
 public:
  explicit Outer(const Given &given, int a) : held_(nullptr), a_{a} {}
  ~Outer();
  template <class Work>
  int work(Work work) const { return inside(work); }
  virtual void plain(int a, int b) = 0;
  enum class Kind { one, two };

 private:
  struct Inner {
    int first = 0;
  };
  int inside(int a);
  Held *held_ = nullptr;
  std::unique_ptr<Owned> owned_;
  int a_ = 0;
};
}
struct Given {};
"""
USER = '#include "low/outer.hpp"\nvoid use(one::Outer &outer) { outer.work(1); outer.inside(2); outer.open(); }\n'
SOURCES = {"low/outer.hpp": HEADER, "low/outer.cpp": '#include "low/outer.hpp"\nvoid f() { outer.plain(1, 2); }\n', "high/user.cpp": USER}


def checks(interfaces):
    """Pairs of a sentence and whether it holds."""
    measured = list(interfaces.measure(SOURCES))
    found = {one.name: (held, called) for one, held, called in measured}
    yield "finds classes, and no enumerations or comments", set(found) == {"Held", "Owned", "Outer", "Outer::Inner", "Given"}
    yield "counts what a class holds, owns and gets", found["Outer"][0] == 3
    yield "counts the public functions that another layer calls, and no others", found["Outer"][1] == 1
    yield "a struct's functions are public", found["Owned"][1] == 1
    yield "lets classes be that are within the limits", not interfaces.faults_of(measured, {})
    one = measured[0][0]
    name = f"{one.file} {one.name}"
    yield "fails for too many collaborators", len(interfaces.faults_of([(one, interfaces.MOST_COLLABORATORS + 1, 0)], {})) == 1
    yield "fails for too many functions", len(interfaces.faults_of([(one, 0, interfaces.MOST_CALLED + 1)], {})) == 1
    yield "lets one be that is listed", not interfaces.faults_of([(one, 0, interfaces.MOST_CALLED + 1)], {name: "why"})
    yield "fails for an entry that is needed no more", len(interfaces.faults_of([(one, 0, 0)], {name: "why"})) == 1


if __name__ == "__main__":
    report(checks(load(sys.argv[1])))
