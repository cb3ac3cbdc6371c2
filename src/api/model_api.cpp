// The C API of cost models: machine cards and predictions. Local calls, without a context.
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>
#include <utility>

#include "api/calls.hpp"
#include "model/machine.hpp"

namespace api = halocline::core::api;
using halocline::core::Card;
using halocline::core::fail;
using halocline::core::Status;

struct hlc_model {
  explicit hlc_model(Card card) : inner(std::move(card)) {}
  Card inner;
};

namespace {

Status open_card(const char *path, hlc_model **model) {
  if (!path) {
    *model = new hlc_model(Card::find(halocline::core::kept_card(halocline::core::mpi_version())));
    return Status::ok;
  }
  std::string fault;
  auto card = Card::read(path, fault);
  if (!card) return fail(Status::argument, "the machine card %s cannot be used: %s", path, fault.c_str());
  *model = new hlc_model(std::move(*card));
  return Status::ok;
}

}  // namespace

extern "C" {

const char *hlc_model_quantity_name(hlc_model_quantity quantity) { return halocline::core::name_of_quantity(quantity); }

double hlc_model_quantity_of(const hlc_model_term *term, const hlc_model_case *which) {
  return term && which ? halocline::core::quantity_of(*term, *which) : 0;
}

const char *hlc_model_path(void) {
  static thread_local std::string path;
  path = halocline::core::kept_card(halocline::core::mpi_version());
  return path.c_str();
}

hlc_status hlc_model_open(const char *path, hlc_model **model) {
  const char *call = "hlc_model_open";
  api::clear(model);
  return api::guarded(call, [&]() -> Status { return model ? open_card(path, model) : api::null(call, "model"); });
}

void hlc_model_close(hlc_model **model) {
  if (model) delete std::exchange(*model, nullptr);
}

const char *hlc_model_source(const hlc_model *model) { return model ? model->inner.source().c_str() : ""; }

hlc_status hlc_model_curve(const hlc_model *model, int index, hlc_model_curve_t *curve) {
  const char *call = "hlc_model_curve";
  if (!model || !curve) return api::out(api::null(call, model ? "curve" : "model"));
  const auto &curves = model->inner.curves();
  if (index < 0 || static_cast<std::size_t>(index) >= curves.size())
    return api::out(fail(Status::argument, "%s: index %d is out of range, the card has %zu curves", call, index, curves.size()));
  const halocline::core::Curve &one = curves[static_cast<std::size_t>(index)];
  *curve = {one.operation.c_str(),
            one.by.c_str(),
            one.nodes,
            one.points,
            one.least_bytes,
            one.most_bytes,
            one.least_ranks,
            one.most_ranks,
            one.typical_error,
            one.terms.data(),
            static_cast<int>(one.terms.size())};
  return HLC_OK;
}

hlc_status hlc_model_predict(const hlc_model *model, const hlc_model_case *which, hlc_prediction *prediction) {
  const char *call = "hlc_model_predict";
  return api::guarded(call, [&]() -> Status {
    if (!model) return api::null(call, "model");
    if (!which || !prediction) return api::null(call, which ? "prediction" : "which");
    return model->inner.predict(*which, *prediction);
  });
}

}  // extern "C"
