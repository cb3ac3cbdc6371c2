! The Fortran interface of GASPI 17.1: modules GASPI_types and GASPI, which is what programs use. Every function of GASPI.h has its
! name, its arguments in their order, and its return value. GASPI.h describes it. Link with libhalocline_gaspi.
!
! Fortran has no unsigned integers: ranks beyond 32767 are handed over as the negative numbers of the same bits.
!
! SPDX-License-Identifier: BSD-3-Clause
module GASPI_types
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer, parameter :: gaspi_char = c_signed_char, gaspi_short = c_short, gaspi_int = c_int, gaspi_long = c_long
  integer, parameter :: gaspi_float = c_float, gaspi_double = c_double
  integer, parameter :: gaspi_timeout_t = c_long, gaspi_size_t = c_long, gaspi_offset_t = c_long, gaspi_alloc_t = c_long
  integer, parameter :: gaspi_atomic_value_t = c_long, gaspi_cycles_t = c_long, gaspi_time_t = c_float
  integer, parameter :: gaspi_rank_t = c_short, gaspi_notification_id_t = c_int
  integer, parameter :: gaspi_group_t = c_signed_char, gaspi_queue_id_t = c_signed_char, gaspi_segment_id_t = c_signed_char
  integer, parameter :: gaspi_number_t = c_int, gaspi_notification_t = c_int, gaspi_statistic_counter_t = c_int
  integer, parameter :: gaspi_memory_description_t = c_int, gaspi_return_t = c_int, gaspi_state_t = c_int
  integer, parameter :: gaspi_network_t = c_int, gaspi_topology_t = c_int, gaspi_operation_t = c_int, gaspi_datatype_t = c_int
  integer, parameter :: gaspi_statistic_argument_t = c_int

  integer(gaspi_group_t), parameter :: GASPI_GROUP_ALL = 0
  integer(gaspi_timeout_t), parameter :: GASPI_BLOCK = -1, GASPI_TEST = 0

  integer(gaspi_return_t), parameter :: GASPI_ERROR = -1
  integer(gaspi_return_t), parameter :: GASPI_SUCCESS = 0
  integer(gaspi_return_t), parameter :: GASPI_TIMEOUT = 1
  integer(gaspi_return_t), parameter :: GASPI_ERR_EMFILE = 2
  integer(gaspi_return_t), parameter :: GASPI_ERR_ENV = 3
  integer(gaspi_return_t), parameter :: GASPI_ERR_SN_PORT = 4
  integer(gaspi_return_t), parameter :: GASPI_ERR_CONFIG = 5
  integer(gaspi_return_t), parameter :: GASPI_ERR_NOINIT = 6
  integer(gaspi_return_t), parameter :: GASPI_ERR_INITED = 7
  integer(gaspi_return_t), parameter :: GASPI_ERR_NULLPTR = 8
  integer(gaspi_return_t), parameter :: GASPI_ERR_INV_SEGSIZE = 9
  integer(gaspi_return_t), parameter :: GASPI_ERR_INV_SEG = 10
  integer(gaspi_return_t), parameter :: GASPI_ERR_INV_GROUP = 11
  integer(gaspi_return_t), parameter :: GASPI_ERR_INV_RANK = 12
  integer(gaspi_return_t), parameter :: GASPI_ERR_INV_QUEUE = 13
  integer(gaspi_return_t), parameter :: GASPI_ERR_INV_LOC_OFF = 14
  integer(gaspi_return_t), parameter :: GASPI_ERR_INV_REM_OFF = 15
  integer(gaspi_return_t), parameter :: GASPI_ERR_INV_COMMSIZE = 16
  integer(gaspi_return_t), parameter :: GASPI_ERR_INV_NOTIF_VAL = 17
  integer(gaspi_return_t), parameter :: GASPI_ERR_INV_NOTIF_ID = 18
  integer(gaspi_return_t), parameter :: GASPI_ERR_INV_NUM = 19
  integer(gaspi_return_t), parameter :: GASPI_ERR_INV_SIZE = 20
  integer(gaspi_return_t), parameter :: GASPI_ERR_MANY_SEG = 21
  integer(gaspi_return_t), parameter :: GASPI_ERR_MANY_GRP = 22
  integer(gaspi_return_t), parameter :: GASPI_QUEUE_FULL = 23
  integer(gaspi_return_t), parameter :: GASPI_ERR_UNALIGN_OFF = 24
  integer(gaspi_return_t), parameter :: GASPI_ERR_ACTIVE_COLL = 25
  integer(gaspi_return_t), parameter :: GASPI_ERR_DEVICE = 26
  integer(gaspi_return_t), parameter :: GASPI_ERR_SN = 27
  integer(gaspi_return_t), parameter :: GASPI_ERR_MEMALLOC = 28

  integer(gaspi_state_t), parameter :: GASPI_STATE_HEALTHY = 0, GASPI_STATE_CORRUPT = 1
  integer(gaspi_alloc_t), parameter :: GASPI_MEM_UNINITIALIZED = 0, GASPI_MEM_INITIALIZED = 1, GASPI_ALLOC_DEFAULT = 0
  integer(gaspi_alloc_t), parameter :: GASPI_MEM_SHARED = 2  ! an extension (GASPI_Ext.h)
  integer(gaspi_network_t), parameter :: GASPI_IB = 0, GASPI_ROCE = 1, GASPI_ETHERNET = 2, GASPI_GEMINI = 3, GASPI_ARIES = 4
  integer(gaspi_topology_t), parameter :: GASPI_TOPOLOGY_NONE = 0, GASPI_TOPOLOGY_STATIC = 1, GASPI_TOPOLOGY_DYNAMIC = 2
  integer(gaspi_operation_t), parameter :: GASPI_OP_MIN = 0, GASPI_OP_MAX = 1, GASPI_OP_SUM = 2
  integer(gaspi_datatype_t), parameter :: GASPI_TYPE_INT = 0, GASPI_TYPE_UINT = 1, GASPI_TYPE_FLOAT = 2, GASPI_TYPE_DOUBLE = 3
  integer(gaspi_datatype_t), parameter :: GASPI_TYPE_LONG = 4, GASPI_TYPE_ULONG = 5
  integer(gaspi_statistic_argument_t), parameter :: GASPI_STATISTIC_ARGUMENT_NONE = 0, GASPI_STATISTIC_ARGUMENT_RANK = 1

  type, bind(C) :: gaspi_ib_params_t
    integer(c_int) :: netdev_id, mtu, port_check
  end type gaspi_ib_params_t

  type, bind(C) :: gaspi_tcp_params_t
    integer(c_int) :: port
  end type gaspi_tcp_params_t

  type, bind(C) :: gaspi_dev_config_t
    integer(gaspi_network_t) :: network_type
    type(gaspi_ib_params_t) :: ib
    type(gaspi_tcp_params_t) :: tcp
  end type gaspi_dev_config_t

  type, bind(C) :: gaspi_config_t
    integer(c_int) :: logger, sn_port, net_info, user_net, sn_persistent
    integer(gaspi_timeout_t) :: sn_timeout
    type(gaspi_dev_config_t) :: dev_config
    integer(gaspi_network_t) :: network
    integer(c_int) :: queue_size_max, queue_num
    integer(gaspi_number_t) :: group_max, segment_max
    integer(gaspi_size_t) :: transfer_size_max
    integer(gaspi_number_t) :: notification_num, passive_queue_size_max, passive_transfer_size_max
    integer(gaspi_size_t) :: allreduce_buf_size
    integer(gaspi_number_t) :: allreduce_elem_max, rw_list_elem_max
    integer(gaspi_topology_t) :: build_infrastructure
    type(c_ptr) :: user_defined
  end type gaspi_config_t
