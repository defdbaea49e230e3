"""Evaluation: rollouts of a model over environments, their results, metrics and reports."""
