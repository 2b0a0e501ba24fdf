package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/transcriptkit/transcriptkit/server/store"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(context.Background(), store.Options{
		Database: "sqlite:" + filepath.Join(dir, "service.db"), // or postgres://…
		Blobs:    filepath.Join(dir, "blobs"),
	})
	if err != nil {
		log.Fatal(err)
	}
	// Servers and accounts are made with s, and closed before it.
	fmt.Println(s.Close())
	// Output:
	// <nil>
}
