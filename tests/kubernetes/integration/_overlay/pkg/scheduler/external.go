// SPDX-License-Identifier: Apache-2.0

// Added to a copy of k8s.io/kubernetes/pkg/scheduler by the integration harness.
//
// scheduler.New still builds the in-process scheduler, but only as a mirror: its informers, cache and queue follow the
// API server so that test helpers such as WaitForNodesInCache keep working. It never schedules. Run starts the program
// named by $EXTERNAL_SCHEDULER instead, configured with what the test asked for.
package scheduler

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	goruntime "runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	restclient "k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/utils/clock"
)

// A shorter wait for what does not happen makes a run with many failures bearable.
func init() {
	if s, err := strconv.Atoi(os.Getenv("EXTERNAL_SCHEDULER_WAIT_S")); err == nil {
		wait.ForeverTestTimeout = time.Duration(s) * time.Second
	}
}

// ExternalTB is the part of testing.TB that is needed here.
type ExternalTB interface {
	Helper()
	Name() string
	Failed() bool
	Cleanup(func())
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
	Skipf(format string, args ...any)
}

// ExternalUnsupported says why a test cannot run with an external scheduler.
type ExternalUnsupported struct{ Reason string }

func (e *ExternalUnsupported) Error() string { return "external: " + e.Reason }

// ExternalSkipReason returns the reason when err means that the test cannot run with an external scheduler.
func ExternalSkipReason(err error) string {
	var u *ExternalUnsupported
	if errors.As(err, &u) {
		return u.Error()
	}
	return ""
}

// ExternalPlugins maps Go plugins of tests to in-tree ones with the same effect; "" means that the plugin has no effect
// on placements in the tests that run, and is left out.
var ExternalPlugins = map[string]string{}

type externalScheduler struct {
	tb         ExternalTB
	kubeConfig *restclient.Config
	cfg        schedulerapi.KubeSchedulerConfiguration
	args       []string
}

func newExternal(o *schedulerOptions) (*externalScheduler, error) {
	if _, ok := o.clock.(clock.RealClock); !ok {
		return nil, &ExternalUnsupported{"needs a fake clock in the scheduler"}
	}
	ext := &externalScheduler{kubeConfig: o.kubeConfig}
	var v1cfg configv1.KubeSchedulerConfiguration
	scheme.Scheme.Default(&v1cfg)
	if err := scheme.Scheme.Convert(&v1cfg, &ext.cfg, nil); err != nil {
		return nil, err
	}
	cfg := &ext.cfg
	cfg.TypeMeta.APIVersion = configv1.SchemeGroupVersion.String()
	cfg.TypeMeta.Kind = "KubeSchedulerConfiguration"
	cfg.Profiles = nil
	for i := range o.profiles {
		p := o.profiles[i].DeepCopy()
		if unknown, ok := mapPlugins(p, o); !ok {
			return nil, &ExternalUnsupported{fmt.Sprintf("needs the Go plugin %q", unknown)}
		}
		cfg.Profiles = append(cfg.Profiles, *p)
	}
	cfg.Extenders = append([]schedulerapi.Extender(nil), o.extenders...)
	if o.percentageOfNodesToScore != schedulerapi.DefaultPercentageOfNodesToScore {
		n := o.percentageOfNodesToScore
		cfg.PercentageOfNodesToScore = &n
	}
	cfg.Parallelism = o.parallelism
	// A configuration file cannot say 0, which tests use to mean "no backoff".
	cfg.PodInitialBackoffSeconds = max(1, o.podInitialBackoffSeconds)
	cfg.PodMaxBackoffSeconds = max(cfg.PodInitialBackoffSeconds, o.podMaxBackoffSeconds)
	cfg.ClientConnection.QPS = 5000
	cfg.ClientConnection.Burst = 5000
	cfg.LeaderElection.LeaderElect = false
	if o.podMaxInUnschedulablePodsDuration != defaultSchedulerOptions.podMaxInUnschedulablePodsDuration {
		ext.args = append(ext.args, "--pod-max-in-unschedulable-pods-duration="+o.podMaxInUnschedulablePodsDuration.String())
	}
	return ext, nil
}

