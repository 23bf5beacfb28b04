// SPDX-License-Identifier: Apache-2.0

// Added by the integration harness.
package nominatednodename

import (
	"context"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
)

// createNominatedPod creates the pod so that a scheduler never sees it without the nomination: upstream's test sets it
// inside the scheduler's queue.
func createNominatedPod(cs clientset.Interface, pod *v1.Pod, node string) (*v1.Pod, error) {
	ctx, p := context.TODO(), pod.DeepCopy()
	p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/nominating"}}
	p, err := cs.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	p.Status.NominatedNodeName = node
	if p, err = cs.CoreV1().Pods(p.Namespace).UpdateStatus(ctx, p, metav1.UpdateOptions{}); err != nil {
		return nil, err
	}
	return cs.CoreV1().Pods(p.Namespace).Patch(ctx, p.Name, types.StrategicMergePatchType,
		[]byte(`{"spec": {"schedulingGates": null}}`), metav1.PatchOptions{})
}
