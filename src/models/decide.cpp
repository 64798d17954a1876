// SPDX-License-Identifier: Apache-2.0
//
// src/models/decide.cpp - from values of f to classes, scores and probabilities.
//
// Method   Voting over pairs as in LIBSVM; probabilities by pairwise coupling, the second method of
//          Wu, Lin and Weng (JMLR 5, 2004): minimise sum over i != j of (r_ji p_i - r_ij p_j)^2
//          over
//          the simplex, by their Algorithm 2.
// Notation r_ij  probability of class i given class i or j     p  probabilities of the classes
//          Q     the quadratic form above                    Qp, pQp  the products
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/losses/softmax.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/models/predict.hpp"

namespace mercer {

namespace {

// Pairwise probabilities stay this far from 0 and 1, so that Q has a positive diagonal (as LIBSVM).
constexpr double kLeastProbability = 1e-7;
// Algorithm 2 converges linearly; LIBSVM stops it at 0.005 / k after at most 100 rounds.
constexpr double kCouplingTolerance = 1e-9;
constexpr int kMostRounds = 10000;

void require_classes(const PredictionRule& rule, const std::vector<double>& decisions) {
    if (rule.labels.size() < 2) {
        throw InvalidArgument("model: it does not decide between classes");
    }
    if (decisions.size() % static_cast<std::size_t>(rule.outputs()) != 0) {
        throw InvalidArgument(fmt::format("decisions: got {}, must be {} for each row",
                                          decisions.size(), rule.outputs()));
    }
}

/// Index of the greatest value; the first one on ties.
index_t place_of_greatest(std::span<const double> values) {
    return std::max_element(values.begin(), values.end()) - values.begin();
}

/// The class of a pair that a value of exactly 0 votes for.
enum class VoteAtZero { first, second };

/// The votes of a row's pairs.
void count_votes(std::span<const double> f, std::span<double> votes, VoteAtZero at_zero) {
    std::fill(votes.begin(), votes.end(), 0.0);
    std::size_t place = 0;
    for (std::size_t i = 0; i < votes.size(); ++i) {
        for (std::size_t j = i + 1; j < votes.size(); ++j, ++place) {
            const bool tie = f[place] == 0.0 && at_zero == VoteAtZero::first;
            votes[f[place] > 0.0 || tie ? i : j] += 1.0;
        }
    }
}

/// Votes, adjusted by less than 1/3 towards the classes that win their pairs by larger values, as
/// in scikit-learn, where a value of 0 counts for the first class here and for the second in
/// predictions, which follow LIBSVM.
void score_votes(std::span<const double> f, std::span<double> scores) {
    count_votes(f, scores, VoteAtZero::first);
    std::vector<double> sums(scores.size(), 0.0);
    std::size_t place = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        for (std::size_t j = i + 1; j < scores.size(); ++j, ++place) {
            sums[i] += f[place];
            sums[j] -= f[place];
        }
    }
    for (std::size_t i = 0; i < scores.size(); ++i) {
        scores[i] += sums[i] / (3.0 * (std::abs(sums[i]) + 1.0));
    }
}

/// 1 / (1 + exp(t)) without overflow.
double falling_sigmoid(double t) {
    return t >= 0.0 ? std::exp(-t) / (1.0 + std::exp(-t)) : 1.0 / (1.0 + std::exp(t));
}

double probability(const Link& link, std::size_t output, double f) {
    const double t = falling_sigmoid(link.a[output] * f + link.b[output]);
    return std::clamp(t, kLeastProbability, 1.0 - kLeastProbability);
}

/// The probability of being inside: the share of the marks that f has reached.
double inside_probability(const Link& link, double f) {
    constexpr double kFarOutside = 0.001;  // LIBSVM's values
    constexpr double kFarInside = 0.999;
    const auto passed = std::upper_bound(link.a.begin(), link.a.end(), f) - link.a.begin();
    if (passed == 0) {
        return kFarOutside;
    }
    return passed == kDensityMarks
               ? kFarInside
               : static_cast<double>(passed) / static_cast<double>(kDensityMarks);
}

/// Class probabilities of k classes from pairwise probabilities `pairs`, in pair order.
class Coupling {
public:
    explicit Coupling(std::size_t classes)
        : classes_(classes), q_(classes * classes), qp_(classes) {}

