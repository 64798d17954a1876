/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/capi/program.c - a C program that uses every function of svm.h.
 *
 * The data are two and three points on a line, solved by hand: the pair at -1 and 1 has f = x, the
 * three classes at 0, 2, 6 have pairs of margin 1 at their points.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svm.h"

static int failures = 0;
static char printed[65536];

static void check(int holds, const char* what) {
    if (!holds) {
        ++failures;
        fprintf(stderr, "does not hold: %s\n", what);
    }
}

static int near(double a, double b) { return fabs(a - b) < 1e-6; }

static void keep(const char* text) {
    strncat(printed, text, sizeof(printed) - strlen(printed) - 1);
}

static struct svm_parameter parameters(void) {
    struct svm_parameter p;
    memset(&p, 0, sizeof(p));
    p.svm_type = C_SVC;
    p.kernel_type = LINEAR;
    p.degree = 3;
    p.cache_size = 10;
    p.eps = 1e-9;
    p.C = 10;
    p.nu = 0.5;
    p.p = 0.1;
    p.shrinking = 1;
    return p;
}

static struct svm_node space[80];
static struct svm_node* rows[40];
static double labels[40];

static struct svm_problem line_of(int count, const double* x, const double* y) {
    struct svm_problem problem;
    for (int i = 0; i < count; ++i) {
        space[2 * i].index = 1;
        space[2 * i].value = x[i];
        space[2 * i + 1].index = -1;
        rows[i] = space + 2 * i;
        labels[i] = y[i];
    }
    problem.l = count;
    problem.x = rows;
    problem.y = labels;
    return problem;
}

static void two_classes(void) {
    const double x[] = {-1, 1};
    const double y[] = {-1, 1};
    struct svm_problem problem = line_of(2, x, y);
    struct svm_parameter p = parameters();
    check(svm_check_parameter(&problem, &p) == NULL, "good parameters");
    struct svm_model* model = svm_train(&problem, &p);
    check(model != NULL, "training");
    if (model == NULL) {
        return;
    }
    int found[2] = {0, 0};
    svm_get_labels(model, found);
    check(found[0] == 1 && found[1] == -1, "+1 is the first class");
    svm_get_sv_indices(model, found);
    check(found[0] == 2 && found[1] == 1, "indices of the support rows, by class");
    check(svm_get_nr_sv(model) == 2 && svm_get_nr_class(model) == 2, "counts");
    check(svm_get_svm_type(model) == C_SVC, "type");
    check(model->SV[0] == rows[1] && model->free_sv == 0, "rows are those of the problem");
    check(near(model->sv_coef[0][0], 0.5) && near(model->sv_coef[0][1], -0.5), "coefficients");
    check(near(model->rho[0], 0.0), "rho");
    struct svm_node probe[] = {{1, 0.25}, {7, 100.0}, {-1, 0}};
    double value = 0;
    check(svm_predict_values(model, probe, &value) == 1.0 && near(value, 0.25), "value");
    check(svm_predict(model, probe) == 1.0, "label");
    check(svm_check_probability_model(model) == 0, "no probabilities");
    check(svm_predict_probability(model, probe, &value) == 1.0, "label without probabilities");
    check(svm_get_svr_probability(model) == 0.0, "no regression");
    check(strstr(printed, "optimization finished, #iter = ") != NULL, "the lines of training");
    svm_free_and_destroy_model(&model);
    check(model == NULL, "destroyed");
}

static void three_classes(const char* folder) {
    const double x[] = {6, 0, 2};
    const double y[] = {9, 4, 7};
    struct svm_problem problem = line_of(3, x, y);
    struct svm_parameter p = parameters();
    p.probability = 1;
    struct svm_model* model = svm_train(&problem, &p);
    char path[4096];
    snprintf(path, sizeof(path), "%s/model", folder);
    check(model != NULL && svm_save_model(path, model) == 0, "saving");
    struct svm_model* again = svm_load_model(path);
    check(again != NULL, "loading");
    if (model == NULL || again == NULL) {
        return;
    }
    check(again->free_sv == 1 && again->sv_indices == NULL, "a loaded model owns its rows");
    check(svm_check_probability_model(again) == 1, "probabilities");
    const double places[] = {5.0, 0.5, 1.5, 3.0};
    const double wanted[] = {9, 4, 7, 7};
    for (int i = 0; i < 4; ++i) {
        struct svm_node probe[] = {{1, places[i]}, {-1, 0}};
        double a[3];
        double b[3];
        check(svm_predict_values(model, probe, a) == wanted[i], "label of three");
        check(svm_predict_values(again, probe, b) == wanted[i], "label of the loaded model");
        check(memcmp(a, b, sizeof(a)) == 0, "values come back bit for bit");
        double probability[3];
        svm_predict_probability(again, probe, probability);
        check(near(probability[0] + probability[1] + probability[2], 1.0), "probabilities sum to 1");
    }
    struct svm_node probe[] = {{1, 3.0}, {-1, 0}};
    double value[3];
    svm_predict_values(model, probe, value);
    /* classes 9, 4, 7 at 6, 0, 2: pairs 9-4 middle 3, 9-7 middle 4, 4-7 middle 1 */
    check(near(value[0], 0.0) && near(value[1], -0.5) && near(value[2], -2.0), "pairs in order");
    svm_free_model_content(again);
    free(again);
    svm_free_and_destroy_model(&model);
}

