// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/formats/libsvm_model_test.cpp - LIBSVM's model files: reading, writing, refusing.
#include "mercer/formats/libsvm_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "mercer/base/error.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "support/hand_models.hpp"

namespace mercer {
namespace {

using namespace testing;

const char* const kTwo =
    "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 3\nrho 0.25\nlabel 1 -1\n"
    "probA -2\nprobB 0.5\nnr_sv 1 2\nSV\n"
    "1 1:0.5 3:-1 \n-0.75 2:1 \n-0.25 1:1 2:0.1 3:1e-3 \n";

const char* const kThree =
    "svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 3\nrho 0.5 -1 2\nlabel 7 -3 5\n"
    "nr_sv 1 1 1\nSV\n1 2 1:1 \n-1 3 1:2 \n-2 -3 1:4 \n";

Result<LibsvmModel> parsed(const std::string& text, Context& context) {
    MemoryFiles files;
    files.contents["m"] = text;
    return read_libsvm_model("m", context, files);
}

std::string printed(const LibsvmModel& model) {
    MemoryFiles files;
    write_libsvm_model(model, "m", files);
    return files.contents["m"];
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

void expect_refused(const std::string& text, const std::string& message) {
    Context context(ContextOptions{.threads = 1, .memory = index_t{64} << 20});
    const Result<LibsvmModel> result = parsed(text, context);
    ASSERT_FALSE(result.ok()) << message;
    EXPECT_NE(result.diagnostic().text().find(message), std::string::npos)
        << result.diagnostic().text();
    EXPECT_EQ(context.memory()->used(), 0);
}

TEST(libsvm_model, two_classes_decide_as_libsvm_says) {
    Context context;
    const LibsvmModel file = parsed(kTwo, context).value();
    EXPECT_EQ(file.labels, (std::vector<std::int32_t>{1, -1}));
    const Model model = from_libsvm(file);
    EXPECT_EQ(model.labels, (std::vector<std::string>{"1", "-1"}));
    EXPECT_EQ(model.status, "imported");
    const std::vector<double> x = {1.0, 0.0, 0.5};
    const auto k = [&](double a, double b, double c) {
        return std::exp(
            -0.5 * ((x[0] - a) * (x[0] - a) + (x[1] - b) * (x[1] - b) + (x[2] - c) * (x[2] - c)));
    };
    const double libsvm = k(0.5, 0, -1) - 0.75 * k(0, 1, 0) - 0.25 * k(1, 0.1, 1e-3) - 0.25;
    const std::vector<double> f = decision_function(model, dense_rows(x, 3), context);
    EXPECT_NEAR(f[0], -libsvm, 1e-15);  // Mercer's f > 0 means the second label
    EXPECT_EQ(predict_classes(model, f)[0], libsvm > 0.0 ? 0 : 1);
    EXPECT_EQ(predict_classes(model, {0.0})[0], 1);  // LIBSVM: 0 is not > 0
    const std::vector<double> p = class_probabilities(model, f);
    EXPECT_NEAR(p[0], 1.0 / (1.0 + std::exp(-2.0 * libsvm + 0.5)), 1e-14);
}

TEST(libsvm_model, three_classes_decide_as_libsvm_says) {
    Context context;
    const Model model = from_libsvm(parsed(kThree, context).value());
    const std::vector<double> f =
        decision_function(model, dense_rows(std::vector<double>{1.0}, 1), context);
    // pairs 7 | -3, 7 | 5, -3 | 5 at x = 1 with rows 1, 2, 4
    EXPECT_DOUBLE_EQ(f[0], 1.0 * 1 - 1.0 * 2 - 0.5);
    EXPECT_DOUBLE_EQ(f[1], 2.0 * 1 - 2.0 * 4 + 1.0);
    EXPECT_DOUBLE_EQ(f[2], 3.0 * 2 - 3.0 * 4 - 2.0);
}

TEST(libsvm_model, text_and_models_come_back_bit_for_bit) {
    Context context;
    for (const std::string text : {kTwo, kThree}) {
        const LibsvmModel first = parsed(text, context).value();
        const std::string out = printed(first);
        const LibsvmModel second = parsed(out, context).value();
        EXPECT_EQ(printed(second), out);
        EXPECT_EQ(second.coefficients, first.coefficients);
        const LibsvmModel third = to_libsvm(from_libsvm(first));
        EXPECT_EQ(printed(third), out);
        // through a .mercer file
        const Model model = from_libsvm(first);
        const Model again = loaded(saved(model), context).value();
        EXPECT_EQ(printed(to_libsvm(again)), out);
        EXPECT_TRUE(std::isnan(again.cost));
    }
}

TEST(libsvm_model, values_keep_all_their_digits) {
    Model model = pair_model().model;
    model.kernel = parse_kernel("rbf(gamma=0.1)").value();
    model.support = sparse_rows({1.0 / 3.0, 2.0 / 7.0}, 1);
    model.coefficients = {-0.1234567890123456, 0.1234567890123456};
    model.intercepts = {1.0 / 3.0};
    Context context;
    const Model again = from_libsvm(parsed(printed(to_libsvm(model)), context).value());
    const Dataset probe = dense_rows(std::vector<double>{0.7}, 1);
    EXPECT_EQ(decision_function(again, probe, context), decision_function(model, probe, context));
}

TEST(libsvm_model, regressions_and_one_class_are_read) {
    Context context;
    const std::string body = "kernel_type linear\nnr_class 2\ntotal_sv 1\nrho -1.5\n";
    const Model svr = from_libsvm(
        parsed("svm_type epsilon_svr\n" + body + "probA 0.25\nSV\n2 1:3 \n", context).value());
    EXPECT_EQ(svr.machine, "svr");
    EXPECT_EQ(svr.link.kind, "laplace");
    EXPECT_DOUBLE_EQ(decision_function(svr, dense_rows(std::vector<double>{2.0}, 1), context)[0],
                     13.5);
    const std::string again = printed(to_libsvm(svr));
    EXPECT_NE(again.find("svm_type epsilon_svr"), std::string::npos);
    EXPECT_NE(again.find("probA 0.25"), std::string::npos);
    for (const char* type : {"one_class", "nu_svr"}) {
        const LibsvmModel file =
            parsed(std::string("svm_type ") + type + "\n" + body + "SV\n2 1:3 \n", context).value();
        EXPECT_NE(printed(to_libsvm(from_libsvm(file))).find(type), std::string::npos);
    }
}

TEST(libsvm_model, keys_may_stand_in_any_order_but_once_and_all_of_them) {
    Context context;
    EXPECT_TRUE(
        parsed(changed(changed(kTwo, "rho 0.25\n", ""), "svm_type", "rho 0.25\nsvm_type"), context)
            .ok());
    for (const char* line : {"svm_type c_svc\n", "kernel_type rbf\n", "gamma 0.5\n", "nr_class 2\n",
                             "total_sv 3\n", "rho 0.25\n", "label 1 -1\n", "nr_sv 1 2\n"}) {
        expect_refused(changed(kTwo, line, ""), "lacks the key");
        expect_refused(changed(kTwo, line, std::string(line) + line), "stands twice");
    }
    expect_refused(changed(kTwo, "gamma", "gummo"), ":3:1: got 'gummo', which is no key");
}

TEST(libsvm_model, widths_that_are_none_are_refused) {
    const std::string body = "kernel_type linear\nnr_class 2\ntotal_sv 1\nrho -1.5\n";
    const std::string support = "SV\n2 1:3 \n";
    for (const char* type : {"epsilon_svr", "nu_svr"}) {
        const std::string head = std::string("svm_type ") + type + "\n" + body;
        expect_refused(head + "probA -.1\n" + support, "must be >= 0");
        expect_refused(head + "probA nan\n" + support, "");
    }
    expect_refused("svm_type one_class\n" + body + "probA 1\n" + support, "belongs to");
}

TEST(libsvm_model, counts_that_do_not_agree_are_refused) {
    expect_refused(changed(kTwo, "nr_sv 1 2", "nr_sv 1000000 2"), "must be an integer");
    expect_refused(changed(kTwo, "nr_sv 1 2", "nr_sv 2 2"), "'nr_sv' sums to 4");
    expect_refused(changed(kTwo, "nr_sv 1 2", "nr_sv -1 4"), "must be an integer from 0");
    expect_refused(changed(kTwo, "nr_sv 1 2", "nr_sv 3"), "'nr_sv' has 1 numbers");
    expect_refused(changed(kTwo, "nr_class 2", "nr_class 46342"), "must be an integer from 2");
    expect_refused(changed(kTwo, "nr_class 2", "nr_class -1"), "must be an integer from 2");
    expect_refused(changed(kTwo, "nr_class 2", "nr_class 3"), "'rho' has 1 numbers, must have 3");
    expect_refused(changed(kTwo, "total_sv 3", "total_sv 2147483647"), "must be an integer");
    expect_refused(changed(kTwo, "total_sv 3", "total_sv 4"), "'nr_sv' sums to 3");
    expect_refused(changed(kTwo, "label 1 -1", "label 1 1"), "a label stands twice");
    expect_refused(changed(kTwo, "label 1 -1", "label 1 99999999999"), "must be an integer");
    expect_refused(changed(kTwo, "label 1 -1", "label 1"), "'label' has 1 numbers");
    expect_refused(changed(kTwo, "probB 0.5\n", ""), "do not fit");
    expect_refused(changed(kTwo, "c_svc", "epsilon_svr"), "has no classes");
    expect_refused(changed(kTwo, "c_svc", "d_svc"), "must be one of c_svc");
    expect_refused(changed(kTwo, "rbf", "precomputed"), "precomputed");
    expect_refused(changed(kTwo, "gamma 0.5", "gamma -1"), "gamma");
    expect_refused(changed(kTwo, "gamma 0.5", "gamma 0.5 1"), "at the end of the line");
}

TEST(libsvm_model, rows_that_are_wrong_are_refused_with_their_place) {
    expect_refused(changed(kTwo, "2:1 \n", "2:1 \n0 1:1 \n"), "a line after the 3");
    expect_refused(changed(kTwo, "-0.75 2:1 ", "2:1 "), ":13:1: the row has 0 coefficients");
    expect_refused(changed(kTwo, "2:1 ", "0:1 "), ":13:7: got '0', must be an integer from 1");
    expect_refused(changed(kTwo, "2:1 ", "4294967297:1 "), "must be an integer from 1");
    expect_refused(changed(kTwo, "2:1 ", "2:nan "), ":13:9: got 'nan', must be finite");
    expect_refused(changed(kTwo, "2:1 ", "2:1e999 "), "in the range of a double");
    expect_refused(changed(kTwo, "2:1 ", "2: "), "must be a number");
    expect_refused(changed(kTwo, "2:1 ", "2 "), "must be index:value");
    expect_refused(changed(kTwo, "2:0.1", "1:0.1"), "indices must ascend");
    expect_refused(changed(kTwo, "-0.75", "inf"), "must be finite");
    expect_refused("", "ends before the line SV");
    expect_refused(std::string("svm_type\0c_svc\n", 15), "no key");
}

TEST(libsvm_model, every_truncation_is_refused) {
    Context context;
    const std::string text = kTwo;
    ASSERT_TRUE(parsed(text, context).ok());
    for (std::size_t size = 0; size < text.size(); ++size) {
        EXPECT_FALSE(parsed(text.substr(0, size), context).ok()) << size;
    }
    expect_refused(text.substr(0, text.size() - 1), "cut short");
}

TEST(libsvm_model, a_polynomial_of_degree_0_is_the_constant_1) {
    Context context;
    const std::string text = changed(kTwo, "kernel_type rbf\n",
                                     "kernel_type polynomial\ndegree 0\n"
                                     "coef0 0\n");
    const Model model = from_libsvm(parsed(text, context).value());
    EXPECT_EQ(to_string(model.kernel), "constant(1)");
    const LibsvmModel back = to_libsvm(model);
    EXPECT_EQ(back.kernel_type, "polynomial");
    EXPECT_EQ(back.degree, 0.0);
}

TEST(libsvm_model, a_thousand_mutations_do_no_harm) {
    Context context(ContextOptions{.threads = 1, .memory = index_t{16} << 20});
    Random random(23);
    index_t accepted = 0;
    const std::string seeds[] = {kTwo, kThree};
    for (int round = 0; round < 4000; ++round) {
        std::string text = seeds[static_cast<std::size_t>(random.below(2))];
        for (index_t change = random.below(4); change >= 0; --change) {
            const auto place = static_cast<std::size_t>(random.below(std::ssize(text)));
            switch (random.below(4)) {
                case 0:
                    text[place] = static_cast<char>(random.bits());
                    break;
                case 1:
                    text.erase(place, static_cast<std::size_t>(random.below(8)));
                    text += ' ';
                    break;
                case 2:
                    text.insert(place, std::to_string(random.below(1 << 30)));
                    break;
                default:
                    text.insert(place,
                                text.substr(place, static_cast<std::size_t>(random.below(20))));
            }
        }
        const Result<LibsvmModel> result = parsed(text, context);
        if (!result.ok()) {
            EXPECT_FALSE(result.diagnostic().message.empty());
            continue;
        }
        ++accepted;
        const Model model = from_libsvm(result.value());
        try {
            static_cast<void>(
                decision_function(model, dense_rows(std::vector<double>{0.5}, 1), context));
        } catch (const Error&) {  // overflow, or rows too wide for the memory
        }
    }
    EXPECT_GT(accepted, 50);
    EXPECT_EQ(context.memory()->used(), 0);
}

TEST(libsvm_model, what_the_format_cannot_hold_is_refused) {
    Model model = pair_model().model;
    EXPECT_NO_THROW(static_cast<void>(to_libsvm(model)));
    model.labels = {"cat", "dog"};
    EXPECT_THROW(static_cast<void>(to_libsvm(model)), InvalidArgument);
    model = pair_model().model;
    model.labels = {"1.5", "2"};
    EXPECT_THROW(static_cast<void>(to_libsvm(model)), InvalidArgument);
    model = pair_model().model;
    model.kernel = parse_kernel("laplace(gamma=1)").value();
    EXPECT_THROW(static_cast<void>(to_libsvm(model)), InvalidArgument);
    model = pair_model().model;
    model.scaling = Scaling{"standard", 1, {}, {0.0}, {1.0}, 0.0};
    EXPECT_THROW(static_cast<void>(to_libsvm(model)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(to_libsvm(random_model("linear", 2, 1, "f64", 2))),
                 InvalidArgument);
}

TEST(libsvm_model, a_wider_row_is_no_surprise) {
    Context context;
    const Model model = widened(from_libsvm(parsed(kThree, context).value()), 4);
    EXPECT_NO_THROW(require_consistent(model));
    const std::vector<double> f =
        decision_function(model, dense_rows(std::vector<double>{1, 9, 9, 9}, 4), context);
    EXPECT_DOUBLE_EQ(f[0], -1.5);
}

}  // namespace
}  // namespace mercer
