// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"berth.dev/sdk/go/pluginv1"
)

// serveAt serves until the test has ended, and returns where.
func serveAt(t *testing.T, endpoint string) string {
	listening := make(chan string, 1)
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		served <- Serve(ctx, func(*Session) (any, error) { return allPass{}, nil },
			Options{Name: "tested", Endpoint: endpoint, Listening: func(at string) { listening <- at }})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("served: %v", err)
		}
	})
	select {
	case at := <-listening:
		return at
	case err := <-served:
		served <- nil
		t.Fatalf("served: %v", err)
		return ""
	}
}

func greetAt(t *testing.T, target string) *pluginv1.Welcome {
	connection, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stream, err := connection.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true},
		"/berth.plugin.v1.SchedulerPlugin/Session")
	if err != nil {
		t.Fatal(err)
	}
	hello := &pluginv1.SchedulerMessage{Message: &pluginv1.SchedulerMessage_Hello{Hello: &pluginv1.Hello{Major: 1}}}
	answer := &pluginv1.PluginMessage{}
	if err := stream.SendMsg(hello); err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(answer); err != nil {
		t.Fatal(err)
	}
	return answer.GetWelcome()
}

func TestServesUnixSocketsOfThisUser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	if err := os.Symlink("/nowhere", path+"-link"); err != nil {
		t.Fatal(err)
	}
	serveAt(t, "unix://"+path)
	if found, err := os.Stat(path); err != nil || found.Mode().Perm() != 0o600 {
		t.Errorf("socket %v: %v", found, err)
	}
	if welcome := greetAt(t, "unix://"+path); welcome.GetName() != "tested" {
		t.Errorf("welcome %v", welcome)
	}
	err := Serve(t.Context(), nil, Options{Endpoint: "unix://" + path})
	if err == nil || err.Error() != "another process listens at "+path {
		t.Errorf("a second server: %v", err)
	}
}

func TestServesPortsOfThisMachine(t *testing.T) {
	endpoint := serveAt(t, "tcp://127.0.0.1:0")
	if welcome := greetAt(t, endpoint[len("tcp://"):]); welcome.GetName() != "tested" {
		t.Errorf("welcome %v", welcome)
	}
}

func TestEndpointsThatCannotBeServed(t *testing.T) {
	for endpoint, want := range map[string]string{
		"":                   "no endpoint: the scheduler sets BERTH_PLUGIN_ENDPOINT, by hand it is --endpoint",
		"/tmp/x":             `"/tmp/x" is no endpoint: it begins with none of unix://, tcp:// and tls://`,
		"tcp://0.0.0.0:1":    "tcp://0.0.0.0:1: other machines can reach it: it needs TLS, as tls://",
		"tls://localhost:0":  "tls://localhost:0: it needs --ca-file, --cert-file and --key-file: without them anyone could call",
		"unix:///missing/it": "listen unix /missing/it: bind: no such file or directory",
	} {
		if err := Serve(t.Context(), nil, Options{Endpoint: endpoint}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}
