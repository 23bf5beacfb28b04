# SPDX-License-Identifier: Apache-2.0
"""Scenarios: a scheduler program against a real control plane. ../run runs them."""
