// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/blas.cpp - loads BLAS with the right core type for the CPU.
//
// OpenBLAS chooses its kernels when it is loaded, by CPU model number. A release that is older than
// the CPU falls back to SSE3 and silently loses a factor of five: 0.3.21 on Sapphire Rapids runs
// sgemm at 65 GFLOP/s on two cores where SKYLAKEX gives 315. It reads a hint from the variable
// OPENBLAS_CORETYPE at load time. So we load it ourselves, after querying the CPU's features, with
// the hint set while it loads, unless the user has set one. At the same time the OpenMP runtime
// that comes with it is told to let idle threads sleep instead of spin.
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

/// The functions of an open library, whose names may all have a prefix.
class Symbols {
public:
    explicit Symbols(void* library) : library_(library) {
        // The OpenBLAS of wheels has one, so that two copies can live in one process.
        prefix_ = ::dlsym(library, "cblas_sgemm") == nullptr ? "scipy_" : "";
    }

    template <typename Function>
    bool bind(const char* name, Function& function) const {
        function = reinterpret_cast<Function>(::dlsym(library_, (prefix_ + name).c_str()));
        return function != nullptr;
    }

private:
    void* library_;
    std::string prefix_;
};

std::string path_of(void* symbol, const std::string& fallback) {
    Dl_info info{};
    return ::dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : fallback;
}

bool try_load(const std::string& name, Blas& blas) {
    void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return false;
    }
    const Symbols symbols(library);
    if (!symbols.bind("cblas_sgemm", blas.sgemm) || !symbols.bind("cblas_dgemm", blas.dgemm) ||
        !symbols.bind("cblas_dsyrk", blas.dsyrk) || !symbols.bind("cblas_dtrsm", blas.dtrsm) ||
        !symbols.bind("cblas_ssyrk", blas.ssyrk) || !symbols.bind("cblas_strsm", blas.strsm) ||
        !symbols.bind("spotrf_", blas.spotrf) || !symbols.bind("dpotrf_", blas.dpotrf) ||
        !symbols.bind("dsyevd_", blas.dsyevd) || !symbols.bind("dgesdd_", blas.dgesdd) ||
        !symbols.bind("dgeqrf_", blas.dgeqrf) || !symbols.bind("dlarft_", blas.dlarft)) {
        ::dlclose(library);
        return false;
    }
    blas.path = path_of(reinterpret_cast<void*>(blas.sgemm), name);
    symbols.bind("openblas_set_num_threads", blas.set_threads);
    symbols.bind("omp_set_num_threads", blas.set_own_threads);
    char* (*text)() = nullptr;
    if (symbols.bind("openblas_get_config", text)) {
        blas.version = text();
    }
    if (symbols.bind("openblas_get_corename", text)) {
        blas.core_type = text();
    }
    return true;
}

/// Where to look, in this order. A BLAS in the folder of this library or program, which a wheel
/// contains, precedes the system's.
std::vector<std::string> candidates() {
    std::vector<std::string> names;
    const std::string own = path_of(reinterpret_cast<void*>(&try_load), "");
    if (const std::size_t slash = own.rfind('/'); slash != std::string::npos) {
        names.push_back(own.substr(0, slash + 1) + "libscipy_openblas.so");
    }
    if (const std::string known = MERCER_OPENBLAS_PATH; !known.empty()) {
        names.push_back(known);
    }
    names.insert(names.end(), {"libopenblas.so.0", "libopenblas.so"});
    return names;
}

Blas load() {
    const Hint core_type("OPENBLAS_CORETYPE", core_type_for_this_cpu());
    const Hint waiting("OMP_WAIT_POLICY", "passive");
    const Hint alone("OPENBLAS_NUM_THREADS", "1");  // or it starts threads that are never used
    const std::vector<std::string> names = candidates();
    Blas blas;
    for (const std::string& name : names) {
        if (try_load(name, blas)) {
            if (blas.set_threads != nullptr) {
                blas.set_threads(1);  // Mercer distributes the work itself
            }
            return blas;
        }
    }
    throw ResourceError(
        fmt::format("BLAS: none of these could be loaded: {}", fmt::join(names, ", ")));
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
