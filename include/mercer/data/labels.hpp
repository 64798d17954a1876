// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/labels.hpp - from target numbers to classes and back.
//
// A file does not say whether `1` is a class or a quantity, so the readers keep numeric targets as
// numbers, without label names; text labels become class indices at once. The task decides: a
// classifier calls to_classes() on what it reads.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/dataset.hpp"

namespace mercer {

/// The shortest text that reads back as the same double: `-1`, `1`, `0.1`. Negative zero is `0`.
[[nodiscard]] std::string label_text(double value);

/// Turns numeric targets into indices of classes named by label_text(), in ascending numeric order.
///
/// Every distinct number is a class of its own (1.2 and 1.7 differ). Datasets that have label
/// names already are returned unchanged. Throws InvalidArgument when there are no targets.
[[nodiscard]] Dataset to_classes(Dataset data);

/// -1 for the rows of the first of two classes, +1 for those of the second. One class alone is +1,
/// unless its name is a number <= 0. Throws InvalidArgument for targets that are not classes, and
/// for more than two classes.
[[nodiscard]] std::vector<double> signed_labels(const Dataset& data);

/// Replaces the targets by indices into `names`, the classes of a model. Numbers compare as numbers
/// (`1`, `+1` and `1.0` are one name). A label that is not among the names becomes -1.
[[nodiscard]] Dataset align_classes(Dataset data, const std::vector<std::string>& names);

/// True when every name is a finite number, so that target_numbers() loses none of them.
[[nodiscard]] bool are_numbers(const std::vector<std::string>& names);

/// The targets for a text format without names: the numbers that the label names spell, or the
/// class indices when some name is not a number. Numeric targets are returned unchanged.
[[nodiscard]] std::vector<double> target_numbers(const Dataset& data);

}  // namespace mercer
