!> Reproducible noise: a number in [0, 1) for every global cell, the same however the grid is cut into blocks.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_index_hash
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: noise

  integer(int64), parameter :: low_32_bits = int(z'FFFFFFFF', int64)

contains

  !> Returns a number in [0, 1) that depends on nothing but the global cell and the seed.
  elemental function noise(seed, k, j, i) result(value)
    integer, intent(in) :: seed, k, j, i
    real(real64) :: value
    integer(int64) :: hash
    hash = mixed(int(seed, int64))
    hash = mixed(ieor(hash, int(k, int64)))
    hash = mixed(ieor(hash, int(j, int64)))
    hash = mixed(ieor(hash, int(i, int64)))
    value = real(hash, real64)/2.0_real64**32
  end function noise

  !> A 32-bit integer hash (xorshift, multiply, twice). Both factors lie below 2^31, so that no product leaves 63 bits.
  elemental function mixed(value) result(hash)
    integer(int64), intent(in) :: value
    integer(int64) :: hash
    hash = iand(value, low_32_bits)
    hash = ieor(hash, shiftr(hash, 16))
    hash = iand(hash*int(z'21F0AAAD', int64), low_32_bits)
    hash = ieor(hash, shiftr(hash, 15))
    hash = iand(hash*int(z'735A2D97', int64), low_32_bits)
    hash = ieor(hash, shiftr(hash, 15))
  end function mixed
end module cloud_index_hash
