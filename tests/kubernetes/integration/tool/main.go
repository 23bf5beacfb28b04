// SPDX-License-Identifier: Apache-2.0

// Command tool turns a copy of the Kubernetes source tree into one whose scheduler integration tests run against an
// external scheduler (tool transform SRC OVERLAY), and turns the output of go test -json into one line per test
// (tool report). Called with the flags of a scheduler it plays one that does nothing.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

func main() {
	switch {
	case len(os.Args) == 4 && os.Args[1] == "transform":
		transform(os.Args[2], os.Args[3])
	case len(os.Args) == 2 && os.Args[1] == "report":
		os.Exit(report())
	case len(os.Args) > 1 && os.Args[1] == "--config":
		idle(os.Args[2:])
	default:
		fmt.Fprintln(os.Stderr, "usage: tool transform SRC OVERLAY | tool report")
		os.Exit(2)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// edit replaces old by new in file, n times (0: once). Upstream's text must be as expected.
type edit struct {
	file, old, new string
	n              int
}

const (
	it    = "test/integration/"
	sched = it + "scheduler/"
)

var edits = []edit{
	// The in-process scheduler becomes a mirror; Run starts the external one.
	{file: "pkg/scheduler/scheduler.go", old: "\tworkloadAwarePreemptionEnabled         bool\n}",
		new: "\tworkloadAwarePreemptionEnabled         bool\n\texternal                               *externalScheduler\n}"},
	{file: "pkg/scheduler/scheduler.go", old: "\tregistry := frameworkplugins.NewInTreeRegistry()\n",
		new: "\texternal, err := newExternal(&options)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\n\tregistry := frameworkplugins.NewInTreeRegistry()\n"},
	{file: "pkg/scheduler/scheduler.go", old: "\tsched.NextPod = podQueue.Pop\n",
		new: "\tsched.external = external\n\tsched.NextPod = sched.externalNextPod\n"},
	{file: "pkg/scheduler/scheduler.go", old: "func (sched *Scheduler) Run(ctx context.Context) {\n",
		new: "func (sched *Scheduler) Run(ctx context.Context) {\n\tif sched.external != nil {\n\t\tsched.RunExternal(ctx)\n\t\t<-ctx.Done()\n\t\treturn\n\t}\n"},

	// Test helpers: skip what cannot run, wait for the external scheduler as well.
	{file: it + "util/util.go", old: "\tif err != nil {\n\t\tt.Fatalf(\"Couldn't create scheduler: %v\", err)\n\t}\n",
		new: "\tif reason := scheduler.ExternalSkipReason(err); reason != \"\" {\n\t\tcancel()\n\t\teventBroadcaster.Shutdown()\n\t\tt.Skip(reason)\n\t}\n\tif err != nil {\n\t\tt.Fatalf(\"Couldn't create scheduler: %v\", err)\n\t}\n\ttestCtx.Scheduler.SetExternalTest(t)\n"},
	{file: it + "util/util.go", old: "\ttCtx.ExpectNoError(err, \"creating scheduler\")\n",
		new: "\tif reason := scheduler.ExternalSkipReason(err); reason != \"\" {\n\t\ttCtx.Skip(reason)\n\t}\n\ttCtx.ExpectNoError(err, \"creating scheduler\")\n\tsched.SetExternalTest(tCtx)\n"},
	{file: it + "framework/test_server.go", old: "os.CreateTemp(\"/" + "tmp\", ", new: "os.CreateTemp(\"\", "},
	// Goroutines of the test process say nothing about an external scheduler.
	{file: it + "framework/etcd.go", old: "\tif err := goleakFindRetry(goleakOpts...); err != nil {\n", new: "\tif err := error(nil); err != nil {\n\t\t_ = goleakOpts\n"},
	{file: it + "util/util.go", old: "\tgo sched.Run(tCtx)\n", new: "\tsched.RunExternal(tCtx)\n"},
	{file: it + "util/util.go", old: "\t\treturn fmt.Errorf(\"cannot obtain available nodes in scheduler cache: %v\", err)\n\t}\n",
		new: "\t\treturn fmt.Errorf(\"cannot obtain available nodes in scheduler cache: %v\", err)\n\t}\n\tscheduler.ExternalSettle()\n"},
	{file: it + "util/util.go", old: "\t\tt.Errorf(\"Failed to wait for scheduler cache cleanup: %v\", err)\n\t}\n",
		new: "\t\tt.Errorf(\"Failed to wait for scheduler cache cleanup: %v\", err)\n\t}\n\tscheduler.ExternalSettle()\n"},
	{file: it + "util/util.go", old: "\t\t\tcachedPod, err2 := testCtx.Scheduler.Cache.GetPod(actualPod)\n",
		new: "\t\t\tscheduler.ExternalSettle()\n\t\t\tcachedPod, err2 := testCtx.Scheduler.Cache.GetPod(actualPod)\n"},

	{file: it + "util/util.go", old: "WithTimeout(ctx, cs, pod, 30*time.Second)", new: "WithTimeout(ctx, cs, pod, wait.ForeverTestTimeout)", n: 2},

	{file: it + "daemonset/daemonset_test.go", old: "\t\tprofile.NewRecorderFactory(eventBroadcaster),\n\t)\n",
		new: "\t\tprofile.NewRecorderFactory(eventBroadcaster),\n\t\tscheduler.WithKubeConfig(config),\n\t)\n"},
	{file: it + "daemonset/daemonset_test.go", old: "\tgo sched.Run(tCtx)\n", new: "\tsched.SetExternalTest(t)\n\tsched.RunExternal(tCtx)\n"},

	// Queueing: requeued means attempted again, as seen in the API.
	{file: sched + "queueing/queue.go", old: "\ttestCtx.Scheduler.SchedulingQueue.Run(logger)\n\tdefer testCtx.Scheduler.SchedulingQueue.Close()\n",
		new: "\t_ = logger\n"},
	{file: sched + "queueing/queue.go", old: "\tswitch tt.ExpectedInitialRejectingPhase {\n",
		new: "\tif true {\n\t\trunExternalEnqueue(t, testCtx, tt)\n\t\treturn\n\t}\n\n\tswitch tt.ExpectedInitialRejectingPhase {\n"},
	{file: sched + "queueing/queue.go", old: "\tif tt.EnableNodeDeclaredFeatures {\n",
		new: "\tif tt.EnableNodeDeclaredFeatures {\n\t\tt.Skip(\"external: needs a mock node feature inside the scheduler\")\n"},
	{file: sched + "queueing/queue.go", old: "\tlogger, _ := ktesting.NewTestContext(t)\n\n\topts :=",
		new: "\tif strings.HasPrefix(tt.Name, \"Pod rejected by the PreFilter of NodeAffinity plugin and Filter of NodeResourcesFit\") {\n\t\tt.Skip(\"external: looks into the in-process scheduling queue\")\n\t}\n\tlogger, _ := ktesting.NewTestContext(t)\n\n\topts :="},
	{file: sched + "queueing/queue.go", old: "import (\n\t\"context\"\n\t\"fmt\"\n", new: "import (\n\t\"context\"\n\t\"fmt\"\n\t\"strings\"\n"},

	// Scheduling gates: the external scheduler runs instead of ScheduleOne.
	{file: sched + "queueing/queue_test.go", old: "\t\t\t// Schedule pods.\n", new: "\t\t\ttestCtx.Scheduler.RunExternal(testCtx.Ctx)\n"},
	{file: sched + "queueing/queue_test.go", old: "\t\t\t\ttestCtx.Scheduler.ScheduleOne(testCtx.Ctx)\n", new: "", n: 2},
	{file: sched + "queueing/queue_test.go", old: "\t\t\tif len(testCtx.Scheduler.SchedulingQueue.PodsInActiveQ()) > 0 {\n\t\t\t\tt.Fatal(\"Expected no schedulable pods\")\n\t\t\t}\n",
		new: "\t\t\tscheduler.ExternalSettle()\n\t\t\tfor _, p := range tt.pods {\n\t\t\t\tif len(p.Spec.SchedulingGates) == 0 {\n\t\t\t\t\tcontinue\n\t\t\t\t}\n\t\t\t\tif gated, err := testutils.PodSchedulingGated(ctx, cs, ns, p.Name)(ctx); err != nil || !gated {\n\t\t\t\t\tt.Fatalf(\"Expected %s to be gated\", p.Name)\n\t\t\t\t}\n\t\t\t}\n"},

	// Upstream emulates 1.32 here, for the API server and the scheduler, to switch features off that are locked on
	// since. A released 1.36 emulates 1.33 at most; the cases do not depend on it, but for those named so.
	{file: sched + "filters/filters_test.go", old: "\t\t\tif !test.enableMatchLabelKeysInAffinity {\n", new: "\t\t\tif false {\n"},
	{file: sched + "filters/filters_test.go", old: "\t\t\tif !tt.enableNodeInclusionPolicy {\n",
		new: "\t\t\tif len(tt.name) > 21 && tt.name[:21] == \"feature gate disabled\" {\n\t\t\t\tt.Skip(\"external: needs a feature switched off that is locked on since 1.33\")\n\t\t\t}\n\t\t\tif false {\n"},
	{file: sched + "scoring/priorities_test.go", old: "\t\t\tif !tt.enableMatchLabelKeysInAffinity {\n", new: "\t\t\tif false {\n"},
	{file: sched + "scoring/priorities_test.go", old: "\t\t\tif !tt.enableNodeInclusionPolicy {\n", new: "\t\t\tif false {\n"},

	// Upstream forgets to check that the pods were scheduled at all.
	{file: sched + "scoring/priorities_test.go", old: "\t\t\t// Verify zone spreading.\n",
		new: "\t\t\tif err != nil {\n\t\t\t\tt.Fatalf(\"Pods were not scheduled: %v\", err)\n\t\t\t}\n\t\t\t// Verify zone spreading.\n"},

	// Upstream panics here when there is no condition, and so ends the whole package.
	{file: it + "volumescheduling/volume_binding_test.go", old: "\t\tif strings.Compare(p.Status.Conditions[0].Reason, ",
		new: "\t\tif len(p.Status.Conditions) == 0 {\n\t\t\tt.Fatalf(\"Failed as Pod %s has no condition\", podName)\n\t\t}\n\t\tif strings.Compare(p.Status.Conditions[0].Reason, "},

	// The end of this test looks at the in-process queue.
	{file: sched + "filters/filters_test.go", old: "\t\t\tif len(pendingPods) != 0 {\n", new: "\t\t\tif false && len(pendingPods) != 0 {\n"},
	{file: sched + "podgroup/podgroup_test.go", old: "\t\t\t\t\t\t\t\t\treturn podInUnschedulablePods(t, testCtx.Scheduler.SchedulingQueue, podName), nil\n",
		new: "\t\t\t\t\t\t\t\t\tscheduler.ExternalSettle()\n\t\t\t\t\t\t\t\t\tok, err := testutils.PodScheduled(cs, ns, podName)(testCtx.Ctx)\n\t\t\t\t\t\t\t\t\treturn !ok && podInUnschedulablePods(t, testCtx.Scheduler.SchedulingQueue, podName), err\n"},

	// Preemption: the fake filter lets everything pass in the cases with maxTokens.
	{file: sched + "preemption/preemption_test.go", old: "\t\t\t\t\t\ttestCtx := testutils.InitTestSchedulerWithOptions(t,\n\t\t\t\t\t\t\ttestutils.InitTestAPIServer(t, \"preemption\", nil),\n",
		new: "\t\t\t\t\t\tif test.initTokens != maxTokens {\n\t\t\t\t\t\t\tt.Skip(\"external: needs the Go plugin \" + filterPluginName)\n\t\t\t\t\t\t}\n\t\t\t\t\t\tscheduler.ExternalPlugins = map[string]string{filterPluginName: \"\"}\n\t\t\t\t\t\tdefer func() { scheduler.ExternalPlugins = nil }()\n\t\t\t\t\t\ttestCtx := testutils.InitTestSchedulerWithOptions(t,\n\t\t\t\t\t\t\ttestutils.InitTestAPIServer(t, \"preemption\", nil),\n"},
	{file: sched + "preemption/nominatednodename/nominatednodename_test.go", old: "\t\t\t\tpreemptor, err = createPausePod(cs, test.pod)\n",
		new: "\t\t\t\tpreemptor, err = createNominatedPod(cs, test.pod, \"node-1\")\n"},

	// A fake plugin that filters by the first taint.
	{file: sched + "eventhandler/eventhandler_test.go", old: "\tfooPlugin := &fooPlugin{}\n",
		new: "\tfooPlugin := &fooPlugin{}\n\tscheduler.ExternalPlugins = map[string]string{fooPlugin.Name(): \"TaintToleration\"}\n"},
	// A real clock and a backoff that fits into the test's timeouts.
	{file: sched + "eventhandler/eventhandler_test.go", old: "\t\t\t\t\t\tscheduler.WithClock(fakeClock),\n", new: ""},
	{file: sched + "eventhandler/eventhandler_test.go", old: "\ttestBackoff := time.Minute\n", new: "\ttestBackoff := 10 * time.Second\n"},

	// Batching: placements only; whether a pod was batched is known in process only.
	{file: sched + "batch/batch_test.go", old: "\t\t\t\tif batched[i] != tt.pods[i].expectBatched {\n", new: "\t\t\t\tif false && batched[i] != tt.pods[i].expectBatched {\n"},
	{file: sched + "batch/batch_test.go", old: "func runScenario(t *testing.T, tt *scenario, batch bool) ([]*v1.Pod, []bool) {\n",
		new: "func runScenario(t *testing.T, tt *scenario, batch bool) ([]*v1.Pod, []bool) {\n\tscheduler.ExternalPlugins = map[string]string{\"nosign\": \"\", \"emptysign\": \"\"}\n"},
}

// skips are tests that drive or inspect the in-process scheduler itself.
var skips = map[string]string{
	"bind/bind_test.go TestDefaultBinder":                                                         "calls the DefaultBinder plugin of the in-process scheduler",
	"filters/filters_test.go TestPodAffinityMatchLabelKeyEnablement":                              "is about the API server emulating 1.32",
	"filters/filters_test.go TestNodeDeclaredFeaturesFilter":                                      "needs a mock node feature inside the scheduler",
	"preemption/preemption_test.go TestAsyncPreemption":                                           "schedules step by step with ScheduleOne and inspects the in-process queue",
	"nominated_node_name/nominated_node_name_test.go TestPreemptionAndNominatedNodeNameScenarios": "schedules step by step with ScheduleOne and inspects the in-process queue",
	"queueing/queue_test.go TestCustomResourceEnqueue":                                            "needs a Go plugin and calls SchedulePod in process",
}

func transform(src, overlay string) {
	for _, e := range edits {
		path := filepath.Join(src, e.file)
		b, err := os.ReadFile(path)
		check(err)
		n := max(e.n, 1)
		if got := strings.Count(string(b), e.old); got != n {
			check(fmt.Errorf("%s: expected %d times, found %d times:\n%s", e.file, n, got, e.old))
		}
		check(os.WriteFile(path, []byte(strings.ReplaceAll(string(b), e.old, e.new)), 0o644))
	}
	for key, reason := range skips {
		file, test, _ := strings.Cut(key, " ")
		path := filepath.Join(src, sched, file)
		b, err := os.ReadFile(path)
		check(err)
		head := "func " + test + "(t *testing.T) {\n"
		if strings.Count(string(b), head) != 1 {
			check(fmt.Errorf("%s: no %s", path, test))
		}
		check(os.WriteFile(path, []byte(strings.Replace(string(b), head, head+fmt.Sprintf("\tif true {\n\t\tt.Skip(%q)\n\t}\n", "external: "+reason), 1)), 0o644))
	}
	// Starting is synchronous everywhere.
	for _, dir := range []string{"util", "scheduler", "volumescheduling"} {
		check(filepath.WalkDir(filepath.Join(src, it, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			s := strings.ReplaceAll(string(b), "go testCtx.Scheduler.Run(", "testCtx.Scheduler.RunExternal(")
			if s == string(b) {
				return nil
			}
			return os.WriteFile(path, []byte(s), 0o644)
		}))
	}
	check(filepath.WalkDir(overlay, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(overlay, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(src, rel), b, 0o644)
	}))
}

// idle is a scheduler that is healthy and does nothing: the tests must fail with it.
func idle(args []string) {
	for _, a := range args {
		if port, ok := strings.CutPrefix(a, "--secure-port="); ok {
			l, err := net.Listen("tcp", "127.0.0.1:"+port)
			check(err)
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			s.Listener = l
			s.StartTLS()
		}
	}
	select {}
}

type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// report prints one line per test that has no subtests, and the totals. Packages that do not build or end early count
// as one failure each.
func report() int {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<28)
	const prefix = "k8s.io/kubernetes/test/integration/"
	output, parents, broken := map[string]string{}, map[string]bool{}, map[string]string{}
	failedTests, panicked := map[string]bool{}, map[string]bool{}
	open := map[string]bool{}
	passed, failed, skipped := 0, 0, 0
	perTest := map[string]*[3]int{}
	for in.Scan() {
		var e event
		if json.Unmarshal(in.Bytes(), &e) != nil {
			fmt.Println(in.Text())
			continue
		}
		pkg := strings.TrimPrefix(e.Package, prefix)
		key := pkg + " " + e.Test
		if e.Test == "" {
			switch e.Action {
			case "build-output", "output":
				broken[pkg] += e.Output
			case "fail":
				switch {
				case panicked[pkg]:
					failed++
					fmt.Printf("FAIL %s (ended early by a panic: its other tests did not run)\n", pkg)
				case !failedTests[pkg]:
					failed++
					fmt.Printf("FAIL %s (the package as a whole)\n%s\n", pkg, broken[pkg])
				}
			}
			continue
		}
		top, _, sub := strings.Cut(e.Test, "/")
		switch e.Action {
		case "run":
			open[key] = true
			if sub {
				for i := strings.LastIndex(e.Test, "/"); i > 0; i = strings.LastIndex(e.Test[:i], "/") {
					parents[pkg+" "+e.Test[:i]] = true
				}
			}
		case "output":
			if strings.HasPrefix(e.Output, "panic: ") {
				panicked[pkg] = true
			}
			if len(output[key]) < 1<<20 {
				output[key] += e.Output
			}
		case "pass", "fail", "skip":
			delete(open, key)
			childFailed := failedTests[key]
			if e.Action == "fail" {
				failedTests[pkg] = true
				for i := strings.LastIndex(e.Test, "/"); i > 0; i = strings.LastIndex(e.Test[:i], "/") {
					failedTests[pkg+" "+e.Test[:i]] = true
				}
			}
			if !parents[key] || e.Action == "fail" && !childFailed {
				c := perTest[pkg+" "+top]
				if c == nil {
					c = new([3]int)
					perTest[pkg+" "+top] = c
				}
				switch e.Action {
				case "pass":
					passed++
					c[0]++
					fmt.Printf("PASS %s (%.1fs)\n", key, e.Elapsed)
				case "fail":
					failed++
					c[1]++
					fmt.Printf("FAIL %s (%.1fs)\n", key, e.Elapsed)
				case "skip":
					skipped++
					c[2]++
					fmt.Printf("SKIP %s: %s\n", key, reasonOf(output[key]))
				}
			}
			delete(output, key)
		}
	}
	for key := range open {
		if !parents[key] {
			failed++
			fmt.Printf("FAIL %s (never ended)\n", key)
		}
	}
	fmt.Println()
	var tests []string
	for k := range perTest {
		tests = append(tests, k)
	}
	sort.Strings(tests)
	fmt.Println("passed failed skipped  test")
	for _, k := range tests {
		c := perTest[k]
		fmt.Printf("%6d %6d %7d  %s\n", c[0], c[1], c[2], k)
	}
	fmt.Printf("\n%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	if failed > 0 {
		return 1
	}
	return 0
}

func reasonOf(output string) string {
	if i := strings.Index(output, "external: "); i >= 0 {
		reason, _, _ := strings.Cut(output[i+len("external: "):], "\n")
		return reason
	}
	return "skipped by upstream"
}
