// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <common/comm.hpp>
#include <common/replace_file.hpp>

#include <netcdf.h>

#include <charconv>
#include <cstring>
#include <functional>
#include <stdexcept>

namespace boltzmann {
namespace {

constexpr int kWriter = 0;

void check(int status, const std::string &path) {
  if (status != NC_NOERR) throw std::runtime_error(path + ": " + nc_strerror(status) + common::if_full(path));
}

void put_text(int id, int variable, const char *name, const std::string &text) {
  check(nc_put_att_text(id, variable, name, text.size(), text.c_str()), name);
}

/// A rank's part of a field of the whole lattice.
struct Part {
  std::size_t start[kDims], count[kDims];
  std::size_t volume() const { return count[0] * count[1] * count[2]; }
};

std::vector<Part> all_parts(const Domain &domain) {
  Part mine{};
  for (int d = 0; d < kDims; ++d) {
    mine.start[d] = static_cast<std::size_t>(domain.start(d));
    mine.count[d] = static_cast<std::size_t>(domain.n(d));
  }
  std::vector<Part> all(static_cast<std::size_t>(common::size_of(MPI_COMM_WORLD)));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

/// Brings the values of all ranks to the writer, part by part.
void gather(const std::vector<Part> &parts, int rank, const std::vector<double> &mine,
            const std::function<void(const Part &, const double *)> &take) {
  if (rank != kWriter) {
    MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, kWriter, 0, MPI_COMM_WORLD);
    return;
  }
  std::vector<double> values;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    values.resize(parts[r].volume());
    if (r == kWriter)
      values = mine;
    else
      MPI_Recv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, static_cast<int>(r), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    take(parts[r], values.data());
  }
}

template <class Value>
std::vector<double> collect(const Domain &domain, Value value) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(domain.sites()));
  for (std::int64_t x = 0; x < domain.n(0); ++x)
    for (std::int64_t y = 0; y < domain.n(1); ++y)
      for (std::int64_t z = 0; z < domain.n(2); ++z) values.push_back(value(x, y, z));
  return values;
}

/// Defines x, y and z with their coordinates; returns the dimensions.
std::vector<int> define_axes(int id, const Domain &domain, const std::string &path) {
  std::vector<int> dimensions;
  for (int d = 0; d < kDims; ++d) {
    const char name[2] = {"xyz"[d], 0}, axis[2] = {"XYZ"[d], 0};
    int dimension = 0, variable = 0;
    check(nc_def_dim(id, name, static_cast<std::size_t>(domain.global(d)), &dimension), path);
    check(nc_def_var(id, name, NC_DOUBLE, 1, &dimension, &variable), path);
    put_text(id, variable, "axis", axis);
    put_text(id, variable, "units", "1");
    put_text(id, variable, "long_name", std::string(name) + " in spacings of the lattice");
    dimensions.push_back(dimension);
  }
  return dimensions;
}

void put_axes(int id, const Domain &domain, const std::string &path) {
  for (int d = 0; d < kDims; ++d) {
    const char name[2] = {"xyz"[d], 0};
    int variable = 0;
    check(nc_inq_varid(id, name, &variable), path);
    std::vector<double> places;
    for (std::int64_t i = 0; i < domain.global(d); ++i) places.push_back(static_cast<double>(i) + 0.5);
    check(nc_put_var_double(id, variable, places.data()), path);
  }
}

/// A number of a run, or three, on which its physics depend.
struct Parameter {
  const char *name;
  std::vector<double> values;
};
std::vector<Parameter> parameters_of(const Options &o) {
  std::vector<Parameter> all{
      {"viscosity", {o.viscosity}}, {"force", {o.force.begin(), o.force.end()}}, {"walls", {o.walls.begin(), o.walls.end()}}};
  if (o.is_binary())
    for (const Parameter &one : {Parameter{"bulk_free_energy", {o.bulk}}, {"kappa", {o.kappa}}, {"mobility", {o.mobility}}})
      all.push_back(one);
  return all;
}

/// With as many digits as tell them from all others.
std::string words_of(const std::vector<double> &values) {
  std::string text;
  for (const double value : values) {
    char one[32];
    const std::to_chars_result end = std::to_chars(one, one + sizeof one, value);
    text.append(text.empty() ? "" : ", ").append(one, end.ptr);
  }
  return text;
}

void put_origin(int id, const halocline::Context &context, const Options &options) {
  put_text(id, NC_GLOBAL, "Conventions", "CF-1.8");
  put_text(id, NC_GLOBAL, "title", options.problem);
  put_text(id, NC_GLOBAL, "source", std::string("boltzmann, a mini-app of Halocline ") + hlc_version());
  put_text(id, NC_GLOBAL, "order_parameter", options.order_parameter);
  for (const Parameter &one : parameters_of(options))
    check(nc_put_att_double(id, NC_GLOBAL, one.name, NC_DOUBLE, one.values.size(), one.values.data()), one.name);
  const int ranks = context.size();
  check(nc_put_att_int(id, NC_GLOBAL, "ranks", NC_INT, 1, &ranks), "ranks");
}

