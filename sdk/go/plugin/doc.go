// SPDX-License-Identifier: Apache-2.0

// Package plugin lets a program of its own take over steps of the Berth scheduler.
//
// A plugin is any value that has the methods of some of the interfaces of this package: a Filterer filters nodes, a
// Scorer scores them, a Permitter lets pods wait before they are bound. The program hands a function that makes one to
// Main, and the scheduler calls it:
//
//	type onlyFast struct{}
//
//	func (onlyFast) Filter(cycle *plugin.Cycle, pod *plugin.Pod, node *plugin.Node) *plugin.Status {
//		if node.Labels()["disk"] == "fast" {
//			return nil
//		}
//		return plugin.Unschedulable("node(s) had slow disks")
//	}
//
//	func main() {
//		plugin.Main("only-fast", func(*plugin.Session) (any, error) { return onlyFast{}, nil })
//	}
//
// What the scheduler knows of the cluster is mirrored in Session.Cluster: nodes with their pods, and objects of the
// kinds that a plugin asks for with Kinds.
package plugin
