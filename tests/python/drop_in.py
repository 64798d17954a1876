# SPDX-License-Identifier: Apache-2.0
"""tests/python/drop_in.py - a user's script: scores of support vector machines from the module that is named.

    python tests/python/drop_in.py sklearn.svm
    python tests/python/drop_in.py mercer

Nothing else differs between the two. Prints one JSON object: a list of numbers for each thing done.
"""

import importlib
import json
import sys

import joblib
import matplotlib
import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.inspection import DecisionBoundaryDisplay, permutation_importance
from sklearn.metrics import brier_score_loss, log_loss, r2_score
from sklearn.model_selection import (GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score,
                                     train_test_split)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

TOL = 1e-8


def fold_score(model, X, y, train, test):
    return clone(model).fit(X[train], y[train]).score(X[test], y[test])


def classes(SVC, load):
    """Scores of a classifier on one data set."""
    X, y = load(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
    pipeline = make_pipeline(StandardScaler(), SVC(tol=TOL))
    grid = GridSearchCV(pipeline, {"svc__C": [0.1, 1.0, 10.0], "svc__gamma": ["scale", 0.01]},
                        cv=3, n_jobs=2).fit(X, y)
    calibrated = CalibratedClassifierCV(pipeline, cv=3).fit(X, y).predict_proba(X_test)
    values = cross_val_predict(pipeline, X, y, cv=3, method="decision_function")
    moved = permutation_importance(grid.best_estimator_, X_test, y_test, n_repeats=3, random_state=0)
    folds = StratifiedKFold(4).split(X, y)
    processes = joblib.Parallel(n_jobs=2, backend="loky")(
        joblib.delayed(fold_score)(pipeline, X, y, *fold) for fold in folds)
    return {"grid": grid.cv_results_["mean_test_score"], "held out": [grid.score(X_test, y_test)],
            "calibrated": [log_loss(y_test, calibrated),
                           np.mean([brier_score_loss(y_test == one, column)
                                    for one, column in zip(np.unique(y), calibrated.T)])],
            "cross_val_predict": [np.mean(values), np.mean(values**2)],
            "permutation": moved.importances_mean, "processes": processes}


def boundary(SVC):
    """What is drawn over two columns."""
    X, y = load_wine(return_X_y=True)
    X = PCA(2).fit_transform(StandardScaler().fit_transform(X))
    shown = DecisionBoundaryDisplay.from_estimator(SVC(tol=TOL).fit(X, y), X, grid_resolution=50,
                                                   response_method="predict")
    binary = DecisionBoundaryDisplay.from_estimator(SVC(tol=TOL).fit(X, y == 0), X, grid_resolution=50,
                                                    response_method="decision_function")
    return {"classes drawn": np.bincount(shown.response.astype(int).ravel()),
            "values drawn": [binary.response.mean(), binary.response.std()]}


def numbers(SVR):
    """Scores of a regression."""
    X, y = load_diabetes(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), SVR(C=50.0, tol=TOL))
    grid = GridSearchCV(pipeline, {"svr__C": [1.0, 100.0], "svr__epsilon": [0.1, 5.0]}, cv=3,
                        n_jobs=2).fit(X, y)
    return {"grid": grid.cv_results_["mean_test_score"],
            "scores": cross_val_score(pipeline, X, y, cv=4),
            "cross_val_predict": [r2_score(y, cross_val_predict(pipeline, X, y, cv=3))],
            "permutation": permutation_importance(grid.best_estimator_, X, y, n_repeats=2,
                                                  random_state=0).importances_mean}


def main():
    matplotlib.use("Agg")
    module = importlib.import_module(sys.argv[1])
    found = {load.__name__[5:]: classes(module.SVC, load)
             for load in (load_digits, load_breast_cancer, load_wine)}
    found["boundary"] = boundary(module.SVC)
    found["diabetes"] = numbers(module.SVR)
    print(json.dumps({f"{data}: {what}": np.asarray(scores, dtype=float).tolist()
                      for data, one in found.items() for what, scores in one.items()}))


if __name__ == "__main__":
    main()
