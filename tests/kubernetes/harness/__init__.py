# SPDX-License-Identifier: Apache-2.0
"""What scenarios against a real Kubernetes control plane share."""
