package release

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// Plan is the work of a pull.
type Plan struct {
	models.Plan
	// Version is the version of the release. It is empty for the newest release,
	// because its version is known only after it has run.
	Version string
	// There is the installed version, if it is at least as new as the plan's: then Pull
	// does nothing. Otherwise it is empty.
	There string

	files *models.Folder
}

// entryName is the name of the executable among the files of a folder.
const entryName = "yt-dlp"

// mostBytes limits the size of an executable.
const mostBytes = 256 << 20

// Plan returns the download of the compiled-in release. It downloads and writes
// nothing, but requests the size of the file from the server.
//
// Errors: [ErrUnsupported]; a useless source; a disk that is too full; [models.ErrUnreachable].
func (f *Folder) Plan(ctx context.Context, from models.Sources) (Plan, error) {
	file, err := executable()
	if err != nil {
		return Plan{}, err
	}
	if there := f.present(ctx); there >= f.known.Version {
		return Plan{Version: f.known.Version, There: there}, nil
	}
	return f.plan(ctx, models.Entry{
		Version: f.known.Version, URL: f.releases + "/download/" + f.known.Version + "/" + file, SHA256: f.known.SHA256[file],
	}, from)
}

// PlanNewest returns the download of the newest release. It downloads the hashes of the
// release and their signature. Otherwise it works like [Folder.Plan]. Local files must
// include the sums and the signature, under their own names.
//
// Errors: those of Plan; [ErrSignature]; [ErrOld] if the sums were signed before the compiled-in
// release was published.
func (f *Folder) PlanNewest(ctx context.Context, from models.Sources) (Plan, error) {
	file, err := executable()
	if err != nil {
		return Plan{}, err
	}
	sums, err := f.signed(ctx, &from)
	if err != nil {
		return Plan{}, err
	}
	hash, err := hashOf(file, sums)
	if err != nil {
		return Plan{}, err
	}
	if there := f.present(ctx); there != "" && f.holds(hash) {
		return Plan{There: there}, nil
	}
	return f.plan(ctx, models.Entry{URL: f.releases + "/latest/download/" + file, SHA256: hash}, from)
}

// plan completes an entry, and plans its download.
func (f *Folder) plan(ctx context.Context, e models.Entry, from models.Sources) (plan Plan, err error) {
	e.Name, e.Kind, e.OS, e.Arch, e.License = entryName, models.KindProgram, runtime.GOOS, runtime.GOARCH, "Unlicense AND GPL-3.0-or-later"
	if e.Bytes, err = f.size(ctx, e, from); err != nil {
		return Plan{}, err
	}
	plan.Version = e.Version
	if plan.files, err = models.Open(models.Options{Dir: f.dir, HTTP: f.http, Programs: f.programs, Table: []models.Entry{e}}); err != nil {
		return Plan{}, err
	}
	plan.Plan, err = plan.files.Plan(ctx, entryName, from)
	return plan, err
}

// size returns the size of a file, which the publisher's sums do not tell.
func (f *Folder) size(ctx context.Context, e models.Entry, from models.Sources) (bytes int64, err error) {
	if len(from.Files) > 0 {
		file, err := os.Stat(from.Files[0])
		if err != nil {
			return 0, fmt.Errorf("release: %w", err)
		}
		bytes = file.Size()
	} else if bytes, err = f.askSize(ctx, e.URL, from.Mirror, e.File()); err != nil {
		return 0, err
	}
	if bytes <= 0 || bytes > mostBytes {
		return 0, fmt.Errorf("release: %s has %d bytes, and should have up to %d: this is no executable of yt-dlp", filepath.Base(e.File()), bytes, mostBytes)
	}
	return bytes, nil
}
