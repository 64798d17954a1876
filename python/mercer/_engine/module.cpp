// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/module.cpp - the module, and how Mercer's errors map to Python's.
#include <mercer/mercer.hpp>

#include "bindings.hpp"

namespace nb = nanobind;

namespace {

/// A ValueError with the parts of its message as attributes: option, value, reason, hint.
void raise_refusal(const mercer::ArgumentFault& fault) {
    nb::object error =
        nb::handle(PyExc_ValueError)(nb::str(fault.message(mercer::kPythonStyle).c_str()));
    error.attr("option") = nb::str(fault.option.c_str());
    error.attr("value") = nb::str(fault.value.c_str());
    error.attr("reason") = nb::str(fault.reason.c_str());
    error.attr("hint") = nb::str(fault.hint.c_str());
    PyErr_SetObject(PyExc_ValueError, error.ptr());
}

/// Invalid arguments and data become a ValueError, exhausted resources a MemoryError.
void translate(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const mercer::InvalidArgument& error) {
        if (error.fault() != nullptr) {
            raise_refusal(*error.fault());
        } else {
            PyErr_SetString(PyExc_ValueError, error.what());
        }
    } catch (const mercer::DataError& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const mercer::ResourceError& error) {
        PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const mercer::Interrupted& error) {
        PyErr_SetString(PyExc_TimeoutError, error.what());
    } catch (const mercer::Error& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
}

}  // namespace

NB_MODULE(_engine, module) {
    nb::register_exception_translator(translate);
    nb::set_leak_warnings(false);  // an interrupted interpreter does not release its objects
    module.attr("__version__") = MERCER_VERSION;
    mercer::python::bind_rows(module);
    mercer::python::bind_options(module);
    mercer::python::bind_models(module);
    mercer::python::bind_training(module);
    mercer::python::bind_paths(module);
    mercer::python::bind_search(module);
    mercer::python::bind_threads(module);
    mercer::python::bind_theory(module);
    mercer::python::bind_report(module);
}
