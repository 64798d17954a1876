// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/bindings.hpp - what each file of the extension adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace mercer::python {

void bind_rows(nanobind::module_& module);
void bind_options(nanobind::module_& module);
void bind_training(nanobind::module_& module);
void bind_models(nanobind::module_& module);
void bind_paths(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_threads(nanobind::module_& module);
void bind_theory(nanobind::module_& module);
void bind_report(nanobind::module_& module);

}  // namespace mercer::python
