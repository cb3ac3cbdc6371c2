// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_rma/covering_window.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

namespace covering {
namespace {

constexpr std::ptrdiff_t kGuard = 256;
constexpr char kMark = 0x5e;

int deleted = 0;  // attributes of windows
int handled_code = 0;
MPI_Win handled_window = MPI_WIN_NULL;

int count_deleted(MPI_Win, int, void *, void *) {
  deleted += 1;
  return MPI_SUCCESS;
}

void note_error(MPI_Win *win, int *code, ...) {
  handled_window = *win;
  handled_code = *code;
}

MPI_Info make_info(const std::string &wanted) {
  const std::map<std::string, std::pair<const char *, const char *>> all = {{"no_locks", {"no_locks", "true"}},
                                                                            {"any_order", {"accumulate_ordering", "none"}},
                                                                            {"same_op", {"accumulate_ops", "same_op"}},
                                                                            {"noncontig", {"alloc_shared_noncontig", "true"}}};
  MPI_Info info = MPI_INFO_NULL;
  const auto found = all.find(wanted);
  if (found == all.end()) return info;
  MPI_Info_create(&info);
  MPI_Info_set(info, found->second.first, found->second.second);
  return info;
}

}  // namespace

Row::Row(std::string line) : line_(std::move(line)) {
  std::istringstream words(line_);
  for (std::string word; words >> word;) words_[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
}

const std::string &Row::operator[](const std::string &factor) const {
  const auto found = words_.find(factor);
  if (found != words_.end()) return found->second;
  std::fprintf(stderr, "covering: a row has no %s: %s\n", factor.c_str(), line_.c_str());
  std::abort();
}

Guarded::Guarded(std::ptrdiff_t bytes, bool from_mpi) : from_mpi_(from_mpi), bytes_(bytes) {
  const std::ptrdiff_t all = bytes + 2 * kGuard + 64;
  if (from_mpi)
    MPI_Alloc_mem(all, MPI_INFO_NULL, &block_);
  else
    block_ = static_cast<char *>(std::malloc(static_cast<std::size_t>(all)));
  if (!block_) std::abort();
  std::memset(block_, kMark, static_cast<std::size_t>(all));
  data_ = block_ + kGuard + (64 - reinterpret_cast<std::uintptr_t>(block_) % 64) % 64;
}

Guarded::~Guarded() {
  if (from_mpi_)
    MPI_Free_mem(block_);
  else
    std::free(block_);
}

bool Guarded::is_whole() const {
  const auto marked = [](char byte) { return byte == kMark; };
  return std::all_of(block_, data_, marked) && std::all_of(data_ + bytes_, block_ + bytes_ + 2 * kGuard + 64, marked);
}

Window::Window(const Row &row, MPI_Comm comm, std::ptrdiff_t bytes) : row_(row), comm_(comm), bytes_(bytes) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
  const bool created = row.is("kind", "create") || row.is("kind", "alloc_mem") || row.is("kind", "dynamic");
  if (created) memory_ = new Guarded(bytes, row.is("kind", "alloc_mem"));
  if (created) data_ = memory_->data();
  MPI_Info info = make_info(row["info"]);
  create(info);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  if (row.is("windows", "twin")) create_twin();
  if (row.is("kind", "dynamic")) attach(data_);
}

void Window::create(MPI_Info info) {
  const int unit = unit_of(rank_);
  const std::string &kind = row_["kind"];
  if (kind == "allocate")
    COVERING_CALL(row_.large(), MPI_Win_allocate, bytes_, unit, info, comm_, &data_, &win_);
  else if (kind == "shared")
    COVERING_CALL(row_.large(), MPI_Win_allocate_shared, bytes_, unit, info, comm_, &data_, &win_);
  else if (kind == "dynamic")
    MPI_Win_create_dynamic(info, comm_, &win_);
  else
    COVERING_CALL(row_.large(), MPI_Win_create, data_, bytes_, unit, info, comm_, &win_);
}

void Window::create_twin() {
  if (row_.is("kind", "dynamic"))
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm_, &twin_);
  else
    COVERING_CALL(row_.large(), MPI_Win_create, data_, bytes_, unit_of(rank_), MPI_INFO_NULL, comm_, &twin_);
}

void Window::attach(char *data) {
  MPI_Aint address = 0;
  for (const MPI_Win win : {win_, twin_})
    if (win != MPI_WIN_NULL) MPI_Win_attach(win, data, bytes_);
  MPI_Get_address(data, &address);
  addresses_.resize(static_cast<std::size_t>(size_));
  MPI_Allgather(&address, 1, MPI_AINT, addresses_.data(), 1, MPI_AINT, comm_);
}

