// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/call.cpp - a thread for the work, and one that watches.
#include "call.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>

#include "options.hpp"

namespace mercer::python {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};

ContextOptions context_options(const nb::dict& settings, Observer& observer,
                               const std::atomic<bool>& stop) {
    ContextOptions options;
    index_t threads = 0;
    index_t seed = 0;
    std::string device = "cpu";
    OptionSetter setter(settings);
    setter.integer("threads", threads, Range::non_negative(), "");
    setter.integer("memory", options.memory, Range::non_negative(), "");
    setter.integer("seed", seed, Range::non_negative(), "");
    setter.number("time_limit", options.time_limit, Range::non_negative(), "");
    setter.text("device", device, "");
    require_choice("device", device, {"cpu", "reference"});
    require_in_range("threads", static_cast<double>(threads), Range::within(0.0, 4096.0));
    require_in_range("seed", static_cast<double>(seed), Range::non_negative());
    require_in_range("memory_limit", static_cast<double>(options.memory), Range::non_negative());
    require_in_range("time_limit", options.time_limit, Range::non_negative());
    options.threads = static_cast<int>(threads);
    options.seed = static_cast<std::uint64_t>(seed);
    options.device = device == "cpu" ? Device::cpu : Device::reference;
    options.observer = &observer;
    options.stop_flag = &stop;
    return options;
}

}  // namespace

void Recorder::progress(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    moments_.push_back({context_ == nullptr ? 0.0 : context_->elapsed(),
                        std::string(progress.stage), progress.done, progress.gap});
    news_ = true;
}

void Recorder::note(std::string_view text) {
    const std::lock_guard lock(mutex_);
    notes_.emplace_back(text);
}

std::vector<Moment> Recorder::moments() const {
    const std::lock_guard lock(mutex_);
    return moments_;
}

std::vector<std::string> Recorder::notes() const {
    const std::lock_guard lock(mutex_);
    return notes_;
}

std::optional<Moment> Recorder::take_news() {
    const std::lock_guard lock(mutex_);
    if (!news_) {
        return std::nullopt;
    }
    news_ = false;
    return moments_.back();
}

Call::Call(const nb::dict& settings) : context_(context_options(settings, recorder_, stop_)) {
    recorder_.set_clock(context_);
    progress_ = settings.contains("progress") ? nb::object(settings["progress"]) : nb::none();
    watch_ = settings.contains("watch") && nb::cast<bool>(settings["watch"]);
}

void Call::look_around() {
    try {
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
        if (!progress_.is_none()) {
            if (const std::optional<Moment> news = recorder_.take_news()) {
                progress_(news->seconds, news->stage, news->done, news->gap);
            }
        }
    } catch (nb::python_error& error) {
        stop_.store(true);
        raised_ = nb::borrow(error.value());
        progress_ = nb::none();
    }
}

void Call::run(const std::function<void()>& work, bool may_take_long) {
    if (!watch_ || !may_take_long) {
        const nb::gil_scoped_release released;
        work();
        return;
    }
    std::exception_ptr failure;
    std::mutex mutex;
    std::condition_variable ended;
    bool done = false;
    const nb::gil_scoped_release released;
    std::thread worker([&] {
        try {
            work();
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(mutex);
        done = true;
        ended.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, kBetweenLooks, [&] { return done; })) {
        lock.unlock();
        {
            const nb::gil_scoped_acquire gil;
            look_around();
        }
        lock.lock();
    }
    lock.unlock();
    worker.join();
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void Call::raise_if_stopped() const {
    if (raised_) {
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised_->ptr())), raised_->ptr());
        throw nb::python_error();
    }
}

}  // namespace mercer::python
