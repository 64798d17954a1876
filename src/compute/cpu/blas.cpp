// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/blas.cpp - loads BLAS with the core type the CPU deserves.
//
// OpenBLAS chooses its kernels when it is loaded, by CPU model number. A release that is older than
// the CPU falls back to SSE3 and loses a factor of five in silence: 0.3.21 on Sapphire Rapids runs
// sgemm at 65 GFLOP/s on two cores where SKYLAKEX gives 315. It takes a hint from the variable
// OPENBLAS_CORETYPE, read at load time. So we load it ourselves, after asking the CPU what it can
// do, with the hint set for the moment of loading - unless the user has set one. The same moment
// tells the OpenMP runtime that comes with it to let idle threads sleep instead of spin.
// docs/adr/0003-blas-at-run-time.md has the measurements.
#include "compute/cpu/blas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "compute/cpu/targets.hpp"
#include "mercer/base/error.hpp"

namespace mercer::cpu {

namespace {

#ifndef MERCER_OPENBLAS_PATH
#define MERCER_OPENBLAS_PATH ""
#endif

/// The OpenBLAS core type for this CPU; empty: leave the choice to OpenBLAS.
const char* core_type_for_this_cpu() {
    const std::int64_t targets = supported_targets();
    if ((targets & HWY_AVX3) != 0) {
        return "SKYLAKEX";
    }
    if ((targets & HWY_AVX2) != 0) {
        return "HASWELL";
    }
    return "";
}

/// Sets an environment variable while it lives, unless the user has set it.
class Hint {
public:
    Hint(const char* variable, const char* value) : variable_(variable) {
        if (*value != '\0' && ::getenv(variable) == nullptr) {
            ours_ = ::setenv(variable, value, 1) == 0;
        }
    }
    ~Hint() {
        if (ours_) {
            ::unsetenv(variable_);
        }
    }
    Hint(const Hint&) = delete;
    Hint& operator=(const Hint&) = delete;

private:
    const char* variable_;
    bool ours_ = false;
};

template <typename Function>
bool bind(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

std::string path_of(void* symbol, const std::string& fallback) {
    Dl_info info{};
    return ::dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : fallback;
}

bool try_load(const std::string& name, Blas& blas) {
    void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return false;
    }
    if (!bind(library, "cblas_sgemm", blas.sgemm) || !bind(library, "cblas_dgemm", blas.dgemm) ||
        !bind(library, "cblas_dsyrk", blas.dsyrk) || !bind(library, "cblas_dtrsm", blas.dtrsm) ||
        !bind(library, "cblas_ssyrk", blas.ssyrk) || !bind(library, "cblas_strsm", blas.strsm) ||
        !bind(library, "spotrf_", blas.spotrf) || !bind(library, "dpotrf_", blas.dpotrf) ||
        !bind(library, "dsyevd_", blas.dsyevd) || !bind(library, "dgesdd_", blas.dgesdd) ||
        !bind(library, "dgeqrf_", blas.dgeqrf) || !bind(library, "dlarft_", blas.dlarft)) {
        ::dlclose(library);
        return false;
    }
    blas.path = path_of(reinterpret_cast<void*>(blas.sgemm), name);
    bind(library, "openblas_set_num_threads", blas.set_threads);
    bind(library, "omp_set_num_threads", blas.set_own_threads);
    char* (*text)() = nullptr;
    if (bind(library, "openblas_get_config", text)) {
        blas.version = text();
    }
    if (bind(library, "openblas_get_corename", text)) {
        blas.core_type = text();
    }
    return true;
}

Blas load() {
    const Hint core_type("OPENBLAS_CORETYPE", core_type_for_this_cpu());
    const Hint waiting("OMP_WAIT_POLICY", "passive");
    const std::vector<std::string> names{MERCER_OPENBLAS_PATH, "libopenblas.so.0",
                                         "libopenblas.so"};
    Blas blas;
    for (const std::string& name : names) {
        if (!name.empty() && try_load(name, blas)) {
            if (blas.set_threads != nullptr) {
                blas.set_threads(1);  // threads are ours to spread
            }
            return blas;
        }
    }
    throw ResourceError(
        fmt::format("BLAS: none of these could be loaded: {}",
                    fmt::join(names.begin() + (names[0].empty() ? 1 : 0), names.end(), ", ")));
}

}  // namespace

const Blas& blas() {
    static const Blas loaded = load();
    return loaded;
}

void stay_single() {
    const Blas& loaded = blas();
    if (loaded.set_own_threads != nullptr) {
        loaded.set_own_threads(1);
    }
}

const Blas& single_blas() {
    stay_single();
    return blas();
}

}  // namespace mercer::cpu