static void bad_input(void) {
    const double x[] = {-1, 1};
    const double y[] = {-1, 1};
    struct svm_problem problem = line_of(2, x, y);
    struct svm_parameter p = parameters();
    p.C = NAN;
    check(svm_check_parameter(&problem, &p) != NULL, "C = NaN");
    check(svm_train(&problem, &p) == NULL, "training with C = NaN");
    p = parameters();
    p.eps = NAN;
    check(svm_check_parameter(&problem, &p) != NULL, "eps = NaN");
    p = parameters();
    labels[0] = 1.5;
    check(svm_check_parameter(&problem, &p) != NULL, "a label of 1.5");
    labels[0] = 1;
    check(svm_train(&problem, &p) == NULL, "one class");
    labels[0] = -1;
    space[0].index = 0;
    check(svm_train(&problem, &p) == NULL, "index 0");
    space[0].index = 1;
    space[0].value = INFINITY;
    check(svm_train(&problem, &p) == NULL, "an infinite value");
    check(svm_load_model("/nowhere/model") == NULL, "a model that is not there");
    double target[2] = {0, 0};
    svm_cross_validation(&problem, &p, 2, target);
    check(isnan(target[0]) && isnan(target[1]), "cross-validation of bad rows");
}

/* probA of a one-class model has ten density marks; probabilities are normal, outlier. */
static void one_class_probabilities(const char* folder) {
    char path[4096];
    snprintf(path, sizeof(path), "%s/one-class.model", folder);
    double x[40];
    double y[40];
    for (int i = 0; i < 40; ++i) {
        x[i] = (i * 37 % 40) / 10.0 - 2.0;
        y[i] = 1;
    }
    struct svm_problem problem = line_of(40, x, y);
    struct svm_parameter p = parameters();
    p.svm_type = ONE_CLASS;
    p.kernel_type = RBF;
    p.gamma = 1.0;
    p.nu = 0.4;
    p.probability = 1;
    check(svm_check_parameter(&problem, &p) == NULL, "one-class with probabilities");
    struct svm_model* model = svm_train(&problem, &p);
    check(model != NULL && svm_check_probability_model(model) == 1, "a model with marks");
    check(svm_save_model(path, model) == 0, "saving marks");
    struct svm_model* again = svm_load_model(path);
    check(again != NULL && svm_check_probability_model(again) == 1, "loading marks");
    check(memcmp(model->probA, again->probA, 10 * sizeof(double)) == 0, "ten marks come back");
    double last = -1.0;
    for (int i = 0; i < 30; ++i) {
        struct svm_node probe[] = {{1, 3.0 - i / 10.0}, {-1, 0}}; /* from afar to the middle */
        double value = 0.0;
        double a[2];
        double b[2];
        const double label = svm_predict_probability(model, probe, a);
        check(svm_predict_probability(again, probe, b) == label, "label of the loaded model");
        check(label == svm_predict_values(model, probe, &value), "the label is that of f");
        int passed = 0;
        while (passed < 10 && model->probA[passed] <= value) {
            ++passed;
        }
        const double inside = passed == 0 ? 0.001 : passed == 10 ? 0.999 : passed / 10.0;
        check(near(a[0], inside) && near(a[0] + a[1], 1.0) && a[0] == b[0], "probability to be normal");
        last = a[0];
    }
    check(last > 0.5, "the middle is inside");
    p.probability = 0;
    struct svm_model* plain = svm_train(&problem, &p);
    check(svm_check_probability_model(plain) == 0, "no marks unless asked for");
    svm_free_and_destroy_model(&plain);
    svm_free_and_destroy_model(&again);
    svm_free_and_destroy_model(&model);
}

static void cross_validation(void) {
    const double x[] = {-3, 3, -2, 2, -4, 4, -5, 5};
    const double y[] = {8, 5, 8, 5, 8, 5, 8, 5};
    struct svm_problem problem = line_of(8, x, y);
    struct svm_parameter p = parameters();
    double target[8];
    svm_cross_validation(&problem, &p, 4, target);
    check(memcmp(target, y, sizeof(y)) == 0, "cross-validation of separate classes");
}

int main(int count, char** words) {
    (void)count;
    svm_set_print_string_function(keep);
    check(libsvm_version == LIBSVM_VERSION, "version");
    two_classes();
    three_classes(words[1]);
    bad_input();
    cross_validation();
    one_class_probabilities(words[1]);
    struct svm_parameter p = parameters();
    p.weight_label = malloc(sizeof(int));
    p.weight = malloc(sizeof(double));
    svm_destroy_param(&p);
    return failures == 0 ? 0 : 1;
}
