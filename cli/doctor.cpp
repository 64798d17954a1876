// SPDX-License-Identifier: Apache-2.0
//
// cli/doctor.cpp - mercer doctor: the resources of this machine, measured.
#include "command.hpp"
#include "environment.hpp"
#include "machine.hpp"
#include "mercer/compute/backend.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/compute/measure.hpp"
#include "mercer/compute/primitives.hpp"
#include "mercer/runtime/hardware.hpp"

namespace mercer::cli {

namespace {

// Both products run on the same cores, and a good BLAS is the faster one. Below this share of the
// speed of our own tiles it runs kernels for another CPU.
constexpr double kBlasShare = 0.5;

struct Findings {
    BlasInfo blas;
    std::string blas_fault;  ///< why there is no BLAS; empty if there is one
    SpeedReport speed;
    std::string thread_reason;
    index_t online = 0;
    index_t allowed = 0;
    index_t usable = 0;
    index_t used = 0;
    index_t memory = 0;
    std::vector<std::string> warnings;
};

void add_warnings(Findings& found) {
    if (!found.blas_fault.empty()) {
        found.warnings.push_back(found.blas_fault);
        return;
    }
    const bool slow = found.speed.sgemm_gflops < kBlasShare * found.speed.tile_gflops_float32 ||
                      found.speed.dgemm_gflops < kBlasShare * found.speed.tile_gflops_float64;
    if (slow) {
        found.warnings.push_back(
            fmt::format("BLAS is slow here: its kernels ({}) are not made for this CPU; install a "
                        "newer OpenBLAS",
                        found.blas.core_type));
    }
    if (found.used > found.usable) {
        found.warnings.push_back(
            fmt::format("{} threads were asked for, {} can run: they will wait for each other",
                        found.used, found.usable));
    }
}

Findings examine(Session& session) {
    Findings found;
    Context& context = session.context();
    found.online = online_processors();
    found.allowed = allowed_processors();
    found.usable = usable_threads();
    found.used = context.threads();
    found.thread_reason = explain_threads(found.online, found.allowed, found.usable);
    found.memory = usable_memory();
    try {
        found.blas = blas_info();
        found.speed = measure_speed(context);
    } catch (const ResourceError& fault) {
        found.blas_fault = fault.what();
    }
    add_warnings(found);
    return found;
}

Json to_json(const Findings& found, Json json) {
    json["version"] = MERCER_VERSION;
    json["compiler"] = __VERSION__;
    json["cpu"] = processor_name();
    json["simd"] = simd_target();
    json["devices"] = Json::object();
    for (const Backend* backend : backends()) {
        json["devices"][std::string(backend->name())] = backend->description();
    }
    json["blas"] = Json{{"library", found.blas.library},
                        {"version", found.blas.version},
                        {"core_type", found.blas.core_type}};
    json["speed"] = Json{{"sgemm_gflops", found.speed.sgemm_gflops},
                         {"dgemm_gflops", found.speed.dgemm_gflops},
                         {"tile_gflops_float32", found.speed.tile_gflops_float32},
                         {"tile_gflops_float64", found.speed.tile_gflops_float64},
                         {"exp_per_second_float32", found.speed.exp_per_second_float32},
                         {"exp_per_second_float64", found.speed.exp_per_second_float64}};
    json["threads"] = Json{{"used", found.used},
                           {"usable", found.usable},
                           {"allowed", found.allowed},
                           {"online", found.online},
                           {"reason", found.thread_reason}};
    json["memory"] = Json{{"usable_bytes", found.memory}};
    json["warnings"] = found.warnings;
    return json;
}

std::string to_text(const Findings& found) {
    std::string text = fmt::format(
        "mercer     {}, built by {}\ncpu        {}\nsimd       {}\n"
        "threads    {} used, {} usable: {}\nmemory     {} usable\n",
        MERCER_VERSION, __VERSION__, processor_name(), simd_target(), found.used, found.usable,
        found.thread_reason, format_byte_size(found.memory));
    for (const Backend* backend : backends()) {
        text += fmt::format("device     {}: {}\n", backend->name(), backend->description());
    }
    if (found.blas_fault.empty()) {
        text += fmt::format(
            "blas       {} with {} kernels\n           {}\n"
            "product    sgemm {:.1f} GFLOP/s, dgemm {:.1f} GFLOP/s (BLAS)\n"
            "tiles      float32 {:.1f} GFLOP/s, float64 {:.1f} GFLOP/s\n"
            "exp        float32 {:.2e} per second, float64 {:.2e} per second, one thread\n",
            found.blas.version, found.blas.core_type, found.blas.library, found.speed.sgemm_gflops,
            found.speed.dgemm_gflops, found.speed.tile_gflops_float32,
            found.speed.tile_gflops_float64, found.speed.exp_per_second_float32,
            found.speed.exp_per_second_float64);
    }
    for (const std::string& warning : found.warnings) {
        text += fmt::format("warning    {}\n", warning);
    }
    return text;
}

struct DoctorOptions {};

ExitStatus run_doctor(Session& session, const DoctorOptions&) {
    const Findings found = examine(session);
    session.emit(to_json(found, session.json_result()), to_text(found));
    return found.blas_fault.empty() ? ExitStatus::done : ExitStatus::resource;
}

}  // namespace

void add_doctor_command(CLI::App& root, Session& session) {
    add_command<DoctorOptions>(
        root, session,
        {"doctor", "report the resources and speed of this machine",
         "  mercer doctor\n  mercer doctor --json -j 1\n"},
        [](CLI::App&, DoctorOptions&) {}, run_doctor);
}

}  // namespace mercer::cli
