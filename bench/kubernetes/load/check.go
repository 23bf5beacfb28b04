// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	v1 "k8s.io/api/core/v1"
)

// What a node holds, or can hold: thousandths of CPUs, bytes, pods.
type amounts struct{ cpu, memory, pods int64 }

// check fails when a node holds more pods of the namespace than fit: figures of a scheduler that does not look are worth
// nothing.
func check(api *server, namespace string) error {
	var nodes v1.NodeList
	var pods v1.PodList
	if err := api.list("/api/v1/nodes", &nodes); err != nil {
		return err
	}
	if err := api.list("/api/v1/namespaces/"+namespace+"/pods", &pods); err != nil {
		return err
	}
	held := map[string]amounts{}
	for i := range pods.Items {
		spec := &pods.Items[i].Spec
		sum := held[spec.NodeName]
		sum.pods++
		for _, container := range spec.Containers {
			sum.cpu += container.Resources.Requests.Cpu().MilliValue()
			sum.memory += container.Resources.Requests.Memory().Value()
		}
		held[spec.NodeName] = sum
	}
	for i := range nodes.Items {
		room, sum := &nodes.Items[i].Status.Allocatable, held[nodes.Items[i].Name]
		if sum.cpu > room.Cpu().MilliValue() || sum.memory > room.Memory().Value() || sum.pods > room.Pods().Value() {
			return fmt.Errorf("%s holds more than fits: %+v", nodes.Items[i].Name, sum)
		}
	}
	return nil
}

// list reads a whole collection.
func (s *server) list(path string, into interface{ Unmarshal([]byte) error }) error {
	answer, err := s.open("GET", path, protobuf, "", nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	document, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	return into.Unmarshal(unwrapped(document))
}
