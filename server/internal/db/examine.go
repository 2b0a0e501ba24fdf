package db

import (
	"context"
	"fmt"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/internal/scratch"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

const diskName = "free disk"

// Examine looks at the database and at the place of the blobs without opening a store. It
// creates nothing and changes no table. It tries an object store with a small object, and
// removes the object. minFree is how many bytes are to stay free on local disks.
func Examine(ctx context.Context, o Options, minFree int64, also ...Folder) []engine.Finding {
	all := sqldb.Examine(ctx, o.Database, func(ctx context.Context, kind goose.Dialect, pool *bun.DB) error {
		want, err := newest(kind, pool)
		if err != nil {
			return err
		}
		return upToDate(ctx, pool, want)
	})
	return append(all, blobs.Examine(ctx, o.blobs()), examineDisks(append(o.folders(), also...), minFree))
}

// examineDisks looks at the disks to which the service writes.
func examineDisks(folders []Folder, minFree int64) engine.Finding {
	f := engine.Finding{Name: diskName, Status: engine.OK}
	var known, full []string
	for _, folder := range folders {
		free, err := scratch.Free(blobs.Existing(folder.Path))
		if err != nil {
			known = append(known, folder.Use+" unknown")
			continue
		}
		room := fmt.Sprintf("%s %d MiB", folder.Use, free>>20)
		known = append(known, room)
		if free < minFree {
			full = append(full, folder.Path)
		}
	}
	f.Found = strings.Join(known, ", ")
	if len(full) > 0 {
		f.Status = engine.Broken
		f.Fails = "uploads and new work: SERVICE_UNAVAILABLE"
		f.Cure = fmt.Sprintf("make room for at least %d MiB on the disk of %s, or keep it elsewhere", minFree>>20, strings.Join(full, " and of "))
	}
	return f
}
