// The layouts of the datatypes in use, and the operations, by their handles. An attribute of a derived datatype tells when it is freed.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <utility>

#include "faces/mpi/datatype/predefined.hpp"
#include "faces/mpi/datatype/typed_copy.hpp"
#include "faces/mpi/handle/handle_table.hpp"
#include "faces/mpi/handle/self_comm.hpp"

namespace halocline::mpi {
namespace {

using Owner = std::shared_ptr<const Layout>;

int forget(MPI_Datatype type, int key, void *attribute, void *extra);

/// The host refuses to send what is not committed, even to MPI_PROC_NULL.
bool is_committed(MPI_Datatype type) {
  const char nothing = 0;
  return PMPI_Send(&nothing, 1, type, MPI_PROC_NULL, 0, self_comm()) == MPI_SUCCESS;
}

/// Never destroyed: datatypes may be freed as late as in MPI_Finalize, or after the program's own objects have ended.
class Cache {
 public:
  static Cache &get() {
    static Cache &cache = *(made_ = new Cache);
    return cache;
  }
  /// Null before the first call of get().
  static Cache *made() { return made_; }

  const Layout *find(MPI_Datatype type) const { return static_cast<const Layout *>(table_.find(handle_bits(type))); }
  const Layout *add(MPI_Datatype type);
  const Layout *find(Basic element) const;
  void erase(MPI_Datatype type) { table_.erase(handle_bits(type)); }

 private:
  Cache();
  bool follow(MPI_Datatype type, const Owner &layout);

  static constinit inline std::atomic<Cache *> made_ = nullptr;
  HandleTable table_;
  std::mutex adding_;  // not held by forget(), which the MPI may call with locks of its own
  std::vector<Owner> predefined_;
  int key_ = MPI_KEYVAL_INVALID;
};

Cache::Cache() {
  for (const Predefined &one : predefined_types()) {
    predefined_.push_back(flatten(one.type));
    if (!table_.find(handle_bits(one.type))) table_.insert(handle_bits(one.type), predefined_.back().get());
  }
  PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &key_, nullptr);
}

const Layout *Cache::find(Basic element) const {
  for (const Owner &layout : predefined_)
    if (layout && layout->basic() == element && layout->basics() == 1) return layout.get();
  return nullptr;
}

const Layout *Cache::add(MPI_Datatype type) {
  const std::lock_guard<std::mutex> lock(adding_);
  if (const Layout *known = find(type)) return known;
  if (!is_committed(type)) return nullptr;
  const Owner layout = flatten(type);
  if (!layout || !follow(type, layout)) return nullptr;
  table_.insert(handle_bits(type), layout.get());
  return layout.get();
}

/// The datatype owns its layout: the attribute's value is deleted with it.
bool Cache::follow(MPI_Datatype type, const Owner &layout) {
  auto *owner = new Owner(layout);
  if (PMPI_Type_set_attr(type, key_, owner) == MPI_SUCCESS) return true;
  delete owner;
  return false;
}

int forget(MPI_Datatype type, int, void *attribute, void *) {
  Cache::get().erase(type);
  delete static_cast<Owner *>(attribute);
  return MPI_SUCCESS;
}

class Operations {
 public:
  static const Operations &get() {
    static const Operations &operations = *(made_ = new Operations);
    return operations;
  }
  /// Null before the first call of get().
  static const Operations *made() { return made_; }
  Operation find(MPI_Op op) const {
    const auto *found = static_cast<const Operation *>(table_.find(handle_bits(op)));
    return found ? *found : Operation::none;
  }

 private:
  Operations();
  static constinit inline std::atomic<const Operations *> made_ = nullptr;
  HandleTable table_;
  std::array<Operation, static_cast<std::size_t>(Operation::count_)> values_{};
};

Operations::Operations() {
  const std::pair<MPI_Op, Operation> all[] = {
      {MPI_SUM, Operation::sum},         {MPI_PROD, Operation::prod},  {MPI_MIN, Operation::min},       {MPI_MAX, Operation::max},
      {MPI_LAND, Operation::land},       {MPI_LOR, Operation::lor},    {MPI_LXOR, Operation::lxor},     {MPI_BAND, Operation::band},
      {MPI_BOR, Operation::bor},         {MPI_BXOR, Operation::bxor},  {MPI_MINLOC, Operation::minloc}, {MPI_MAXLOC, Operation::maxloc},
      {MPI_REPLACE, Operation::replace}, {MPI_NO_OP, Operation::no_op}};
  for (const auto &[handle, op] : all) {
    Operation &value = values_[static_cast<std::size_t>(op)];
    value = op;
    table_.insert(handle_bits(handle), &value);
  }
}

// The first calls. Apart, so that all others save no registers.
[[gnu::noinline]] const Layout *add_layout(MPI_Datatype type) { return Cache::get().add(type); }
[[gnu::noinline]] Operation first_operation_of(MPI_Op op) { return Operations::get().find(op); }

}  // namespace

const Layout *layout_of(MPI_Datatype type) {
  const Cache *const made = Cache::made();
  const Layout *const known = made ? made->find(type) : nullptr;
  return known ? known : add_layout(type);
}

const Layout *layout_of(Basic element) { return Cache::get().find(element); }

Operation operation_of(MPI_Op op) {
  const Operations *const made = Operations::made();
  return made ? made->find(op) : first_operation_of(op);
}

}  // namespace halocline::mpi
