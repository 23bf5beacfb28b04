#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prefers nodes that cost little: 100 for the cheapest of those that fit, 0 for the dearest."""
import berth_plugin


class PriceScore(berth_plugin.Plugin):
    def __init__(self, session):
        super().__init__(session)
        self.label = session.args.get("label")
        if not isinstance(self.label, str) or set(session.args) != {"label"}:
            raise ValueError("config: label is required, and all there is: the label that has the price")

    def price(self, node):
        """In thousandths. What has no price is ours, and costs nothing."""
        return berth_plugin.milli(node.labels.get(self.label, "0"))

    def score_all(self, cycle, pod, nodes):
        return [self.price(node) for node in nodes]

    def normalize_score(self, cycle, pod, nodes, scores):
        cheapest, dearest = min(scores), max(scores)
        if cheapest == dearest:
            return [100] * len(scores)
        return [100 * (dearest - score) // (dearest - cheapest) for score in scores]


if __name__ == "__main__":
    berth_plugin.serve(PriceScore)