    void solve(std::span<const double> pairs, std::span<double> p) {
        fill(pairs);
        const auto k = static_cast<double>(classes_);
        std::fill(p.begin(), p.end(), 1.0 / k);
        for (int round = 0; round < kMostRounds; ++round) {
            const double pqp = products(p);
            double error = 0.0;
            for (std::size_t i = 0; i < classes_; ++i) {
                error = std::max(error, std::abs(qp_[i] - pqp));
            }
            if (error < kCouplingTolerance / k) {
                break;
            }
            sweep(p, pqp);
        }
    }

private:
    void fill(std::span<const double> pairs) {
        std::fill(q_.begin(), q_.end(), 0.0);
        std::size_t place = 0;
        for (std::size_t i = 0; i < classes_; ++i) {
            for (std::size_t j = i + 1; j < classes_; ++j, ++place) {
                const double r = pairs[place];
                const double s = 1.0 - r;
                q_[i * classes_ + i] += s * s;
                q_[j * classes_ + j] += r * r;
                q_[i * classes_ + j] = q_[j * classes_ + i] = -r * s;
            }
        }
    }

    /// Computes Qp and returns pQp.
    double products(std::span<const double> p) {
        double pqp = 0.0;
        for (std::size_t i = 0; i < classes_; ++i) {
            double sum = 0.0;
            for (std::size_t j = 0; j < classes_; ++j) {
                sum += q_[i * classes_ + j] * p[j];
            }
            qp_[i] = sum;
            pqp += p[i] * sum;
        }
        return pqp;
    }

    /// Updates one coordinate after the other and maintains Qp and the sum 1.
    void sweep(std::span<double> p, double pqp) {
        for (std::size_t i = 0; i < classes_; ++i) {
            const double diagonal = q_[i * classes_ + i];
            const double step = (pqp - qp_[i]) / diagonal;
            p[i] += step;
            const double total = 1.0 + step;
            pqp = (pqp + step * (step * diagonal + 2.0 * qp_[i])) / (total * total);
            for (std::size_t j = 0; j < classes_; ++j) {
                qp_[j] = (qp_[j] + step * q_[i * classes_ + j]) / total;
                p[j] /= total;
            }
        }
    }

    std::size_t classes_;
    std::vector<double> q_;
    std::vector<double> qp_;
};

/// The class probabilities of one row from the probabilities of its outputs.
void combine_outputs(const PredictionRule& rule, const std::vector<double>& probabilities,
                     Coupling& coupling, std::span<double> p) {
    if (rule.multiclass.empty()) {
        p[0] = 1.0 - probabilities[0];
        p[1] = probabilities[0];
    } else if (rule.multiclass == "ovo") {
        coupling.solve(probabilities, p);
    } else {
        double sum = 0.0;
        for (const double value : probabilities) {
            sum += value;
        }
        std::transform(probabilities.begin(), probabilities.end(), p.begin(),
                       [sum](double value) { return value / sum; });
    }
}

}  // namespace

