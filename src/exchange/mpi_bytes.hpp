// A count of bytes as an MPI count and type, also where it does not fit an int.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <climits>
#include <cstdint>
#include <utility>

#include "base/status.hpp"

namespace halocline::core {

/// (count, type) that together are a number of bytes: MPI_BYTE as long as the number fits an int, else one element of a derived type.
class ByteCount {
 public:
  ByteCount() = default;
  ByteCount(ByteCount &&other) noexcept : count_(other.count_), type_(std::exchange(other.type_, MPI_BYTE)) {}
  ByteCount &operator=(ByteCount &&other) noexcept {
    std::swap(count_, other.count_);
    std::swap(type_, other.type_);
    return *this;
  }
  ~ByteCount() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }

  static Status create(std::int64_t bytes, ByteCount &result) {
    result = ByteCount();
    result.count_ = static_cast<int>(bytes);
    if (bytes <= INT_MAX) return Status::ok;
    // Whole blocks of 1 GiB and the rest, as a struct of two byte runs.
    constexpr std::int64_t block = std::int64_t{1} << 30;
    MPI_Datatype gib = MPI_DATATYPE_NULL, blocks = MPI_DATATYPE_NULL;
    HLC_TRY(check_mpi(MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &gib), "MPI_Type_contiguous"));
    HLC_TRY(check_mpi(MPI_Type_contiguous(static_cast<int>(bytes / block), gib, &blocks), "MPI_Type_contiguous"));
    const int lengths[2] = {1, static_cast<int>(bytes % block)};
    const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(bytes / block * block)};
    const MPI_Datatype types[2] = {blocks, MPI_BYTE};
    result.count_ = 1;
    const Status status = check_mpi(MPI_Type_create_struct(2, lengths, places, types, &result.type_), "MPI_Type_create_struct");
    MPI_Type_free(&gib);
    MPI_Type_free(&blocks);
    HLC_TRY(status);
    return check_mpi(MPI_Type_commit(&result.type_), "MPI_Type_commit");
  }

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace halocline::core
