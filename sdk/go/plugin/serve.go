// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"

	"berth.dev/sdk/go/pluginv1"
)

// Open makes the plugin of one session: a value that has methods of this package's interfaces. An error is told to the
// scheduler, which logs it: the plugin cannot serve this session. Any goroutine.
type Open func(session *Session) (any, error)

// Options of a server.
type Options struct {
	// Name of the program, for logs.
	Name string
	// Endpoint is "unix:///path", "tcp://127.0.0.1:port" or "tls://host:port". Empty: what the scheduler that has
	// launched the program has put into BERTH_PLUGIN_ENDPOINT.
	Endpoint string
	// For tls://, files in PEM: who certifies schedulers, and who we are.
	CAFile, CertFile, KeyFile string
	// Listening, if not nil, is called with the endpoint when connections are accepted.
	Listening func(endpoint string)
}

const maxMessageBytes = 64 << 20

// Main serves until the process is told to end, as the whole of a program. It takes the flags --endpoint, --ca-file,
// --cert-file and --key-file, and adds no other.
func Main(name string, open Open) {
	options := Options{Name: name}
	flags := flag.NewFlagSet(name, flag.ExitOnError)
	flags.StringVar(&options.Endpoint, "endpoint", "",
		"where to listen: unix:///path, tcp://127.0.0.1:port or tls://host:port; from BERTH_PLUGIN_ENDPOINT otherwise")
	flags.StringVar(&options.CAFile, "ca-file", "", "for tls://, who certifies schedulers, PEM")
	flags.StringVar(&options.CertFile, "cert-file", "", "for tls://, the plugin's certificate, PEM")
	flags.StringVar(&options.KeyFile, "key-file", "", "for tls://, the certificate's key, PEM")
	_ = flags.Parse(os.Args[1:]) // ends the process
	if flags.NArg() > 0 {
		log.Fatalf("%s: takes no arguments", name)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := Serve(ctx, open, options); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
}

// Serve serves sessions until ctx ends.
func Serve(ctx context.Context, open Open, options Options) error {
	if options.Endpoint == "" {
		options.Endpoint = os.Getenv("BERTH_PLUGIN_ENDPOINT")
	}
	if options.Endpoint == "" {
		return errors.New("no endpoint: the scheduler sets BERTH_PLUGIN_ENDPOINT, by hand it is --endpoint")
	}
	serverOptions := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxMessageBytes), grpc.MaxSendMsgSize(maxMessageBytes),
		// Fixed windows: nothing is measured by PINGs, which would delay calls.
		grpc.InitialWindowSize(4 << 20), grpc.InitialConnWindowSize(16 << 20),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Minute, PermitWithoutStream: true}),
	}
	listener, credential, err := listen(options)
	if err != nil {
		return err
	}
	if credential != nil {
		serverOptions = append(serverOptions, grpc.Creds(credential))
	}
	server := grpc.NewServer(serverOptions...)
	server.RegisterService(serviceDesc(options.Name, open), nil)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		server.Stop() // also removes the socket
	}()
	if options.Listening != nil {
		options.Listening(endpointOf(options.Endpoint, listener))
	}
	err = server.Serve(listener)
	if ctx.Err() != nil {
		<-stopped
		return nil
	}
	return err
}

func serviceDesc(name string, open Open) *grpc.ServiceDesc {
	handler := func(_ any, stream grpc.ServerStream) error {
		return serve(name, open, &grpc.GenericServerStream[pluginv1.SchedulerMessage, pluginv1.PluginMessage]{
			ServerStream: stream,
		})
	}
	return &grpc.ServiceDesc{
		ServiceName: "berth.plugin.v1.SchedulerPlugin",
		Streams: []grpc.StreamDesc{
			{StreamName: "Session", Handler: handler, ServerStreams: true, ClientStreams: true},
		},
		Metadata: "berth/plugin/v1/plugin.proto",
	}
}

func listen(options Options) (net.Listener, credentials.TransportCredentials, error) {
	scheme, rest, ok := strings.Cut(options.Endpoint, "://")
	switch {
	case ok && scheme == "unix":
		listener, err := listenUnix(rest)
		return listener, nil, err
	case ok && scheme == "tcp":
		if err := checkLocal(rest); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", options.Endpoint, err)
		}
		listener, err := net.Listen("tcp", rest)
		return listener, nil, err
	case ok && scheme == "tls":
		credential, err := transportCredentials(options)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", options.Endpoint, err)
		}
		listener, err := net.Listen("tcp", rest)
		return listener, credential, err
	}
	return nil, nil, fmt.Errorf("%q is no endpoint: it begins with none of unix://, tcp:// and tls://", options.Endpoint)
}

// Only this user may connect. A socket that nobody listens to any more is replaced.
func listenUnix(path string) (net.Listener, error) {
	if connection, err := net.Dial("unix", path); err == nil {
		_ = connection.Close()
		return nil, fmt.Errorf("another process listens at %s", path)
	}
	if found, err := os.Lstat(path); err == nil && found.Mode()&os.ModeSocket != 0 {
		_ = os.Remove(path)
	}
	before := syscall.Umask(0o177)
	defer syscall.Umask(before)
	return net.Listen("unix", path)
}

func checkLocal(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "localhost" || (ip != nil && ip.IsLoopback()) {
		return nil
	}
	return errors.New("other machines can reach it: it needs TLS, as tls://")
}

func transportCredentials(options Options) (credentials.TransportCredentials, error) {
	if options.CAFile == "" || options.CertFile == "" || options.KeyFile == "" {
		return nil, errors.New("it needs --ca-file, --cert-file and --key-file: without them anyone could call")
	}
	own, err := tls.LoadX509KeyPair(options.CertFile, options.KeyFile)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(options.CAFile)
	if err != nil {
		return nil, err
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate", options.CAFile)
	}
	return credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{own}, ClientCAs: authorities, ClientAuth: tls.RequireAndVerifyClientCert,
		MinVersion: tls.VersionTLS12,
	}), nil
}

// endpointOf is the endpoint with the port that was chosen.
func endpointOf(asked string, listener net.Listener) string {
	if listener.Addr().Network() == "unix" {
		return asked
	}
	scheme, _, _ := strings.Cut(asked, "://")
	return scheme + "://" + listener.Addr().String()
}
