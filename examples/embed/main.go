// Embed is a site that offers transcripts in addition to its other pages. It has its own
// login instead of API keys, and its own recognizer. It mounts only the transcript
// handlers of the service, under /calls.
//
//	go run ./examples/embed
//	curl -c jar -d user=ada -d password=lovelace http://127.0.0.1:8081/login
//	curl -b jar -F file=@call.wav http://127.0.0.1:8081/calls/v1/transcript
//
// The recognizer recognizes the keys that a caller presses on a telephone.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/store"
)

const usage = `Usage: embed

Serves a site with transcripts of its own on http://127.0.0.1:8081, and keeps what it
has in the folder embed-data, until it is interrupted.
`

func main() {
	if len(os.Args) > 1 {
		os.Exit(answer(os.Args[1:], os.Stdout, os.Stderr))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:8081")
	if err != nil {
		log.Fatal(err)
	}
	log.Print("listening on http://", listener.Addr())
	if err := run(ctx, listener, "embed-data"); err != nil {
		log.Fatal(err)
	}
}

// answer prints the help if the arguments ask for it, and otherwise says that there are no
// arguments. It returns the exit code.
func answer(args []string, stdout, stderr io.Writer) int {
	switch args[0] {
	case "help", "-h", "-help", "--help":
		fmt.Fprint(stdout, usage)
		return 0
	}
	fmt.Fprintf(stderr, "embed: %q: there are no arguments but --help\n", args[0])
	return 2
}

// prefix is the path of the transcript handlers in this site.
const prefix = "/calls"

// run serves the site until ctx ends. It keeps its data in dir.
func run(ctx context.Context, listener net.Listener, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Options{
		Database: "sqlite:" + filepath.Join(dir, "site.db"),
		Blobs:    filepath.Join(dir, "blobs"),
	})
	if err != nil {
		return err
	}
	return serve(ctx, listener, s)
}

// serve answers requests until ctx ends, and closes the store.
func serve(ctx context.Context, listener net.Listener, s *store.Store) error {
	visitors := newSessions(map[string]string{"ada": "lovelace", "alan": "turing"})
	transcripts, err := server.New(ctx, server.Config{
		Store: s,
		Engine: func(host engine.Host) (engine.Engine, error) {
			return engine.Engine{Media: ffmpeg.New(host), Recognizer: keypad{}}, nil
		},
		Authenticator: visitors,
		BasePath:      prefix,
	})
	if err != nil {
		return errors.Join(err, s.Close())
	}
	site := http.NewServeMux()
	site.HandleFunc("GET /{$}", welcome)
	site.HandleFunc("POST /login", visitors.login)
	site.Handle(prefix+"/", http.StripPrefix(prefix, transcripts.Transcripts()))

	web := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	if err := transcripts.Start(ctx); err != nil {
		return errors.Join(err, stop(transcripts, web, s))
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	return errors.Join(err, stop(transcripts, web, s))
}

// stop first stops the transcript service, which ends the event streams: Shutdown would wait
// for them.
func stop(transcripts *server.Server, web *http.Server, s *store.Store) error {
	if err := within(20*time.Second, transcripts.Stop); err != nil {
		return err // steps still use the store; the end of the process ends them
	}
	return errors.Join(within(10*time.Second, web.Shutdown), s.Close())
}

// within calls end with a time limit.
func within(limit time.Duration, end func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return end(ctx)
}

func welcome(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, "Welcome. Log in, then send your calls to "+prefix+"/v1/transcript.")
}