// mapPlugins replaces or removes Go plugins of the test in p. It returns the name of one that cannot be.
func mapPlugins(p *schedulerapi.KubeSchedulerProfile, o *schedulerOptions) (unknown string, ok bool) {
	if p.Plugins == nil {
		return "", true
	}
	v := reflect.ValueOf(p.Plugins).Elem()
	for i := 0; i < v.NumField(); i++ {
		set, ok := v.Field(i).Addr().Interface().(*schedulerapi.PluginSet)
		if !ok {
			continue
		}
		var kept []schedulerapi.Plugin
		for _, pl := range set.Enabled {
			if _, goPlugin := o.frameworkOutOfTreeRegistry[pl.Name]; goPlugin {
				to, known := ExternalPlugins[pl.Name]
				if !known {
					return pl.Name, false
				}
				if to == "" {
					continue
				}
				pl.Name = to
			}
			kept = append(kept, pl)
		}
		set.Enabled = kept
	}
	return "", true
}

// SetExternalTest tells which test the scheduler belongs to.
func (sched *Scheduler) SetExternalTest(tb ExternalTB) { sched.external.tb = tb }

// externalNextPod stands in for NextPod: a test that pops pods itself drives the in-process scheduler.
func (sched *Scheduler) externalNextPod(klog.Logger) (*framework.QueuedPodInfo, error) {
	sched.external.tb.Fatalf("external: the test pops pods from the in-process scheduling queue; skip it in the harness")
	return nil, nil
}

// RunExternal starts the external scheduler and returns when it is ready; it ends with ctx.
func (sched *Scheduler) RunExternal(ctx context.Context) {
	sched.external.start(ctx)
	go func() {
		<-ctx.Done()
		sched.SchedulingQueue.Close()
		_ = sched.Profiles.Close()
	}()
}