end module GASPI_types

module GASPI
  use GASPI_types
  implicit none
  public

  interface
    ! configuration [5.2]
    function gaspi_config_get(config) result(code) bind(C)
      import
      type(gaspi_config_t), intent(out) :: config
      integer(gaspi_return_t) :: code
    end function
    function gaspi_config_set(config) result(code) bind(C)
      import
      type(gaspi_config_t), value :: config
      integer(gaspi_return_t) :: code
    end function

    ! processes [5.3-5.5]
    function gaspi_proc_init(timeout_ms) result(code) bind(C)
      import
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_num(proc_num) result(code) bind(C)
      import
      integer(gaspi_rank_t), intent(out) :: proc_num
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_rank(rank) result(code) bind(C)
      import
      integer(gaspi_rank_t), intent(out) :: rank
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_term(timeout_ms) result(code) bind(C)
      import
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_kill(rank, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_connect(rank, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_disconnect(rank, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_state_vec_get(state_vector) result(code) bind(C)
      import
      integer(gaspi_state_t), intent(out) :: state_vector(*)
      integer(gaspi_return_t) :: code
    end function

    ! groups [6]
    function gaspi_group_create(group) result(code) bind(C)
      import
      integer(gaspi_group_t), intent(out) :: group
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_add(group, rank) result(code) bind(C)
      import
      integer(gaspi_group_t), value :: group
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_commit(group, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_delete(group) result(code) bind(C)
      import
      integer(gaspi_group_t), value :: group
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_num(group_num) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: group_num
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_size(group, group_size) result(code) bind(C)
      import
      integer(gaspi_group_t), value :: group
      integer(gaspi_number_t), intent(out) :: group_size
      integer(gaspi_return_t) :: code
    end function
    function gaspi_group_ranks(group, group_ranks) result(code) bind(C)
      import
      integer(gaspi_group_t), value :: group
      integer(gaspi_rank_t), intent(out) :: group_ranks(*)
      integer(gaspi_return_t) :: code
    end function

    ! segments [7]
    function gaspi_segment_alloc(segment_id, size, alloc_policy) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_size_t), value :: size
      integer(gaspi_alloc_t), value :: alloc_policy
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_register(segment_id, rank, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_create(segment_id, size, group, timeout_ms, alloc_policy) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_size_t), value :: size
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_alloc_t), value :: alloc_policy
      integer(gaspi_return_t) :: code
    end function
    !> Where this process sees the segment of a rank of its node; c_null_ptr for other nodes (GASPI_Ext.h).
    function gaspi_segment_ptr_of(segment_id, rank, pointer) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_rank_t), value :: rank
      type(c_ptr), intent(out) :: pointer
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_bind(segment_id, pointer, size, memory_description) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      type(c_ptr), value :: pointer
      integer(gaspi_size_t), value :: size
      integer(gaspi_memory_description_t), value :: memory_description
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_use(segment_id, pointer, size, group, timeout_ms, memory_description) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      type(c_ptr), value :: pointer
      integer(gaspi_size_t), value :: size
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_memory_description_t), value :: memory_description
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_delete(segment_id) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_num(segment_num) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: segment_num
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_list(num, segment_id_list) result(code) bind(C)
      import
      integer(gaspi_number_t), value :: num
      integer(gaspi_segment_id_t), intent(out) :: segment_id_list(*)
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_ptr(segment_id, pointer) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      type(c_ptr), intent(out) :: pointer
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_size(segment_id, rank, size) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_size_t), intent(out) :: size
      integer(gaspi_return_t) :: code
    end function

    ! one-sided communication [8]
    function gaspi_write(segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, queue, &
        timeout_ms) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_offset_t), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), value :: segment_id_remote
      integer(gaspi_offset_t), value :: offset_remote
      integer(gaspi_size_t), value :: size
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_read(segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, queue, &
        timeout_ms) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_offset_t), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), value :: segment_id_remote
      integer(gaspi_offset_t), value :: offset_remote
      integer(gaspi_size_t), value :: size
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_wait(queue, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_notify(segment_id_remote, rank, notification_id, notification_value, queue, &
        timeout_ms) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id_remote
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_notification_t), value :: notification_value
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_notify_waitsome(segment_id_local, notification_begin, num, first_id, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_notification_id_t), value :: notification_begin
      integer(gaspi_number_t), value :: num
      integer(gaspi_notification_id_t), intent(out) :: first_id
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_notify_reset(segment_id_local, notification_id, old_notification_val) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_notification_t), intent(out) :: old_notification_val
      integer(gaspi_return_t) :: code
    end function
    function gaspi_write_notify(segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, &
        notification_id, notification_value, queue, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_offset_t), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), value :: segment_id_remote
      integer(gaspi_offset_t), value :: offset_remote
      integer(gaspi_size_t), value :: size
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_notification_t), value :: notification_value
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_read_notify(segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, &
        notification_id, queue, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_offset_t), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), value :: segment_id_remote
      integer(gaspi_offset_t), value :: offset_remote
      integer(gaspi_size_t), value :: size
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_write_list(num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, &
        size, queue, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_number_t), value :: num
      integer(gaspi_segment_id_t), intent(in) :: segment_id_local(*)
      integer(gaspi_offset_t), intent(in) :: offset_local(*)
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), intent(in) :: segment_id_remote(*)
      integer(gaspi_offset_t), intent(in) :: offset_remote(*)
      integer(gaspi_size_t), intent(in) :: size(*)
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_write_list_notify(num, segment_id_local, offset_local, rank, segment_id_remote, &
        offset_remote, size, segment_id_notification, notification_id, notification_value, queue, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_number_t), value :: num
      integer(gaspi_segment_id_t), intent(in) :: segment_id_local(*)
      integer(gaspi_offset_t), intent(in) :: offset_local(*)
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), intent(in) :: segment_id_remote(*)
      integer(gaspi_offset_t), intent(in) :: offset_remote(*)
      integer(gaspi_size_t), intent(in) :: size(*)
      integer(gaspi_segment_id_t), value :: segment_id_notification
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_notification_t), value :: notification_value
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_read_list(num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, &
        size, queue, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_number_t), value :: num
      integer(gaspi_segment_id_t), intent(in) :: segment_id_local(*)
      integer(gaspi_offset_t), intent(in) :: offset_local(*)
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), intent(in) :: segment_id_remote(*)
      integer(gaspi_offset_t), intent(in) :: offset_remote(*)
      integer(gaspi_size_t), intent(in) :: size(*)
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_read_list_notify(num, segment_id_local, offset_local, rank, segment_id_remote, &
        offset_remote, size, segment_id_notification, notification_id, queue, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_number_t), value :: num
      integer(gaspi_segment_id_t), intent(in) :: segment_id_local(*)
      integer(gaspi_offset_t), intent(in) :: offset_local(*)
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_segment_id_t), intent(in) :: segment_id_remote(*)
      integer(gaspi_offset_t), intent(in) :: offset_remote(*)
      integer(gaspi_size_t), intent(in) :: size(*)
      integer(gaspi_segment_id_t), value :: segment_id_notification
      integer(gaspi_notification_id_t), value :: notification_id
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_size(queue, queue_size) result(code) bind(C)
      import
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_number_t), intent(out) :: queue_size
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_create(queue, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_queue_id_t), intent(out) :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_delete(queue) result(code) bind(C)
      import
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_purge(queue, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_queue_id_t), value :: queue
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function

    ! passive communication [9]
    function gaspi_passive_send(segment_id_local, offset_local, rank, size, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_offset_t), value :: offset_local
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_size_t), value :: size
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_passive_receive(segment_id_local, offset_local, rem_rank, size, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id_local
      integer(gaspi_offset_t), value :: offset_local
      integer(gaspi_rank_t), intent(out) :: rem_rank
      integer(gaspi_size_t), value :: size
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_passive_queue_purge(timeout_ms) result(code) bind(C)
      import
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function

    ! atomics [10]
    function gaspi_atomic_fetch_add(segment_id, offset, rank, value_add, value_old, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_offset_t), value :: offset
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_atomic_value_t), value :: value_add
      integer(gaspi_atomic_value_t), intent(out) :: value_old
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_atomic_compare_swap(segment_id, offset, rank, comparator, value_new, value_old, &
        timeout_ms) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), value :: segment_id
      integer(gaspi_offset_t), value :: offset
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_atomic_value_t), value :: comparator, value_new
      integer(gaspi_atomic_value_t), intent(out) :: value_old
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function

    ! collective communication [11]
    function gaspi_barrier(group, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_allreduce(buffer_send, buffer_receive, num, operation, datatype, group, &
        timeout_ms) result(code) bind(C)
      import
      type(c_ptr), value :: buffer_send, buffer_receive
      integer(gaspi_number_t), value :: num
      integer(gaspi_operation_t), value :: operation
      integer(gaspi_datatype_t), value :: datatype
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_allreduce_user(buffer_send, buffer_receive, num, element_size, reduce_operation, &
        reduce_state, group, timeout_ms) result(code) bind(C)
      import
      type(c_ptr), value :: buffer_send, buffer_receive
      integer(gaspi_number_t), value :: num
      integer(gaspi_size_t), value :: element_size
      type(c_funptr), value :: reduce_operation
      type(c_ptr), value :: reduce_state
      integer(gaspi_group_t), value :: group
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function

    ! limits [12]
    function gaspi_group_max(group_max) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: group_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_max(segment_max) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: segment_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_num(queue_num) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: queue_num
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_size_max(queue_size_max) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: queue_size_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_queue_max(queue_max) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: queue_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_transfer_size_min(transfer_size_min) result(code) bind(C)
      import
      integer(gaspi_size_t), intent(out) :: transfer_size_min
      integer(gaspi_return_t) :: code
    end function
    function gaspi_transfer_size_max(transfer_size_max) result(code) bind(C)
      import
      integer(gaspi_size_t), intent(out) :: transfer_size_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_notification_num(notification_num) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: notification_num
      integer(gaspi_return_t) :: code
    end function
    function gaspi_passive_transfer_size_min(passive_transfer_size_min) result(code) bind(C)
      import
      integer(gaspi_size_t), intent(out) :: passive_transfer_size_min
      integer(gaspi_return_t) :: code
    end function
    function gaspi_passive_transfer_size_max(passive_transfer_size_max) result(code) bind(C)
      import
      integer(gaspi_size_t), intent(out) :: passive_transfer_size_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_rw_list_elem_max(elem_max) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: elem_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_allreduce_buf_size(buf_size) result(code) bind(C)
      import
      integer(gaspi_size_t), intent(out) :: buf_size
      integer(gaspi_return_t) :: code
    end function
    function gaspi_allreduce_elem_max(elem_max) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: elem_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_atomic_max(max_value) result(code) bind(C)
      import
      integer(gaspi_atomic_value_t), intent(out) :: max_value
      integer(gaspi_return_t) :: code
    end function
    function gaspi_network_type(network_type) result(code) bind(C)
      import
      integer(gaspi_network_t), intent(out) :: network_type
      integer(gaspi_return_t) :: code
    end function
    function gaspi_build_infrastructure(build_infrastructure) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: build_infrastructure
      integer(gaspi_return_t) :: code
    end function

    ! environment [13]
    function gaspi_version(version) result(code) bind(C)
      import
      real(c_float), intent(out) :: version
      integer(gaspi_return_t) :: code
    end function
    function gaspi_time_get(wtime) result(code) bind(C)
      import
      real(gaspi_time_t), intent(out) :: wtime
      integer(gaspi_return_t) :: code
    end function
    function gaspi_time_ticks(ticks) result(code) bind(C)
      import
      integer(gaspi_cycles_t), intent(out) :: ticks
      integer(gaspi_return_t) :: code
    end function
    function gaspi_print_error(error_code, error_message) result(code) bind(C)
      import
      integer(gaspi_return_t), value :: error_code
      type(c_ptr), intent(out) :: error_message
      integer(gaspi_return_t) :: code
    end function

    ! statistics and tracing [14]
    function gaspi_statistic_counter_max(counter_max) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: counter_max
      integer(gaspi_return_t) :: code
    end function
    function gaspi_statistic_counter_info(counter, counter_argument, counter_name, counter_description, &
        verbosity_level) result(code) bind(C)
      import
      integer(gaspi_statistic_counter_t), value :: counter
      integer(gaspi_statistic_argument_t), intent(out) :: counter_argument
      type(c_ptr), intent(out) :: counter_name, counter_description
      integer(gaspi_number_t), intent(out) :: verbosity_level
      integer(gaspi_return_t) :: code
    end function
    function gaspi_statistic_verbosity_level(verbosity_level) result(code) bind(C)
      import
      integer(gaspi_number_t), value :: verbosity_level
      integer(gaspi_return_t) :: code
    end function
    function gaspi_statistic_counter_get(counter, argument, value) result(code) bind(C)
      import
      integer(gaspi_statistic_counter_t), value :: counter
      integer(gaspi_number_t), value :: argument
      integer(c_long), intent(out) :: value
      integer(gaspi_return_t) :: code
    end function
    function gaspi_statistic_counter_reset(counter) result(code) bind(C)
      import
      integer(gaspi_statistic_counter_t), value :: counter
      integer(gaspi_return_t) :: code
    end function
    function gaspi_pcontrol(argument) result(code) bind(C)
      import
      type(c_ptr), value :: argument
      integer(gaspi_return_t) :: code
    end function

    ! functions of GPI-2 (GASPI_Ext.h); those that print are for C: in Fortran there is write
    function gaspi_initialized(initialized) result(code) bind(C)
      import
      integer(gaspi_number_t), intent(out) :: initialized
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_local_rank(local_rank) result(code) bind(C)
      import
      integer(gaspi_rank_t), intent(out) :: local_rank
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_local_num(local_num) result(code) bind(C)
      import
      integer(gaspi_rank_t), intent(out) :: local_num
      integer(gaspi_return_t) :: code
    end function
    function gaspi_proc_ping(rank, timeout_ms) result(code) bind(C)
      import
      integer(gaspi_rank_t), value :: rank
      integer(gaspi_timeout_t), value :: timeout_ms
      integer(gaspi_return_t) :: code
    end function
    function gaspi_segment_avail_local(avail_seg_id) result(code) bind(C)
      import
      integer(gaspi_segment_id_t), intent(out) :: avail_seg_id
      integer(gaspi_return_t) :: code
    end function
    function gaspi_cpu_frequency(cpu_mhz) result(code) bind(C)
      import
      real(gaspi_float), intent(out) :: cpu_mhz
      integer(gaspi_return_t) :: code
    end function
    function gaspi_numa_socket(socket) result(code) bind(C)
      import
      integer(c_signed_char), intent(out) :: socket
      integer(gaspi_return_t) :: code
    end function
    function gaspi_set_socket_affinity(socket) result(code) bind(C)
      import
      integer(c_signed_char), value :: socket
      integer(gaspi_return_t) :: code
    end function
  end interface
end module GASPI
