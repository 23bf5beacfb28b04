#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# deploy/manifests/ and `berth manifests` against kustomize: manifests_test.sh BERTH
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/deploy/tools.sh"
berth=$(realpath "$1")
cd "$ROOT/tests/deploy"
kubernetes_in_path
need kubectl "any version since 1.30 will do; tests/kubernetes/build.sh builds one"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

expect "deploy/manifests/ is what the overlays make" "$ROOT/tools/render_manifests.sh" --check

same() { diff <("$berth" manifests "${@:2}") <(kubectl kustomize "$1"); }
for overlay in second-scheduler shadow replace; do
  expect "berth manifests --overlay $overlay is kustomize's output" same "$ROOT/deploy/overlays/$overlay" --overlay "$overlay"
done

# A kustomization that changes the image and the namespace of an overlay, as users would write it.
cp -r "$ROOT/deploy" "$scratch/deploy"
for overlay in second-scheduler shadow; do
  mkdir "$scratch/$overlay"
  cat >"$scratch/$overlay/kustomization.yaml" <<END
resources: [../deploy/overlays/$overlay]
images: [{name: berth, newName: registry.example.com/berth, newTag: "1"}]
END
  expect "--image changes what kustomize's images change ($overlay)" \
    same "$scratch/$overlay" --overlay "$overlay" --image registry.example.com/berth:1
  # kustomize sorts objects by namespace: the new one keeps its place before kube-system.
  sed -i "s/berth-system\|berth-shadow/berth-trial/" "$scratch/deploy/overlays/$overlay/"{namespace,kustomization}.yaml \
    "$scratch/deploy/base/namespace.yaml"
  expect "--namespace changes what the overlay's transformer changes ($overlay)" \
    same "$scratch/$overlay" --overlay "$overlay" --image registry.example.com/berth:1 --namespace berth-trial
done

# What kubeadm makes of its own manifest with our patch: another image, and nothing of the command changed.
patched() {
  kubectl patch --local --type strategic -o yaml -f kubeadm_manifest.yaml \
    --patch-file "$ROOT/deploy/kubeadm/kube-scheduler+strategic.yaml" >"$scratch/patched.yaml"
  diff kubeadm_manifest.yaml "$scratch/patched.yaml" >"$scratch/difference" || true
  diff <(grep -E '^[<>] ' "$scratch/difference" | grep -vE '^< #|status: \{\}') - <<END
<     image: registry.k8s.io/kube-scheduler:v1.36.4
>     image: $("$berth" manifests | sed -n 's/^ *image: //p')
>     securityContext:
>       allowPrivilegeEscalation: false
>       capabilities:
>         drop:
>         - ALL
>       readOnlyRootFilesystem: true
>       runAsGroup: 0
>       runAsUser: 0
END
}
expect "the patch for kubeadm changes the image and confines the process" patched

for file in "$ROOT"/deploy/base/scheduler.yaml "$ROOT"/deploy/overlays/*/scheduler.yaml; do
  expect "berth config check ${file#"$ROOT"/}" "$berth" config check "$file"
done
exit "$failed"
