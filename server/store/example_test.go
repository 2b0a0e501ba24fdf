package store_test

import (
	"context"
	"fmt"
	"log"
	"net/url"
	"os"
	"path/filepath"

	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"

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

// Uploads and audio in a bucket of an object store. Package s3store has such a function
// for s3:// URLs.
func Example_objectStore() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(context.Background(), store.Options{
		Database: "sqlite:" + filepath.Join(dir, "service.db"),
		Blobs:    "mem://recordings",
		OpenBucket: func(context.Context, *url.URL) (*blob.Bucket, error) {
			return memblob.OpenBucket(nil), nil // any driver of gocloud.dev/blob
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Close())
	// Output:
	// <nil>
}