std::vector<index_t> predict_classes(const PredictionRule& rule,
                                     const std::vector<double>& decisions) {
    require_classes(rule, decisions);
    const auto outputs = static_cast<std::size_t>(rule.outputs());
    std::vector<index_t> classes;
    classes.reserve(decisions.size() / outputs);
    std::vector<double> votes(rule.labels.size());
    for (std::size_t at = 0; at < decisions.size(); at += outputs) {
        const std::span<const double> f(decisions.data() + at, outputs);
        if (rule.is_ordinal()) {
            const auto& marks = rule.thresholds;
            classes.push_back(std::upper_bound(marks.begin(), marks.end(), f[0]) - marks.begin());
        } else if (rule.multiclass.empty()) {
            classes.push_back(f[0] >= 0.0 ? 1 : 0);
        } else if (rule.multiclass != "ovo") {
            classes.push_back(place_of_greatest(f));
        } else {
            count_votes(f, votes, VoteAtZero::second);
            classes.push_back(place_of_greatest(votes));
        }
    }
    return classes;
}

std::vector<std::string> predict_labels(const PredictionRule& rule,
                                        const std::vector<double>& decisions) {
    std::vector<std::string> labels;
    for (const index_t k : predict_classes(rule, decisions)) {
        labels.push_back(rule.labels[static_cast<std::size_t>(k)]);
    }
    return labels;
}

std::vector<std::string> predict_labels(const PredictionRule& rule, const Dataset& rows,
                                        Context& context) {
    require_classes(rule, {});  // fail before the expensive part
    return predict_labels(rule, decision_function(rule, rows, context));
}

std::vector<double> class_scores(const PredictionRule& rule, const std::vector<double>& decisions) {
    require_classes(rule, decisions);
    if (rule.is_ordinal()) {
        throw InvalidArgument("model: an ordinal one has one value for all its classes");
    }
    if (rule.multiclass == "ovr" || rule.is_joint()) {
        return decisions;
    }
    const auto outputs = static_cast<std::size_t>(rule.outputs());
    const std::size_t classes = rule.labels.size();
    std::vector<double> scores(decisions.size() / outputs * classes);
    for (std::size_t i = 0; i * outputs < decisions.size(); ++i) {
        const std::span<const double> f(decisions.data() + i * outputs, outputs);
        const std::span<double> out(scores.data() + i * classes, classes);
        if (rule.multiclass.empty()) {
            out[0] = -f[0];
            out[1] = f[0];
        } else {
            score_votes(f, out);
        }
    }
    return scores;
}

std::vector<double> class_probabilities(const PredictionRule& rule,
                                        const std::vector<double>& decisions) {
    require_classes(rule, decisions);
    if (!rule.link.gives_probabilities()) {
        throw InvalidArgument("model: it was trained without --probability, so it has none");
    }
    const auto outputs = static_cast<std::size_t>(rule.outputs());
    const std::size_t classes = rule.labels.size();
    std::vector<double> out(decisions.size() / outputs * classes);
    if (rule.is_joint()) {
        for (std::size_t at = 0; at < decisions.size(); at += classes) {
            SoftmaxLoss::probabilities({decisions.data() + at, classes},
                                       {out.data() + at, classes});
        }
        return out;
    }
    if (rule.link.kind == "density") {
        for (std::size_t i = 0; i < decisions.size(); ++i) {
            const double inside = inside_probability(rule.link, decisions[i]);
            out[2 * i] = 1.0 - inside;
            out[2 * i + 1] = inside;
        }
        return out;
    }
    Coupling coupling(classes);
    std::vector<double> probabilities(outputs);
    for (std::size_t i = 0; i * outputs < decisions.size(); ++i) {
        for (std::size_t t = 0; t < outputs; ++t) {
            probabilities[t] = probability(rule.link, t, decisions[i * outputs + t]);
        }
        combine_outputs(rule, probabilities, coupling, {out.data() + i * classes, classes});
    }
    return out;
}

std::vector<index_t> most_probable_classes(const PredictionRule& rule,
                                           const std::vector<double>& probabilities) {
    const std::size_t classes = rule.labels.size();
    std::vector<index_t> out;
    for (std::size_t at = 0; at < probabilities.size(); at += classes) {
        out.push_back(place_of_greatest({probabilities.data() + at, classes}));
    }
    return out;
}

}  // namespace mercer
