/*
 * Halocline for C++: the C API with owners, exceptions and lambdas. Header-only, C++17 or newer. Every method is one call of halocline.h,
 * which defines when it returns, which threads may call it and which errors it has. A status that is an error becomes an Error. Owners are
 * move-only. Nothing here allocates between start and finish.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_HPP
#define HALOCLINE_HPP

#include <halocline/halocline.h>
#include <halocline/cxx/blocks.hpp>
#include <halocline/cxx/context.hpp>
#include <halocline/cxx/error.hpp>
#include <halocline/cxx/exchange.hpp>
#include <halocline/cxx/field.hpp>
#include <halocline/cxx/halo.hpp>
#include <halocline/cxx/index_halo.hpp>
#include <halocline/cxx/reduce.hpp>
#include <halocline/cxx/segment.hpp>
#include <halocline/cxx/sparse.hpp>
#include <halocline/cxx/view.hpp>

#endif
