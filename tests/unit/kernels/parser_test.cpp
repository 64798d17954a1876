// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/kernels/parser_test.cpp - what text means, and where wrong text is wrong.
#include <gtest/gtest.h>

#include "kernel_files.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {
namespace {

std::string canonical(const std::string& text) { return to_string(parse_kernel(text).value()); }

Diagnostic failure(const std::string& text) {
    const Result<Kernel> result = parse_kernel(text);
    return result.ok() ? Diagnostic{"it parsed", "", 0, 0} : result.diagnostic();
}

struct Printed {
    const char* text;
    const char* canonical;
};

TEST(Parser, text_prints_in_canonical_form) {
    const Printed cases[] = {
        {"linear", "linear"},
        {" linear ( ) ", "linear"},
        {"poly", "poly(degree=3, coef0=1, scale=1)"},
        {"poly(2)", "poly(degree=2, coef0=1, scale=1)"},
        {"poly(2, 0)", "poly(degree=2, coef0=0, scale=1)"},
        {"poly(scale=0.5, degree=2)", "poly(degree=2, coef0=1, scale=0.5)"},
        {"poly(2, scale=0.5)", "poly(degree=2, coef0=1, scale=0.5)"},
        {"poly(coef0=-1)", "poly(degree=3, coef0=-1, scale=1)"},
        {"monomial", "monomial(degree=2)"},
        {"rbf", "rbf(gamma=scale)"},
        {"rbf(gamma=scale)", "rbf(gamma=scale)"},
        {"rbf(scale)", "rbf(gamma=scale)"},
        {"rbf(0.5)", "rbf(gamma=0.5)"},
        {"rbf(sigma=1)", "rbf(gamma=0.5)"},
        {"rbf(sigma=2)", "rbf(gamma=0.125)"},
        {"rbf(gamma=+1e-3)", "rbf(gamma=0.001)"},
        {"laplace", "laplace(gamma=1)"},
        {"matern(2.5)", "matern(nu=2.5, length=1)"},
        {"rational-quadratic", "rational-quadratic(alpha=1, length=1)"},
        {"sigmoid(coef0=-.5)", "sigmoid(gamma=1, coef0=-0.5)"},
        {"delta", "delta"},
        {"brownian-bridge", "brownian-bridge"},
        {"sinc", "sinc(bandwidth=0.5)"},
        {"cosine", "cosine"},
        {"chi2", "chi2(gamma=1)"},
        {"intersection", "intersection"},
        {"constant", "constant(1)"},
        {"constant(value=2)", "constant(2)"},
        {"latent-gaussian", "latent-gaussian(s=1, tau=1)"},
        {"negative-distance(1)", "negative-distance(power=1)"},
        {"precomputed", "precomputed"},
        {"2*linear", "2 * linear"},
        {"linear*2", "2 * linear"},
        {"2 * linear * 3 * delta", "6 * linear * delta"},
        {"1 * linear", "linear"},
        {"linear + 1", "linear + constant(1)"},
        {"1 + linear + 0", "constant(1) + linear + constant(0)"},
        {"2 * 3", "constant(6)"},
        {"exp(linear)", "exp(linear)"},
        {"polynomial(linear; 1, 1, 1, 1)", "polynomial(linear; 1, 1, 1, 1)"},
        {"normalized(linear + delta)", "normalized(linear + delta)"},
        {"columns(linear; 0:3, 7)", "columns(linear; 0:3, 7)"},
        {"columns(linear; 4:5)", "columns(linear; 4)"},
        {"linear ^ 3", "linear ^ 3"},
        {"linear^1", "linear ^ 1"},
        {"(linear)", "linear"},
        {"((linear + delta))", "linear + delta"},
        {"(linear + delta) + cosine", "linear + delta + cosine"},
        {"linear + (delta + cosine)", "linear + delta + cosine"},
        {"linear * (delta * cosine)", "linear * delta * cosine"},
        {"(linear + delta) * cosine", "(linear + delta) * cosine"},
        {"linear + delta * cosine ^ 2", "linear + delta * cosine ^ 2"},
        {"(linear * delta) ^ 2", "(linear * delta) ^ 2"},
        {"(2 * linear) ^ 2", "(2 * linear) ^ 2"},
        {"(linear ^ 2) ^ 3", "(linear ^ 2) ^ 3"},
        {"2 * linear ^ 2", "2 * linear ^ 2"},
        {"2 * (linear + delta)", "2 * (linear + delta)"},
        {"2 * constant(3)", "2 * constant(3)"},
        {"1e300 * linear", "1e+300 * linear"},
        {"0.1 * linear", "0.1 * linear"},
        {"linear\n + \t delta\r\n", "linear + delta"},
        {"scaled(linear; 2)", "scaled(linear; 2)"},
        {"scaled(linear; -norm2)", "scaled(linear; -1 * norm2)"},
        {"scaled(linear; exp(-0.5*norm2))", "scaled(linear; exp(-0.5 * norm2))"},
        {"scaled(linear; norm - column(2))", "scaled(linear; norm + -1 * column(2))"},
        {"scaled(linear; norm2-norm)", "scaled(linear; norm2 + -1 * norm)"},
        {"scaled(linear; -2 ^ 2)", "scaled(linear; -1 * 2 ^ 2)"},
        {"scaled(linear; (-2) ^ 2)", "scaled(linear; (-2) ^ 2)"},
        {"scaled(linear; --norm)", "scaled(linear; norm)"},
        {"scaled(linear; (norm + 1) * (norm + 2))", "scaled(linear; (norm + 1) * (norm + 2))"},
        {"scaled(linear; norm * (norm * 2))", "scaled(linear; norm * norm * 2)"},
        {"scaled(linear; (norm ^ 2) ^ 0)", "scaled(linear; (norm ^ 2) ^ 0)"},
        {"scaled(linear; -0)", "scaled(linear; 0)"},
    };
    for (const Printed& item : cases) {
        EXPECT_EQ(canonical(item.text), item.canonical) << item.text;
        EXPECT_EQ(canonical(item.canonical), item.canonical);
        EXPECT_TRUE(parse_kernel(item.text).value() == parse_kernel(item.canonical).value());
    }
}

struct Refused {
    const char* text;
    index_t column;
    const char* message;
};

TEST(Parser, refusals_point_at_the_offending_character) {
    const Refused cases[] = {
        {"", 1, "expected a kernel, found the end"},
        {"   ", 4, "expected a kernel, found the end"},
        {"foo(1)", 1, "unknown kernel 'foo'"},
        {"rfb", 1, "unknown kernel 'rfb'; did you mean 'rbf'?"},
        {"RBF(1)", 1, "unknown kernel 'RBF'; did you mean 'rbf'?"},
        {"Anova", 1, "unknown kernel 'Anova'"},
        {"fooZ", 1, "unknown kernel 'fooZ'"},
        {"2 * gaussian", 5, "unknown kernel 'gaussian'; did you mean 'rbf'?"},
        {"linaer + rbf", 1, "unknown kernel 'linaer'; did you mean 'linear'?"},
        {"rational_quadratic", 1,
         "unknown kernel 'rational_quadratic'; did you mean 'rational-quadratic'?"},
        {"laplacian", 1, "unknown kernel 'laplacian'; did you mean 'laplace'?"},
        {"linear +", 9, "expected a kernel, found the end"},
        {"linear *", 9, "expected a kernel, found the end"},
        {"+ linear", 1, "expected a kernel, found '+'"},
        {"linear linear", 8, "expected '+', '*', '^' or the end, found 'linear'"},
        {"linear)", 7, "this ')' closes nothing"},
        {"(linear", 8, "expected ')' to close the parenthesis, found the end"},
        {"linear - delta", 8, "kernels cannot be subtracted: a difference need not be a kernel"},
        {"(linear - delta)", 9, "kernels cannot be subtracted: a difference need not be a kernel"},
        {"exp(linear - delta)", 12,
         "kernels cannot be subtracted: a difference need not be a kernel"},
        {"linear / 2", 8, "kernels cannot be divided; multiply by a number: 0.5 * k"},
        {"-1 * linear", 1, "a kernel may only be scaled by a positive factor"},
        {"-linear", 1, "a kernel may only be scaled by a positive factor"},
        {"linear * -2", 10, "a kernel may only be scaled by a positive factor"},
        {"0 * linear", 1, "a kernel may only be scaled by a positive factor, got 0"},
        {"2 * linear * 0", 14, "a kernel may only be scaled by a positive factor, got 0"},
        {"1e200 * 1e200 * linear", 9, "the product of the factors is too large for a double"},
        {"1e-200 * linear * 1e-200", 19, "a kernel may only be scaled by a positive factor, got 0"},
        {"rbf(gamma=-1)", 11, "gamma: got -1, must be finite and > 0"},
        {"rbf(gamma=0)", 11, "gamma: got 0, must be finite and > 0"},
        {"rbf(gamma=nan)", 11, "gamma: got nan, must be finite and > 0"},
        {"rbf(gamma=inf)", 11, "gamma: got inf, must be finite and > 0"},
        {"rbf(gamma=-infinity)", 11, "gamma: got -inf, must be finite and > 0"},
        {"rbf(gamma=1e400)", 11, "the number 1e400 is too large for a double"},
        {"rbf(gamma=1e-400)", 11, "the number 1e-400 is too small for a double"},
        {"rbf(gamma=", 11, "expected a number, found the end"},
        {"rbf(gamma=)", 11, "expected a number, found ')'"},
        {"rbf(gamma=auto)", 11, "expected a number, found 'auto'"},
        {"rbf(gama=1)", 5, "rbf has no parameter 'gama'; did you mean 'gamma'?"},
        {"rbf(1, 2)", 8, "rbf takes 1 parameter"},
        {"rbf(gamma=1, gamma=2)", 14, "'gamma' is given twice"},
        {"rbf(gamma=1, sigma=2)", 14, "'gamma' is given twice"},
        {"rbf(sigma=0)", 11, "sigma: got 0, must be finite and > 0"},
        {"rbf(sigma=-1)", 11, "sigma: got -1, must be finite and > 0"},
        {"rbf(sigma=1e-200)", 11, "sigma: got 1e-200, 1 / (2 sigma^2) does not fit a double"},
        {"rbf(sigma=1e200)", 11, "sigma: got 1e+200, 1 / (2 sigma^2) does not fit a double"},
        {"rbf(1", 6, "expected ')' after the parameters of rbf, found the end"},
        {"rbf(1;", 6, "expected ')' after the parameters of rbf, found ';'"},
        {"linear(1)", 8, "linear takes 0 parameters"},
        {"poly(degree=2.5)", 13, "degree: got 2.5, must be an integer >= 1 and <= 2147483647"},
        {"poly(degree=0)", 13, "degree: got 0, must be an integer >= 1 and <= 2147483647"},
        {"poly(degree=scale)", 13,
         "degree: 'scale' is not a value of it; must be >= 1 and <= 2147483647"},
        {"poly(degree=2, 1)", 16, "a value without a name cannot follow a named one"},
        {"poly(scale=0)", 12, "scale: got 0, must be finite and > 0"},
        {"matern(nu=inf)", 11, "nu: got inf, must be > 0 and <= 50"},
        {"negative-distance(3)", 19, "power: got 3, must be > 0 and <= 2"},
        {"constant(-1)", 10, "value: got -1, must be finite and >= 0"},
        {"polynomial(linear; -1, 1)", 20, "coefficient of k^0: got -1, must be finite and >= 0"},
        {"polynomial(linear; 1, nan)", 23, "coefficient of k^1: got nan, must be finite and >= 0"},
        {"polynomial(linear)", 18,
         "expected ';' and the coefficients, as in polynomial(k; 1, 1), found ')'"},
        {"polynomial(degree=3)", 12, "expected a kernel, found the parameter 'degree'"},
        {"polynomial(linear;)", 19, "expected a number, found ')'"},
        {"exp linear", 5, "expected '(' as in exp(k), found 'linear'"},
        {"exp()", 5, "expected a kernel, found ')'"},
        {"columns(linear)", 15,
         "expected ';' and the columns, as in columns(k; 0:3, 7), found ')'"},
        {"columns(linear; 3:3)", 17, "columns 3:3 are none; the end is not included"},
        {"columns(linear; -1)", 17, "expected a column number, found '-'"},
        {"columns(linear; 1.5)", 17, "expected a column number, found '1'"},
        {"columns(linear; 1:)", 19, "expected a column number, found ')'"},
        {"columns(linear; 99999999999999999999)", 17, "a column number does not fit 64 bits"},
        {"columns(precomputed; 1)", 8, "columns: a precomputed kernel has no rows to look at"},
        {"linear ^ 0", 10, "exponent: got 0, must be an integer >= 1 and <= 2147483647"},
        {"linear ^ 1.5", 10, "exponent: got 1.5, must be an integer >= 1 and <= 2147483647"},
        {"linear ^ -1", 10, "exponent: got -1, must be an integer >= 1 and <= 2147483647"},
        {"linear ^ delta", 10, "expected a number, found 'delta'"},
        {"linear ^ 2 ^ 3", 12, "a chain of powers is ambiguous; write (k ^ 2) ^ 3"},
        {"2 ^ 3", 3, "only a kernel can be raised to a power here"},
        {"scaled(linear)", 14,
         "expected ';' and a row function, as in scaled(k; exp(-1 * norm2)), found ')'"},
        {"scaled(linear; )", 16, "expected a row function, found ')'"},
        {"scaled(linear; norm3)", 16, "unknown row function 'norm3'; did you mean 'norm2'?"},
        {"scaled(linear; column(1.5))", 23, "expected a column number, found '1'"},
        {"scaled(linear; norm ^ -1)", 23,
         "row function: got the exponent -1, must be an integer >= 0"},
        {"scaled(linear; norm ^ 2 ^ 2)", 25, "a chain of powers is ambiguous; write (f ^ 2) ^ 3"},
        {"scaled(linear; 1e999)", 16, "the number 1e999 is too large for a double"},
        {"quadratic-form(A.npy)", 16, "the file 'A.npy' cannot be read here"},
        {"quadratic-form()", 16, "expected a file name, found ')'"},
        {"quadratic-form", 15, "expected '(' as in quadratic-form(file.npy), found the end"},
        {"mixture(\"a)", 9, "this quote is never closed"},
        {"mixture(\"a\\", 9, "this quote is never closed"},
        {"mixture(\"a\\\"", 9, "this quote is never closed"},
        {"linear # comment", 8, "expected '+', '*', '^' or the end, found '#'"},
        {"lin\x01", 1, "unknown kernel 'lin'; did you mean 'linear'?"},
        {"linear \x80", 8, "expected '+', '*', '^' or the end, found byte 0x80"},
        {"rbf(gamma=1x10)", 12, "expected ')' after the parameters of rbf, found 'x10'"},
    };
    for (const Refused& item : cases) {
        const Diagnostic diagnostic = failure(item.text);
        EXPECT_EQ(diagnostic.message, item.message) << item.text;
        EXPECT_EQ(diagnostic.column, item.column) << item.text;
        EXPECT_EQ(diagnostic.line, 1) << item.text;
        EXPECT_EQ(diagnostic.source, "kernel expression");
    }
}

TEST(Parser, a_caret_does_not_depend_on_what_follows_the_text) {
    const std::string_view longer = "ab\xbf";  // a continuation byte behind the text
    Diagnostic diagnostic;
    diagnostic.line = 1;
    diagnostic.column = 3;
    EXPECT_EQ(point_at(longer.substr(0, 2), diagnostic), "ab\n  ^");
}

TEST(Parser, columns_count_characters_and_lines_count_breaks) {
    const Diagnostic accented = failure("linear + \xc3\xa9");
    EXPECT_EQ(accented.column, 10);
    const Diagnostic below = failure("linear +\n  rfb");
    EXPECT_EQ(below.line, 2);
    EXPECT_EQ(below.column, 3);
    EXPECT_EQ(point_at("linear +\n  rfb", below), "  rfb\n  ^");
}

TEST(Parser, the_caret_stands_under_the_column) {
    const std::string text = "linear + rbf(gama=1)";
    EXPECT_EQ(point_at(text, failure(text)), "linear + rbf(gama=1)\n             ^");
    EXPECT_EQ(point_at("linear", Diagnostic{"", "", 1, 100}), "linear\n      ^");
    EXPECT_EQ(point_at("\tfoo", failure("\tfoo")), "\tfoo\n\t^");
    EXPECT_EQ(point_at("a\x1b[2J", Diagnostic{"", "", 1, 2}), "a?[2J\n ^");
    EXPECT_EQ(point_at("\xc3\xa9 + foo", Diagnostic{"", "", 1, 5}), "\xc3\xa9 + foo\n    ^");
    EXPECT_EQ(point_at("", Diagnostic{}), "\n^");
}

TEST(Parser, deep_and_long_texts_are_refused_not_crashed_on) {
    EXPECT_EQ(failure(std::string(100000, '(') + "linear").message,
              "nested deeper than 200 levels");
    std::string nested = "linear";
    for (int i = 0; i < 1000; ++i) {
        nested = "exp(" + nested + ")";
    }
    EXPECT_EQ(failure(nested).message, "nested deeper than 200 levels");
    EXPECT_EQ(failure("scaled(linear; " + std::string(100000, '(')).message,
              "nested deeper than 200 levels");
    EXPECT_FALSE(parse_kernel(std::string(2'000'000, ' ')).ok());
    std::string many = "linear";
    for (int i = 0; i < 20000; ++i) {
        many += "+delta";
    }
    EXPECT_EQ(failure(many).message, "kernel: it has 20002 parts, at most 10000 are allowed");
}

TEST(Parser, the_deepest_kernel_allowed_prints_and_parses) {
    Kernel kernel = linear_kernel();
    for (int i = 1; i < 200; ++i) {
        kernel = i % 2 == 0 ? exp(kernel) : pow(kernel, 2);
    }
    EXPECT_TRUE(parse_kernel(to_string(kernel)).value() == kernel);
    EXPECT_THROW(static_cast<void>(exp(kernel)), InvalidArgument);
}

TEST(Parser, file_names_survive_with_spaces_and_quotes) {
    testing::MemoryKernelFiles files;
    for (const char* name : {"A.npy", "dir/A-1_b.npy", "a b.npy", "we\"ird\\(1),x;y.npy"}) {
        files.matrices[name] = KernelMatrix{"", 2, 2, {2, 1, 1, 2}};
        KernelNode node;
        node.type = KernelType::quadratic_form;
        node.matrix = std::make_shared<KernelMatrix>(KernelMatrix{name, 2, 2, {2, 1, 1, 2}});
        const Kernel kernel = make_kernel(node) + linear_kernel();
        const Result<Kernel> parsed = parse_kernel(to_string(kernel), &files);
        ASSERT_TRUE(parsed.ok()) << parsed.diagnostic().text();
        EXPECT_TRUE(parsed.value() == kernel) << to_string(kernel);
    }
    const Result<Kernel> missing = parse_kernel("2 * quadratic-form(B.npy)", &files);
    EXPECT_EQ(missing.diagnostic().text(), "kernel expression:1:20: B.npy: no such file");
}

TEST(Parser, every_catalogue_entry_with_a_usage_parses_and_shows_its_standard_values) {
    for (const CatalogueEntry& entry : kernel_catalogue()) {
        EXPECT_FALSE(entry.help.empty());
        const bool is_leaf = static_cast<int>(entry.type) < static_cast<int>(KernelType::custom);
        if (!is_leaf || entry.usage.find("file") != std::string_view::npos) {
            continue;
        }
        EXPECT_EQ(canonical(std::string(entry.usage)), entry.usage);
        EXPECT_EQ(canonical(std::string(entry.name)), entry.usage);
    }
}

}  // namespace
}  // namespace mercer
