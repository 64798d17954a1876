// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/blas.hpp - the BLAS and LAPACK functions Mercer uses, found at run time.
#pragma once

#include <string>

namespace mercer::cpu {

/// Values of CBLAS's enumerations.
inline constexpr int kRowMajor = 101;
inline constexpr int kNoTranspose = 111;
inline constexpr int kTranspose = 112;
inline constexpr int kUpper = 121;
inline constexpr int kLower = 122;
inline constexpr int kNonUnit = 131;
inline constexpr int kLeft = 141;
inline constexpr int kRight = 142;

/// Function pointers into the loaded library. LAPACK's integers are 32-bit here.
struct Blas {
    void (*sgemm)(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                  float*, int) = nullptr;
    void (*dgemm)(int, int, int, int, int, int, double, const double*, int, const double*, int,
                  double, double*, int) = nullptr;
    void (*ssyrk)(int, int, int, int, int, float, const float*, int, float, float*, int) = nullptr;
    void (*dsyrk)(int, int, int, int, int, double, const double*, int, double, double*,
                  int) = nullptr;
    void (*strsm)(int, int, int, int, int, int, int, float, const float*, int, float*,
                  int) = nullptr;
    void (*dtrsm)(int, int, int, int, int, int, int, double, const double*, int, double*,
                  int) = nullptr;
    void (*spotrf)(const char*, const int*, float*, const int*, int*) = nullptr;
    void (*dpotrf)(const char*, const int*, double*, const int*, int*) = nullptr;
    void (*dsyevd)(const char*, const char*, const int*, double*, const int*, double*, double*,
                   const int*, int*, const int*, int*) = nullptr;
    void (*dgesdd)(const char*, const int*, const int*, double*, const int*, double*, double*,
                   const int*, double*, const int*, double*, const int*, int*, int*) = nullptr;
    void (*dgeqrf)(const int*, const int*, double*, const int*, double*, double*, const int*,
                   int*) = nullptr;
    void (*dlarft)(const char*, const char*, const int*, const int*, const double*, const int*,
                   const double*, double*, const int*) = nullptr;
    void (*set_threads)(int) = nullptr;  ///< null when the library has no such call
    /// OpenMP's limit for the calling thread; null when the library is not built on OpenMP.
    void (*set_own_threads)(int) = nullptr;
    std::string path;
    std::string version;
    std::string core_type;
};

/// Loads the library on the first call. Throws ResourceError naming the places that were tried.
[[nodiscard]] const Blas& blas();

/// A thread must call this before the first BLAS call of a task. An OpenBLAS built on OpenMP uses
/// the thread count of the calling thread, which set_threads() sets for its own caller only; with
/// more than one, calls from several threads share buffers and occasionally give wrong results.
void stay_single();

/// BLAS on one thread: our tiles are fixed and distributed by parallel_for, so that the bits do not
/// depend on the number of threads.
[[nodiscard]] const Blas& single_blas();

}  // namespace mercer::cpu