void Window::move() {
  auto *other = new Guarded(bytes_, false);
  char *const first = data_;
  store([&] { std::memcpy(other->data(), first, static_cast<std::size_t>(bytes_)); });
  data_ = other->data();
  attach(data_);
  for (const MPI_Win win : {win_, twin_})
    if (win != MPI_WIN_NULL) MPI_Win_detach(win, first);
  std::swap(memory_, other);
  delete other;
}

Window::~Window() {
  const int before = deleted;
  for (MPI_Win *win : {&twin_, &win_}) {
    if (*win == MPI_WIN_NULL) continue;
    if (row_.is("kind", "dynamic")) MPI_Win_detach(*win, data_);
    MPI_Win_free(win);
  }
  if (key_ != MPI_KEYVAL_INVALID && deleted != before + 1) std::abort();
  if (key_ != MPI_KEYVAL_INVALID) MPI_Win_free_keyval(&key_);
  delete memory_;
}

int Window::unit_of(int rank) const {
  if (row_.is("kind", "dynamic")) return 1;
  return row_.is("unit", "by_rank") ? 1 << (rank % 4) : std::atoi(row_["unit"].c_str());
}

MPI_Aint Window::displacement(int target, std::ptrdiff_t offset) const {
  if (target == MPI_PROC_NULL) return 0;
  if (row_.is("kind", "dynamic")) return MPI_Aint_add(addresses_[static_cast<std::size_t>(target)], offset);
  return offset / unit_of(target);
}

void Window::open_stores() {
  if (row_.is("sync", "fence") || row_.is("info", "no_locks"))
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win_);
  else
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank_, 0, win_);
}

void Window::close_stores() {
  if (row_.is("sync", "fence") || row_.is("info", "no_locks"))
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win_);
  else
    MPI_Win_unlock(rank_, win_);
  MPI_Barrier(comm_);
}

std::string Window::inspect() {
  std::string wrong = inspect_attributes();
  if (wrong.empty()) wrong = inspect_user_data();
  if (wrong.empty()) wrong = inspect_handler();
  return wrong;
}

std::string Window::inspect_attributes() const {
  const std::map<std::string, int> flavors = {{"allocate", MPI_WIN_FLAVOR_ALLOCATE},
                                              {"create", MPI_WIN_FLAVOR_CREATE},
                                              {"alloc_mem", MPI_WIN_FLAVOR_CREATE},
                                              {"shared", MPI_WIN_FLAVOR_SHARED},
                                              {"dynamic", MPI_WIN_FLAVOR_DYNAMIC}};
  const bool dynamic = row_.is("kind", "dynamic");
  void *base = nullptr, *found = nullptr;
  int has[5] = {};
  MPI_Win_get_attr(win_, MPI_WIN_BASE, &base, &has[0]);
  if (has[0] && base != (dynamic ? MPI_BOTTOM : data_)) return "the base is wrong";
  MPI_Win_get_attr(win_, MPI_WIN_SIZE, &found, &has[1]);
  if (has[1] && *static_cast<MPI_Aint *>(found) != (dynamic ? 0 : bytes_)) return "the size is wrong";
  MPI_Win_get_attr(win_, MPI_WIN_DISP_UNIT, &found, &has[2]);
  if (has[2] && *static_cast<int *>(found) != unit_of(rank_)) return "the displacement unit is wrong";
  MPI_Win_get_attr(win_, MPI_WIN_CREATE_FLAVOR, &found, &has[3]);
  if (has[3] && *static_cast<int *>(found) != flavors.at(row_["kind"])) return "the flavor is wrong";
  MPI_Win_get_attr(win_, MPI_WIN_MODEL, &found, &has[4]);
  return std::all_of(has, has + 5, [](int it) { return it != 0; }) ? "" : "an attribute is missing";
}

/// Name, group, info, an attribute of the program, and the Fortran handle.
std::string Window::inspect_user_data() {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0, same = MPI_UNEQUAL, has = 0;
  MPI_Win_set_name(win_, "covered");
  MPI_Win_get_name(win_, name, &length);
  if (std::string(name) != "covered" || length != 7) return "the name is wrong";
  MPI_Group mine = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  MPI_Win_get_group(win_, &mine);
  MPI_Comm_group(comm_, &all);
  MPI_Group_compare(mine, all, &same);
  MPI_Group_free(&mine);
  MPI_Group_free(&all);
  if (same != MPI_IDENT) return "the group is wrong";
  MPI_Info info = make_info("same_op"), used = MPI_INFO_NULL;
  MPI_Win_set_info(win_, info);
  MPI_Win_get_info(win_, &used);
  MPI_Info_free(&info);
  MPI_Info_free(&used);
  void *found = nullptr;
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count_deleted, &key_, nullptr);
  MPI_Win_set_attr(win_, key_, &key_);
  MPI_Win_get_attr(win_, key_, &found, &has);
  if (!has || found != &key_) return "an attribute of the program is wrong";
  return MPI_Win_f2c(MPI_Win_c2f(win_)) == win_ ? "" : "the Fortran handle is wrong";
}

