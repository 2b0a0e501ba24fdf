package blobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/internal/scratch"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

const (
	examined    = "blobs"
	maxExamined = 300 // runes of an error
)

// Examine checks the place of the blobs. It makes no folder, and removes the small object
// with which it tests an object store.
func Examine(ctx context.Context, o Options) engine.Finding {
	const cure = "let the user of the service write to the folder, or name another folder"
	folder := o.Folder()
	if folder == "" {
		return examineBucket(ctx, o)
	}
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if around := Existing(folder); scratch.Writable(around) != nil {
			return unusable(unwritable(around), cure)
		}
		return usable("folder " + folder + ": not there yet, the first start makes it")
	case err != nil || !info.IsDir():
		return unusable(fmt.Errorf("%s is no folder", folder), cure)
	}
	if scratch.Writable(folder) != nil {
		return unusable(unwritable(folder), cure)
	}
	return usable("folder " + folder)
}

func examineBucket(ctx context.Context, o Options) engine.Finding {
	bucket, err := Open(ctx, o)
	if err != nil {
		return unusable(err, "correct its URL, and the credentials in the environment")
	}
	_ = bucket.Close() // Open has tested it
	before, _, _ := strings.Cut(o.Place, "?")
	return usable("bucket " + before)
}

func usable(found string) engine.Finding {
	return engine.Finding{Name: examined, Status: engine.OK, Found: found}
}

func unusable(err error, cure string) engine.Finding {
	return engine.Finding{Name: examined, Status: engine.Broken, Found: clip.Line(err.Error(), maxExamined), Fails: "everything", Cure: cure}
}

func unwritable(folder string) error {
	return fmt.Errorf("nothing can be written to %s: the rights of the folder or its file system forbid it", folder)
}

// Existing returns the folder, or its nearest parent that exists.
func Existing(folder string) string {
	for {
		if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
			return folder
		}
		around := filepath.Dir(folder)
		if around == folder {
			return folder
		}
		folder = around
	}
}
