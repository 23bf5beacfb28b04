// SPDX-License-Identifier: Apache-2.0

// Asks kube-scheduler's own code about its feature gates.
//
//	dump specs         rows of src/features/known_gates.inc
//	dump dependencies  rows of src/features/gate_dependencies.inc
//	dump answers       for each line of flags on standard input what kube-scheduler makes of it:
//	                   src/features/testdata/flags.txt
//
// To build it, copy this file beside a go.mod that requires k8s.io/kubernetes and, in the versions it needs, the other
// k8s.io modules.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/compatibility"
	"k8s.io/component-base/featuregate"
	logsapi "k8s.io/component-base/logs/api/v1"
	metricsfeatures "k8s.io/component-base/metrics/features"
	_ "k8s.io/kubernetes/pkg/features"
)

const binaryVersion, oldestEmulated = "1.36.0", "1.33"

var stages = map[string]string{"ALPHA": "Alpha", "BETA": "Beta", "": "GA", "DEPRECATED": "Deprecated"}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func gates() featuregate.MutableVersionedFeatureGate {
	gate := utilfeature.DefaultMutableFeatureGate
	must(logsapi.AddFeatureGates(gate))
	must(metricsfeatures.AddFeatureGates(gate))
	return gate.(featuregate.MutableVersionedFeatureGate)
}

func sortedNames[T any](of map[featuregate.Feature]T) []string {
	names := []string{}
	for name := range of {
		names = append(names, string(name))
	}
	sort.Strings(names)
	return names
}

func dumpSpecs(gate featuregate.MutableVersionedFeatureGate) {
	all := gate.GetAllVersioned()
	for _, name := range sortedNames(all) {
		for _, spec := range all[featuregate.Feature(name)] {
			if spec.MinCompatibilityVersion != nil {
				panic(name + " has a minimum compatibility version: the table has no column for it")
			}
			stage := stages[fmt.Sprint(spec.PreRelease)]
			fmt.Printf("    {%q, {%d, %d}, %s, %t, %t},\n", name, spec.Version.Major(), spec.Version.Minor(), stage,
				spec.Default, spec.LockToDefault)
		}
	}
}

func dumpDependencies(gate featuregate.MutableVersionedFeatureGate) {
	all := gate.Dependencies()
	for _, name := range sortedNames(all) {
		for _, needed := range all[featuregate.Feature(name)] {
			fmt.Printf("    {%q, %q},\n", name, needed)
		}
	}
}

// Several errors come in the order of Go's maps; sorted, they can be compared.
func text(err error) string {
	several, ok := err.(utilerrors.Aggregate)
	if !ok || len(several.Errors()) == 1 {
		return err.Error()
	}
	texts := []string{}
	for _, one := range several.Errors() {
		texts = append(texts, one.Error())
	}
	sort.Strings(texts)
	return "[" + strings.Join(texts, ", ") + "]"
}

func answer(base featuregate.MutableVersionedFeatureGate, line string) string {
	gate := base.DeepCopyAndReset()
	must(gate.AddDependencies(base.Dependencies()))
	registry := compatibility.NewComponentGlobalsRegistry()
	floor := utilversion.MustParse(oldestEmulated)
	effective := compatibility.NewEffectiveVersion(utilversion.MustParse(binaryVersion), false, floor, floor)
	must(registry.Register("kube", effective, gate))
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	registry.AddFlags(flags)
	must(flags.Parse(strings.Fields(line)))
	if err := registry.Set(); err != nil {
		return "error: " + text(err)
	}
	if errs := registry.Validate(); len(errs) > 0 {
		return "error: " + text(utilerrors.NewAggregate(errs))
	}
	all := gate.GetAll()
	changed := []string{}
	for _, name := range sortedNames(all) {
		if on := gate.Enabled(featuregate.Feature(name)); on != all[featuregate.Feature(name)].Default {
			changed = append(changed, fmt.Sprintf("%s=%t", name, on))
		}
	}
	on := 0
	for name := range all {
		if gate.Enabled(name) {
			on++
		}
	}
	return fmt.Sprintf("ok: %d known, %d on, changed: %s", len(all), on, strings.Join(changed, ","))
}

func main() {
	gate := gates()
	switch os.Args[1] {
	case "specs":
		dumpSpecs(gate)
	case "dependencies":
		dumpDependencies(gate)
	case "answers":
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			fmt.Printf("%s\n  %s\n", lines.Text(), answer(gate, lines.Text()))
		}
	}
}
