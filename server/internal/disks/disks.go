// Package disks measures the free space of the local disks to which the service writes.
package disks

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/scratch"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// MeasureEvery is how many bytes of an upload are received between two checks of the
// disks.
const MeasureEvery = 16 << 20

// minFreeFiles is how many more files every local disk must be able to hold. A disk without a free
// inode accepts no byte, however many bytes are free.
const minFreeFiles = 1000

// Disks are the local disks that the service writes to. A Disks is safe for concurrent
// use.
type Disks struct {
	Store   *db.Store
	Log     *slog.Logger
	Scratch string // the folder of scratch files; "" means that the process has none
	MinFree int64  // how many bytes must stay free on each disk
}

// Room checks whether there is space for the given number of bytes. It returns db.ErrUnavailable if
// a local disk on which the service writes would have less than MinFree bytes free afterwards, or
// space for fewer than minFreeFiles files. The error names the folder. A disk that cannot be
// measured counts as having space.
func (d *Disks) Room(bytes int64) error {
	for _, dir := range d.folders() {
		free, err := scratch.Free(dir.Path)
		if err != nil {
			d.Log.Warn("the room on a disk is not known", "dir", dir.Path, "err", err)
			continue
		}
		if free-max(bytes, 0) < d.MinFree {
			return fmt.Errorf("%w: %d MiB are free on the disk of %s, and %d MiB must stay free", db.ErrUnavailable,
				free>>20, dir.Path, d.MinFree>>20)
		}
		if files, err := scratch.FreeFiles(dir.Path); err == nil && files < minFreeFiles {
			return fmt.Errorf("%w: the disk of %s has room for %d files, and room for %d must stay free", db.ErrUnavailable,
				dir.Path, files, minFreeFiles)
		}
	}
	return nil
}

// Short reports whether a disk has so little space that removable data should be removed
// early.
func (d *Disks) Short() bool {
	const spare = 7 // times the space that must stay free
	return d.Room(spare*d.MinFree) != nil
}

// folders are the local folders to which the service writes.
func (d *Disks) folders() []db.Folder {
	dirs := d.Store.Folders()
	if d.Scratch == "" {
		return dirs
	}
	return append(dirs, db.Folder{Use: "scratch", Path: d.Scratch})
}

// FreeDisk returns the number of free bytes on the disks to which the service writes, by
// the purpose of the disks. A disk that cannot be measured is missing.
func (d *Disks) FreeDisk() map[string]int64 {
	free := map[string]int64{}
	for _, dir := range d.folders() {
		if n, err := scratch.Free(dir.Path); err == nil { // Room logs the error
			free[dir.Use] = n
		}
	}
	return free
}

// Examine checks the disks of folders to which the service writes. minFree is how many
// bytes must stay free on each disk.
func Examine(folders []db.Folder, minFree int64) engine.Finding {
	f := engine.Finding{Name: "free disk", Status: engine.OK}
	var known, full []string
	room := fmt.Sprintf("%d MiB", minFree>>20)
	for _, folder := range folders {
		free, err := scratch.Free(blobs.Existing(folder.Path))
		if err != nil {
			known = append(known, folder.Use+" unknown")
			continue
		}
		there := fmt.Sprintf("%s %d MiB", folder.Use, free>>20)
		files, err := scratch.FreeFiles(blobs.Existing(folder.Path))
		few := err == nil && files < minFreeFiles
		if few {
			there += fmt.Sprintf(" in %d files", files)
			room = fmt.Sprintf("%d MiB in %d files", minFree>>20, minFreeFiles)
		}
		known = append(known, there)
		if few || free < minFree {
			full = append(full, folder.Path)
		}
	}
	f.Found = strings.Join(known, ", ")
	if len(full) > 0 {
		f.Status = engine.Broken
		f.Fails = "uploads and new work: SERVICE_UNAVAILABLE"
		f.Cure = fmt.Sprintf("make room for at least %s on the disk of %s, or keep it elsewhere", room, strings.Join(full, " and of "))
	}
	return f
}

// Reader reads r, and fails with the error of Room if the disks become full meanwhile.
func (d *Disks) Reader(r io.Reader) io.Reader { return &reader{Reader: r, disks: d} }

type reader struct {
	io.Reader
	disks *Disks
	seen  int // bytes since the last check
}

func (r *reader) Read(b []byte) (int, error) {
	if r.seen >= MeasureEvery {
		if err := r.disks.Room(0); err != nil {
			return 0, err
		}
		r.seen = 0
	}
	n, err := r.Reader.Read(b)
	r.seen += n
	return n, err
}
