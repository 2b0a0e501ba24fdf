package server_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// A program with a site of its own mounts the service under a prefix.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, store.Options{Database: "sqlite:" + filepath.Join(dir, "service.db"), Blobs: filepath.Join(dir, "blobs")})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	srv, err := server.New(ctx, server.Config{Store: s, BasePath: "/media", Version: "1.2.3"}) // and an Engine
	if err != nil {
		log.Fatal(err)
	}
	if err := srv.Start(ctx); err != nil {
		log.Fatal(err)
	}

	mux := http.NewServeMux()
	mux.Handle("/media/", http.StripPrefix("/media", srv.Handler()))
	site := httptest.NewServer(mux)
	resp, err := http.Get(site.URL + "/media/healthz")
	if err != nil {
		log.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(resp.StatusCode, string(body))

	fmt.Println(srv.Stop(ctx)) // first: it ends the streams that site would wait for
	site.Close()
	// Output:
	// 200 {"status":"ok","version":"1.2.3"}
	// <nil>
}
