// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"log"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const selectedNode = "volume.kubernetes.io/selected-node"

// provision plays the controllers that volumes need: for each claim of the class for which a scheduler selected a node, it
// creates a volume on that node and completes the binding.
func provision(api *server, namespace, class string) error {
	claims := make(chan v1.PersistentVolumeClaim, 10000)
	for range 4 {
		go func() {
			for claim := range claims {
				if err := provisionOne(api, &claim); err != nil {
					log.Printf("provision: %v", err)
				}
			}
		}()
	}
	seen := map[string]bool{}
	return watch(api, "/api/v1/namespaces/"+namespace+"/persistentvolumeclaims", func(kind string, message []byte) {
		var claim v1.PersistentVolumeClaim
		if err := claim.Unmarshal(message); err != nil {
			log.Printf("provision: %v", err)
			return
		}
		mine := claim.Spec.StorageClassName != nil && *claim.Spec.StorageClassName == class
		if kind != "DELETED" && mine && claim.Annotations[selectedNode] != "" && !seen[claim.Name] {
			seen[claim.Name] = true
			claims <- claim
		}
	})
}

func provisionOne(api *server, claim *v1.PersistentVolumeClaim) error {
	name := "pv-" + claim.Namespace + "-" + claim.Name
	volume, err := encodeTyped(&v1.PersistentVolume{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.PersistentVolumeSpec{
			Capacity:    v1.ResourceList{"storage": claim.Spec.Resources.Requests["storage"]},
			AccessModes: claim.Spec.AccessModes, StorageClassName: *claim.Spec.StorageClassName,
			PersistentVolumeReclaimPolicy: v1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource: v1.PersistentVolumeSource{
				CSI: &v1.CSIPersistentVolumeSource{Driver: "driver.example.com", VolumeHandle: name}},
			ClaimRef: &v1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace,
				Name: claim.Name, UID: claim.UID},
			NodeAffinity: &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchExpressions: []v1.NodeSelectorRequirement{{Key: "kubernetes.io/hostname",
					Operator: v1.NodeSelectorOpIn, Values: []string{claim.Annotations[selectedNode]}}}}}}},
		},
	})
	if err != nil {
		return err
	}
	if err := api.do("POST", volume.collection, protobuf, volume.body); err != nil {
		return err
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes",`+
		`"pv.kubernetes.io/bound-by-controller":"yes"}},"spec":{"volumeName":%q}}`, name)
	path := "/api/v1/namespaces/" + claim.Namespace + "/persistentvolumeclaims/" + claim.Name
	return api.do("PATCH", path, "application/merge-patch+json", []byte(patch))
}
