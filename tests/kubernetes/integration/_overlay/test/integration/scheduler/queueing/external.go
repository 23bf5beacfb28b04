// SPDX-License-Identifier: Apache-2.0

// Added by the integration harness: the second half of RunTestCoreResourceEnqueue, seen through the API only.
package queueing

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/component-helpers/storage/volume"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	testutils "k8s.io/kubernetes/test/integration/util"
)

// externalOnlyRequeued names cases in which binding a requeued pod rightly requeues others: in these only the expected
// pods are checked, not that the others stay.
var externalOnlyRequeued = sets.New(
	"Pod rejected by the InterPodAffinity plugin is requeued when updating the node with the topologyKey label of the pod affinity",
)

// attempts describes for each pod what scheduling attempts have left in the API: events, the PodScheduled condition, the
// node, and what a scheduler writes to claims and volumes before it binds the pod.
func attempts(t *testing.T, testCtx *testutils.TestContext) map[string]string {
	t.Helper()
	cs, ns, ctx := testCtx.ClientSet, testCtx.NS.Name, testCtx.Ctx
	parts := map[string][]string{}
	events, err := cs.EventsV1().Events(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events.Items {
		if e.Regarding.Kind != "Pod" || e.Reason != "FailedScheduling" {
			continue
		}
		s := fmt.Sprintf("event %s x%d", e.Name, e.DeprecatedCount)
		if e.Series != nil {
			s += fmt.Sprintf(" series %d", e.Series.Count)
		}
		parts[e.Regarding.Name] = append(parts[e.Regarding.Name], s)
	}
	claims, err := cs.CoreV1().PersistentVolumeClaims(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pvs, err := cs.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	chosen := map[string]string{}
	for _, c := range claims.Items {
		chosen[c.Name] = c.Annotations[volume.AnnSelectedNode]
	}
	for _, pv := range pvs.Items {
		if r := pv.Spec.ClaimRef; r != nil && pv.Annotations[volume.AnnBoundByController] != "" {
			chosen[r.Name] += " volume " + pv.Name
		}
	}
	pods, err := cs.CoreV1().Pods(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, p := range pods.Items {
		l := parts[p.Name]
		if p.Spec.NodeName != "" {
			l = append(l, "node "+p.Spec.NodeName)
		}
		if _, c := podutil.GetPodCondition(&p.Status, v1.PodScheduled); c != nil {
			l = append(l, fmt.Sprintf("condition %s %s %q", c.Status, c.Reason, c.Message))
		}
		for _, v := range p.Spec.Volumes {
			if v.PersistentVolumeClaim != nil && chosen[v.PersistentVolumeClaim.ClaimName] != "" {
				l = append(l, "claim "+chosen[v.PersistentVolumeClaim.ClaimName])
			}
		}
		sort.Strings(l)
		out[p.Name] = strings.Join(l, "; ")
	}
	return out
}

func runExternalEnqueue(t *testing.T, testCtx *testutils.TestContext, tt *CoreResourceEnqueueTestCase) {
	t.Helper()
	names := sets.New[string]()
	for _, p := range tt.Pods {
		names.Insert(p.Name)
	}
	testCtx.Scheduler.RunExternal(testCtx.Ctx)

	// Every pod must be rejected once, or gated.
	if tt.ExpectedInitialRejectingPhase == rejectingPhasePreEnqueue {
		time.Sleep(1500 * time.Millisecond)
		for name := range names {
			if a := attempts(t, testCtx)[name]; strings.Contains(a, "event") || strings.Contains(a, "node ") {
				t.Fatalf("Pod %s was attempted although it is gated: %s", name, a)
			}
		}
	} else {
		for deadline := time.Now().Add(wait.ForeverTestTimeout); ; time.Sleep(100 * time.Millisecond) {
			a, rejected := attempts(t, testCtx), 0
			for name := range names {
				if strings.Contains(a[name], "event") && strings.Contains(a[name], "condition False") {
					rejected++
				}
			}
			if rejected == len(names) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("Not every pod was rejected: %v", a)
			}
		}
		time.Sleep(500 * time.Millisecond)
	}

	before := attempts(t, testCtx)
	if _, err := tt.TriggerFn(testCtx); err != nil {
		t.Fatalf("Failed to trigger the event: %v", err)
	}
	requeued := func() (sets.Set[string], map[string]string) {
		after, r := attempts(t, testCtx), sets.New[string]()
		for name := range names.Union(tt.WantRequeuedPods) { // some are created by the trigger
			if a, exists := after[name]; exists && a != before[name] {
				r.Insert(name)
			}
		}
		return r, after
	}
	for deadline := time.Now().Add(wait.ForeverTestTimeout / 2); ; time.Sleep(100 * time.Millisecond) {
		r, after := requeued()
		if r.IsSuperset(tt.WantRequeuedPods) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("Expect Pods %v to be attempted again, but %v were\nbefore: %v\nafter: %v", tt.WantRequeuedPods, r, before, after)
		}
	}
	if externalOnlyRequeued.Has(tt.Name) {
		return
	}
	time.Sleep(1600 * time.Millisecond) // longer than the backoff
	if r, after := requeued(); !r.Equal(tt.WantRequeuedPods) {
		t.Fatalf("Expect only Pods %v to be attempted again, but %v were\nbefore: %v\nafter: %v", tt.WantRequeuedPods, r, before, after)
	}
}