std::string Window::inspect_handler() const {
  MPI_Errhandler before = MPI_ERRHANDLER_NULL, mine = MPI_ERRHANDLER_NULL, found = MPI_ERRHANDLER_NULL;
  MPI_Win_get_errhandler(win_, &before);
  MPI_Win_create_errhandler(note_error, &mine);
  MPI_Win_set_errhandler(win_, mine);
  MPI_Win_get_errhandler(win_, &found);
  handled_code = 0;
  MPI_Win_call_errhandler(win_, MPI_ERR_RANK);
  const bool right = found == mine && handled_code == MPI_ERR_RANK && handled_window == win_;
  MPI_Win_set_errhandler(win_, before);
  for (MPI_Errhandler *handler : {&before, &mine, &found}) MPI_Errhandler_free(handler);
  return right ? "" : "the error handler was not called rightly";
}

const char *Window::shared_memory_of(int rank) const {
  if (!row_.is("kind", "shared")) return nullptr;
  MPI_Aint bytes = 0;
  void *memory = nullptr;
#if MPI_VERSION >= 4
  MPI_Aint large_unit = 0;
  int unit = 0;
  if (row_.large())
    MPI_Win_shared_query_c(win_, rank, &bytes, &large_unit, &memory);
  else
    MPI_Win_shared_query(win_, rank, &bytes, &unit, &memory);
  const bool right = bytes == bytes_ && (row_.large() ? large_unit : unit) == unit_of(rank);
#else
  int unit = 0;
  MPI_Win_shared_query(win_, rank, &bytes, &unit, &memory);
  const bool right = bytes == bytes_ && unit == unit_of(rank);
#endif
  return right ? static_cast<const char *>(memory) : nullptr;
}

Epoch::Epoch(const Row &row, MPI_Win win, int target, std::vector<int> origins) : row_(row), win_(win), target_(target) {
  MPI_Win_get_group(win, &all_);
  MPI_Group_rank(all_, &rank_);
  MPI_Group_incl(all_, target == MPI_PROC_NULL ? 0 : 1, &target, &to_);
  MPI_Group_incl(all_, static_cast<int>(origins.size()), origins.data(), &from_);
}

Epoch::~Epoch() {
  for (MPI_Group *group : {&all_, &to_, &from_})
    if (*group != MPI_GROUP_EMPTY) MPI_Group_free(group);
}

void Epoch::begin() {
  const bool hints = row_.is("hint", "hints");
  const bool gets = row_.is("call", "get");
  if (row_.is("sync", "fence"))
    MPI_Win_fence(hints ? MPI_MODE_NOPRECEDE | (gets ? MPI_MODE_NOPUT : 0) : 0, win_);
  else if (row_.active())
    begin_pscw();
  else
    lock();
}

/// Without a check at the start, the posts have to be made before: the caller meets the others by the barrier.
void Epoch::begin_pscw() {
  const bool unchecked = row_.is("hint", "nocheck"), hints = row_.is("hint", "hints");
  const int puts = hints && row_.is("call", "get") ? MPI_MODE_NOPUT : 0;
  MPI_Win_post(from_, unchecked ? MPI_MODE_NOCHECK : hints ? MPI_MODE_NOSTORE | puts : 0, win_);
  if (unchecked) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_start(to_, unchecked ? MPI_MODE_NOCHECK : 0, win_);
}

void Epoch::lock() {
  const int unchecked = row_.is("hint", "-") ? 0 : MPI_MODE_NOCHECK;
  if (row_.is("sync", "lock_all"))
    MPI_Win_lock_all(unchecked, win_);
  else
    MPI_Win_lock(row_.is("sync", "lock_exclusive") ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, flushed(), unchecked, win_);
}

void Epoch::end() {
  if (row_.is("sync", "fence")) {
    MPI_Win_fence(row_.is("hint", "hints") ? MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE | MPI_MODE_NOPUT : 0, win_);
  } else if (row_.active()) {
    MPI_Win_complete(win_);
    if (row_.is("sync", "pscw")) MPI_Win_wait(win_);
    for (int over = row_.is("sync", "pscw") ? 1 : 0; !over;) MPI_Win_test(win_, &over);
  } else if (row_.is("sync", "lock_all")) {
    MPI_Win_unlock_all(win_);
  } else {
    MPI_Win_unlock(flushed(), win_);
  }
}

}  // namespace covering
