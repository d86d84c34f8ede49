# SPDX-License-Identifier: Apache-2.0
"""What other people's packages say of a table: sdmetrics' reports, and anonymeter's attacks with a control set."""
import random
import warnings

import numpy


def reports(known, real, made):
    """sdmetrics' quality and diagnostic reports, with their properties."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package moves its names
        from sdmetrics.reports.single_table import DiagnosticReport, QualityReport
    found = {}
    for name, kind in (("quality", QualityReport), ("diagnostic", DiagnosticReport)):
        report = kind()
        report.generate(real, made, known.metadata(), verbose=False)
        found[name] = float(report.get_score())
        found[name + "_properties"] = {row.Property: float(row.Score) for row in report.get_properties().itertuples()}
    return found


def rates(evaluator):
    """Success rates of the attack on rows that were fitted, on control rows, and of guessing; and the risk that is left."""
    result = evaluator.results()
    risk = evaluator.risk()
    low, high = (float(end) for end in risk.ci)
    return {"attack": float(result.attack_rate.value), "control": float(result.control_rate.value),
            "guess": float(result.baseline_rate.value), "risk": float(risk.value), "risk_interval": [low, high]}


def singling_out(known, fitted, made, control, attacks, mode):
    from anonymeter.evaluators import SinglingOutEvaluator

    return rates(SinglingOutEvaluator(ori=fitted, syn=made, control=control, n_attacks=attacks, n_cols=4).evaluate(mode=mode))


def linkability(known, fitted, made, control, attacks):
    """An attacker has every second column from one source, and the others from another."""
    from anonymeter.evaluators import LinkabilityEvaluator

    halves = (known.names[0::2], known.names[1::2])
    return rates(LinkabilityEvaluator(ori=fitted, syn=made, control=control, n_attacks=attacks, aux_cols=halves,
                                      n_neighbors=10).evaluate(n_jobs=1))


def inference(known, fitted, made, control, attacks):
    """An attacker knows all columns but one. The worst column, the label, and the mean of all."""
    from anonymeter.evaluators import InferenceEvaluator

    found = {}
    for secret in known.names:
        others = [name for name in known.names if name != secret]
        found[secret] = rates(InferenceEvaluator(ori=fitted, syn=made, control=control, n_attacks=attacks, aux_cols=others,
                                                 secret=secret, regression=secret in known.numbers).evaluate(n_jobs=1))
    worst = max(found, key=lambda name: found[name]["risk"])
    return {"columns": found, "worst": worst, **found[worst], "mean_risk": sum(one["risk"] for one in found.values()) / len(found)}


PARTS = {
    "singling-out-univariate": lambda *given: singling_out(*given, mode="univariate"),
    "singling-out-multivariate": lambda *given: singling_out(*given, mode="multivariate"),
    "linkability": linkability,
    "inference": inference,
}


def attack(part, known, train, made, control, attacks, seed):
    """As many fitted rows as control rows: the chance to find a row unique depends on how many there are."""
    random.seed(seed)
    numpy.random.seed(seed)
    rows = min(len(train), len(control))
    fitted, held = (known.without_gaps(one.sample(rows, random_state=seed)).reset_index(drop=True) for one in (train, control))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"rows_fitted": rows, "rows_control": rows,
                **PARTS[part](known, fitted, known.without_gaps(made), held, attacks)}
