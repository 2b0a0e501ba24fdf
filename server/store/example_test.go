package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	_ "gocloud.dev/blob/memblob" // for mem://, as s3blob is for s3://

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

// Uploads and audio in an object store: its package of gocloud.dev is imported for
// its URLs, here the one that keeps everything in memory.
func Example_objectStore() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(context.Background(), store.Options{
		Database: "sqlite:" + filepath.Join(dir, "service.db"),
		Blobs:    "mem://", // or s3://recordings?region=eu-west-1
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Close())
	// Output:
	// <nil>
}
