// SPDX-License-Identifier: Apache-2.0

// Replaces upstream's file in the integration harness: the server under test is the external scheduler.
package testing

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"

	genericapiserver "k8s.io/apiserver/pkg/server"
	kubeschedulerconfig "k8s.io/kubernetes/cmd/kube-scheduler/app/config"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler"
)

// TearDownFunc is to be called to tear down a test server.
type TearDownFunc func()

// TestServer is what tests get to know about the external scheduler.
type TestServer struct {
	Options    *options.Options
	Config     *kubeschedulerconfig.Config
	TearDownFn TearDownFunc
	TmpDir     string
}

type address struct{ net.Listener }

var addresses = map[*address]net.Addr{}

func (a *address) Addr() net.Addr { return addresses[a] }

// StartTestServer starts the external scheduler with the given flags.
func StartTestServer(t *testing.T, ctx context.Context, customFlags []string) (result TestServer, err error) {
	ctx, cancel := context.WithCancel(ctx)
	result.TmpDir = t.TempDir()
	port := scheduler.ExternalFreePort(t)
	args := []string{"--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(port), "--cert-dir=" + result.TmpDir}
	// /healthz is asked for below, without credentials.
	const allow = "--authorization-always-allow-paths"
	for i := 0; i < len(customFlags); i++ {
		switch f := customFlags[i]; {
		case f == allow:
			i++
			args = append(args, allow+"="+customFlags[i]+",/healthz")
		case strings.HasPrefix(f, allow+"="):
			args = append(args, f+",/healthz")
		default:
			args = append(args, f)
		}
	}
	args = append(args, scheduler.ExternalFeatureArgs()...)
	scheduler.ExternalStart(ctx, t, args, fmt.Sprintf("https://127.0.0.1:%d", port), "/healthz")

	l := &address{}
	addresses[l] = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}
	result.Options = options.NewOptions()
	result.Options.SecureServing.ServerCert.CertDirectory = result.TmpDir
	result.Config = &kubeschedulerconfig.Config{SecureServing: &genericapiserver.SecureServingInfo{Listener: l}}
	result.TearDownFn = TearDownFunc(cancel)
	return result, nil
}
