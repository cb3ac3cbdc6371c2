// The operators of reductions and accumulates, element by element: of(a, b) is a o b.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

namespace halocline::core::operators {

/// Integers of all widths, 128 bits included.
template <class T>
concept Integer = requires(T a) { a % a; };

/// What an integer wraps around in: unsigned, and not narrower than int.
template <class T>
struct Wrapping {
  using Type = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
};
template <class T>
  requires(sizeof(T) == 16)
struct Wrapping<T> {
  __extension__ typedef unsigned __int128 Type;
};

struct Sum {
  template <class T>
  static T of(T a, T b) {
    if constexpr (Integer<T>) {
      using U = typename Wrapping<T>::Type;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
};

struct Product {
  template <class T>
  static T of(T a, T b) {
    if constexpr (Integer<T>) {
      using U = typename Wrapping<T>::Type;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return a * b;
    }
  }
};

struct Least {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};

struct Greatest {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};

struct LogicalAnd {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a != 0 && b != 0 ? 1 : 0);
  }
};

struct LogicalOr {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a != 0 || b != 0 ? 1 : 0);
  }
};

struct LogicalXor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) != (b != 0) ? 1 : 0);
  }
};

struct BitAnd {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct BitOr {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct BitXor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

}  // namespace halocline::core::operators