struct Variable {
  const char *name, *long_name;
  double (*value)(const Site &);
};
constexpr Variable kVariables[] = {
    {"density", "density over its mean", [](const Site &s) { return s.rho; }},
    {"velocity_x", "velocity along x, in spacings per step", [](const Site &s) { return s.u[0]; }},
    {"velocity_y", "velocity along y, in spacings per step", [](const Site &s) { return s.u[1]; }},
    {"velocity_z", "velocity along z, in spacings per step", [](const Site &s) { return s.u[2]; }},
    {"order_parameter", "order parameter: 1 in one fluid, -1 in the other", [](const Site &s) { return s.phi; }},
};

/// The file of a checkpoint is defined and filled by the writer alone, but gathered from all.
void fill_checkpoint(const std::string &path, const halocline::Context &context, const Options &options, Fluid &fluid) {
  const Domain &domain = fluid.domain();
  const std::vector<Part> parts = all_parts(domain);
  const bool writes = context.rank() == kWriter;
  int id = -1, variable = -1;
  if (writes) {
    check(nc_create(path.c_str(), NC_CLOBBER | NC_NETCDF4, &id), path);
    put_origin(id, context, options);
    const int step = fluid.steps();
    check(nc_put_att_int(id, NC_GLOBAL, "step", NC_INT, 1, &step), path);
    std::vector<int> dimensions = define_axes(id, domain, path);
    int component = 0;
    check(nc_def_dim(id, "component", static_cast<std::size_t>(fluid.stored_components()), &component), path);
    dimensions.insert(dimensions.begin(), component);
    check(nc_def_var(id, "distributions", NC_DOUBLE, 1 + kDims, dimensions.data(), &variable), path);
    put_text(id, variable, "long_name", "distributions of D3Q19 after a collision; behind them, if there are 20, the order parameter");
    put_text(id, variable, "units", "1");
    check(nc_enddef(id), path);
    put_axes(id, domain, path);
  }
  for (int c = 0; c < fluid.stored_components(); ++c) {
    const std::vector<double> mine =
        collect(domain, [&](std::int64_t x, std::int64_t y, std::int64_t z) { return fluid.stored_row(c, x, y)[z]; });
    gather(parts, context.rank(), mine, [&](const Part &part, const double *values) {
      const std::size_t start[] = {static_cast<std::size_t>(c), part.start[0], part.start[1], part.start[2]};
      const std::size_t count[] = {1, part.count[0], part.count[1], part.count[2]};
      check(nc_put_vara_double(id, variable, start, count, values), path);
    });
  }
  if (writes) check(nc_close(id), path);
}

/// What is wrong with a checkpoint for this run; empty if it fits.
std::string misfit(int id, int variable, const Options &options, Fluid &fluid) {
  const Domain &domain = fluid.domain();
  int dimensions[1 + kDims];
  if (nc_inq_vardimid(id, variable, dimensions) != NC_NOERR) return "its distributions have no dimensions";
  const std::size_t right[] = {static_cast<std::size_t>(fluid.stored_components()), static_cast<std::size_t>(domain.global(0)),
                               static_cast<std::size_t>(domain.global(1)), static_cast<std::size_t>(domain.global(2))};
  const char *const names[] = {"components", "sites along x", "sites along y", "sites along z"};
  for (int d = 0; d <= kDims; ++d) {
    std::size_t length = 0;
    if (nc_inq_dimlen(id, dimensions[d], &length) != NC_NOERR || length != right[d])
      return "it has " + std::to_string(length) + " " + names[d] + ", this run has " + std::to_string(right[d]);
  }
  std::size_t length = 0;
  if (nc_inq_attlen(id, NC_GLOBAL, "order_parameter", &length) != NC_NOERR) return "it does not say its order_parameter";
  std::string kind(length, ' ');
  if (nc_get_att_text(id, NC_GLOBAL, "order_parameter", kind.data()) != NC_NOERR || kind != options.order_parameter)
    return "its order_parameter is " + kind + ", that of this run is " + options.order_parameter;
  for (const Parameter &one : parameters_of(options)) {
    std::vector<double> found(one.values.size());
    if (nc_inq_attlen(id, NC_GLOBAL, one.name, &length) != NC_NOERR || length != found.size() ||
        nc_get_att_double(id, NC_GLOBAL, one.name, found.data()) != NC_NOERR)
      return std::string("it does not say its ") + one.name + "; write it again";
    if (found != one.values)
      return std::string("its ") + one.name + " is " + words_of(found) + ", that of this run is " + words_of(one.values) +
             "; use the case that wrote it";
  }
  return "";
}

