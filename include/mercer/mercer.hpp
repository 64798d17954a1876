// SPDX-License-Identifier: Apache-2.0
//
// mercer/mercer.hpp - all that a program needs to train, use and check kernel machines.
//
//     Context context;
//     const Dataset data = read_dataset("moons.csv", {.task = "classification"}, context).value();
//     const Model model = train(data, {.kernel = rbf_kernel(2), .cost = 10}, context).model;
//
// The headers named here, and those they include, are the ones that are installed.
#pragma once

#include "mercer/audit/verify.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/result.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/data/read.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/models/predictor.hpp"
#include "mercer/report/report.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/files.hpp"
#include "mercer/runtime/memory_files.hpp"
#include "mercer/search/path.hpp"
#include "mercer/search/select.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/theory/bounds.hpp"