func (ext *externalScheduler) start(ctx context.Context) {
	tb := ext.tb
	tb.Helper()
	gates := ExternalFeatureArgs()
	for _, g := range strings.FieldsFunc(os.Getenv("EXTERNAL_SCHEDULER_SKIP_GATES"), func(r rune) bool { return r == ',' || r == ' ' }) {
		if regexp.MustCompile(`[-=,]` + regexp.QuoteMeta(g) + `=`).MatchString(strings.Join(gates, " ")) {
			tb.Skipf("external: sets %s, which EXTERNAL_SCHEDULER_SKIP_GATES leaves out", g)
		}
	}
	dir, err := os.MkdirTemp("", "external-scheduler")
	if err != nil {
		tb.Fatalf("external: %v", err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := writeKubeconfig(kubeconfig, ext.kubeConfig); err != nil {
		tb.Fatalf("external: kubeconfig: %v", err)
	}
	cfg := ext.cfg.DeepCopy()
	cfg.ClientConnection.Kubeconfig = kubeconfig
	config := filepath.Join(dir, "config.yaml")
	if err := writeConfig(config, cfg); err != nil {
		tb.Fatalf("external: configuration: %v", err)
	}
	port := ExternalFreePort(tb)
	args := append([]string{"--config", config, "--leader-elect=false", "--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port)}, ext.args...)
	args = append(args, gates...)
	ExternalStart(ctx, tb, args, fmt.Sprintf("https://127.0.0.1:%d", port), "/readyz", "/healthz")
}

// ExternalFreePort returns a TCP port that is free now.
func ExternalFreePort(tb ExternalTB) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("external: %v", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// externalMinor is the minor version of the tests.
const externalMinor = 36

// ExternalFeatureArgs returns the flags that give a scheduler the version and the feature gates that the test has set.
func ExternalFeatureArgs() (args []string) {
	gate := utilfeature.DefaultMutableFeatureGate
	if v := gate.EmulationVersion(); v != nil && v.Minor() < externalMinor {
		args = append(args, fmt.Sprintf("--emulated-version=%d.%d", v.Major(), v.Minor()))
	}
	var set []string
	for f, spec := range gate.GetAll() {
		if on := gate.Enabled(f); on != spec.Default && f != "AllAlpha" && f != "AllBeta" {
			set = append(set, fmt.Sprintf("%s=%t", f, on))
		}
	}
	if len(set) > 0 {
		sort.Strings(set)
		args = append(args, "--feature-gates="+strings.Join(set, ","))
	}
	return args
}

func writeConfig(path string, cfg *schedulerapi.KubeSchedulerConfiguration) error {
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeYAML)
	if !ok {
		return errors.New("no YAML serializer")
	}
	var buf bytes.Buffer
	if err := scheme.Codecs.EncoderForVersion(info.Serializer, configv1.SchemeGroupVersion).Encode(cfg, &buf); err != nil {
		return err
	}
	// What a scheduler reads back must be what the test asked for.
	got := &schedulerapi.KubeSchedulerConfiguration{}
	if _, _, err := scheme.Codecs.UniversalDecoder().Decode(buf.Bytes(), nil, got); err != nil {
		return err
	}
	for i := range cfg.Profiles {
		if !reflect.DeepEqual(externalEnabled(got.Profiles[i].Plugins), externalEnabled(cfg.Profiles[i].Plugins)) {
			return fmt.Errorf("profile %d does not survive being written:\nasked %+v\nread  %+v", i, cfg.Profiles[i].Plugins, got.Profiles[i].Plugins)
		}
	}
	return os.WriteFile(path, buf.Bytes(), 0o600)
}

func externalEnabled(p *schedulerapi.Plugins) (out []string) {
	if p == nil {
		return nil
	}
	v := reflect.ValueOf(p).Elem()
	for i := 0; i < v.NumField(); i++ {
		if set, ok := v.Field(i).Interface().(schedulerapi.PluginSet); ok {
			for _, pl := range set.Enabled {
				out = append(out, fmt.Sprintf("%s/%s=%d", v.Type().Field(i).Name, pl.Name, pl.Weight))
			}
		}
	}
	return out
}

func writeKubeconfig(path string, c *restclient.Config) error {
	if c == nil {
		return errors.New("the test gives the scheduler no client configuration")
	}
	ca := c.TLSClientConfig.CAData
	if len(ca) == 0 && c.TLSClientConfig.CAFile != "" {
		var err error
		if ca, err = os.ReadFile(c.TLSClientConfig.CAFile); err != nil {
			return err
		}
	}
	host := c.Host
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	b64 := base64.StdEncoding.EncodeToString
	var s strings.Builder
	fmt.Fprintf(&s, "apiVersion: v1\nkind: Config\ncurrent-context: test\ncontexts:\n- name: test\n  context: {cluster: test, user: test}\n")
	fmt.Fprintf(&s, "clusters:\n- name: test\n  cluster:\n    server: %s\n", host)
	if c.TLSClientConfig.Insecure {
		fmt.Fprintf(&s, "    insecure-skip-tls-verify: true\n")
	} else {
		fmt.Fprintf(&s, "    certificate-authority-data: %s\n", b64(ca))
	}
	if c.TLSClientConfig.ServerName != "" {
		fmt.Fprintf(&s, "    tls-server-name: %s\n", c.TLSClientConfig.ServerName)
	}
	fmt.Fprintf(&s, "users:\n- name: test\n  user:\n")
	switch {
	case c.BearerToken != "":
		fmt.Fprintf(&s, "    token: %q\n", c.BearerToken)
	case len(c.TLSClientConfig.CertData) > 0:
		fmt.Fprintf(&s, "    client-certificate-data: %s\n    client-key-data: %s\n", b64(c.TLSClientConfig.CertData), b64(c.TLSClientConfig.KeyData))
	default:
		return errors.New("no token and no client certificate")
	}
	return os.WriteFile(path, []byte(s.String()), 0o600)
}

type externalProcess struct {
	ctx  context.Context
	done chan struct{}
}

var (
	externalMu    sync.Mutex
	externalProcs []*externalProcess
	externalSeq   int
	externalName  = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)
)

// ExternalStart runs the external scheduler with args until ctx is done, and returns once one of paths answers 200.
func ExternalStart(ctx context.Context, tb ExternalTB, args []string, base string, paths ...string) {
	tb.Helper()
	binary := os.Getenv("EXTERNAL_SCHEDULER")
	if binary == "" {
		tb.Fatalf("external: EXTERNAL_SCHEDULER is not set")
	}
	// The one that an earlier subtest ended must be gone.
	externalMu.Lock()
	var live []*externalProcess
	for _, p := range externalProcs {
		if p.ctx.Err() != nil {
			<-p.done
		} else {
			live = append(live, p)
		}
	}
	externalProcs = live
	externalSeq++
	logDir := os.Getenv("EXTERNAL_SCHEDULER_LOGS")
	if logDir == "" {
		logDir = filepath.Join(os.TempDir(), "external-scheduler-logs")
	}
	name := externalName.ReplaceAllString(tb.Name(), "_")
	if len(name) > 120 {
		name = name[:120]
	}
	logPath := filepath.Join(logDir, fmt.Sprintf("%s.%d-%d.log", name, os.Getpid(), externalSeq))
	p := &externalProcess{ctx: ctx, done: make(chan struct{})}
	externalProcs = append(externalProcs, p)
	externalMu.Unlock()

	if err := os.MkdirAll(logDir, 0o755); err != nil {
		tb.Fatalf("external: %v", err)
	}
	log, err := os.Create(logPath)
	if err != nil {
		tb.Fatalf("external: %v", err)
	}
	args = append(args, strings.Fields(os.Getenv("EXTERNAL_SCHEDULER_ARGS"))...)
	fmt.Fprintf(log, "%s %s\n", binary, strings.Join(args, " "))
	cmd := exec.Command(binary, args...)
	cmd.Stdout, cmd.Stderr = log, log
	// The scheduler must not outlive the test binary, however that ends.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	go func() {
		goruntime.LockOSThread() // Pdeathsig follows the thread
		defer goruntime.UnlockOSThread()
		defer close(p.done)
		defer log.Close()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		exited := make(chan struct{})
		go func() {
			select {
			case <-exited:
				return
			case <-ctx.Done():
			}
			_ = cmd.Process.Signal(syscall.SIGTERM)
			select {
			case <-exited:
			case <-time.After(3 * time.Second):
				_ = cmd.Process.Kill()
			}
		}()
		_ = cmd.Wait()
		close(exited)
	}()
	if err := <-started; err != nil {
		tb.Fatalf("external: %v", err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("external: log of the scheduler: %s\n%s", logPath, externalTail(logPath))
		}
	})

	client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	deadline := time.Now().Add(60 * time.Second)
	for {
		for _, path := range paths {
			resp, err := client.Get(base + path)
			if err != nil {
				break
			}
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				go externalWatch(tb, p)
				return
			}
			if resp.StatusCode != http.StatusNotFound {
				break
			}
		}
		select {
		case <-p.done:
			tb.Fatalf("external: the scheduler ended before it was ready:\n%s", externalTail(logPath))
		default:
		}
		if time.Now().After(deadline) {
			tb.Fatalf("external: the scheduler was not ready after 60s:\n%s", externalTail(logPath))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// externalWatch fails the test when its scheduler ends by itself.
func externalWatch(tb ExternalTB, p *externalProcess) {
	select {
	case <-p.ctx.Done():
	case <-p.done:
		if p.ctx.Err() == nil {
			klog.Background().Error(nil, "external: the scheduler ended during the test", "test", tb.Name())
			defer func() { _ = recover() }() // the test may be over
			tb.Errorf("external: the scheduler ended during the test")
		}
	}
}

func externalTail(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	if len(b) > 4000 {
		b = b[len(b)-4000:]
	}
	return string(b)
}

// ExternalSettle gives the external scheduler time to see what the mirror in this process has seen.
func ExternalSettle() {
	ms, err := strconv.Atoi(os.Getenv("EXTERNAL_SCHEDULER_SETTLE_MS"))
	if err != nil {
		ms = 200
	}
	time.Sleep(time.Duration(ms) * time.Millisecond)
}