/// Every rank reads its own part. Returns what is wrong.
std::string read_part(const std::string &path, const Options &options, Fluid &fluid) {
  const Domain &domain = fluid.domain();
  int id = -1, variable = -1, step = 0;
  if (const int status = nc_open(path.c_str(), NC_NOWRITE, &id)) return nc_strerror(status);
  std::string wrong;
  if (nc_inq_varid(id, "distributions", &variable) != NC_NOERR || nc_get_att_int(id, NC_GLOBAL, "step", &step) != NC_NOERR)
    wrong = "it is not a checkpoint of boltzmann";
  if (wrong.empty()) wrong = misfit(id, variable, options, fluid);
  if (wrong.empty()) fluid.resume(step);
  std::vector<double> values(static_cast<std::size_t>(domain.sites()));
  for (int c = 0; wrong.empty() && c < fluid.stored_components(); ++c) {
    std::size_t start[] = {static_cast<std::size_t>(c), 0, 0, 0}, count[] = {1, 0, 0, 0};
    for (int d = 0; d < kDims; ++d) {
      start[1 + d] = static_cast<std::size_t>(domain.start(d));
      count[1 + d] = static_cast<std::size_t>(domain.n(d));
    }
    if (const int status = nc_get_vara_double(id, variable, start, count, values.data())) wrong = nc_strerror(status);
    const double *from = values.data();
    for (std::int64_t x = 0; x < domain.n(0); ++x)
      for (std::int64_t y = 0; y < domain.n(1); ++y, from += domain.n(2))
        std::memcpy(fluid.stored_row(c, x, y), from, static_cast<std::size_t>(domain.n(2)) * sizeof(double));
  }
  nc_close(id);
  return wrong;
}

}  // namespace

std::string why_no_files() { return ""; }

Output::Output(const std::string &path, const halocline::Context &context, const Options &options, const Domain &domain)
    : path_(path), rank_(context.rank()), variables_(options.is_binary() ? 5 : 4) {
  if (rank_ != kWriter) return;
  check(nc_create(path.c_str(), NC_CLOBBER | NC_NETCDF4, &id_), path);
  put_origin(id_, context, options);
  int dimension = 0;
  check(nc_def_dim(id_, "time", NC_UNLIMITED, &dimension), path);
  check(nc_def_var(id_, "time", NC_DOUBLE, 1, &dimension, &time_), path);
  put_text(id_, time_, "axis", "T");
  put_text(id_, time_, "units", "1");
  put_text(id_, time_, "long_name", "time in steps since the beginning");
  std::vector<int> dimensions = define_axes(id_, domain, path);
  dimensions.insert(dimensions.begin(), dimension);
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    check(nc_def_var(id_, kVariables[v].name, NC_DOUBLE, 1 + kDims, dimensions.data(), &variables_[v]), path);
    put_text(id_, variables_[v], "long_name", kVariables[v].long_name);
    put_text(id_, variables_[v], "units", "1");
  }
  check(nc_enddef(id_), path);
  put_axes(id_, domain, path);
}

Output::~Output() {
  if (id_ >= 0) nc_close(id_);
}

void Output::write(Fluid &fluid) {
  const Domain &domain = fluid.domain();
  const std::vector<Part> parts = all_parts(domain);
  const double now = fluid.steps();
  if (rank_ == kWriter) check(nc_put_var1_double(id_, time_, &record_, &now), path_);
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const std::vector<double> values =
        collect(domain, [&](std::int64_t x, std::int64_t y, std::int64_t z) { return kVariables[v].value(fluid.site(x, y, z)); });
    gather(parts, rank_, values, [&](const Part &part, const double *some) {
      const std::size_t start[] = {record_, part.start[0], part.start[1], part.start[2]};
      const std::size_t count[] = {1, part.count[0], part.count[1], part.count[2]};
      check(nc_put_vara_double(id_, variables_[v], start, count, some), path_);
    });
  }
  if (rank_ == kWriter) check(nc_sync(id_), path_);
  ++record_;
}

void write_checkpoint(const std::string &path, const halocline::Context &context, const Options &options, Fluid &fluid) {
  if (context.rank() != kWriter) return fill_checkpoint(path, context, options, fluid);
  common::replace_file(path, [&](const std::string &part) { fill_checkpoint(part, context, options, fluid); });
}

void read_checkpoint(const std::string &path, const Options &options, Fluid &fluid) {
  const std::string wrong = read_part(path, options, fluid);
  const auto first = common::first_said(wrong.empty() ? std::nullopt : std::optional<std::string>(wrong), MPI_COMM_WORLD);
  if (first) throw halocline::Error(HLC_ERR_ARGUMENT, "--restart " + path + ": " + *first);
}

}  // namespace boltzmann
