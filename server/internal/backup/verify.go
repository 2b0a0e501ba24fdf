package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/librarysize"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
)

// strayAge is the age from which a blob without a row is stray: every hour, the service sweeps
// blobs that are older than a day. A younger blob may belong to an upload that has no row yet.
const strayAge = 26 * time.Hour

// Verify checks the integrity of a SQLite file, and compares the rows of a service with its blobs
// and its texts with the index of their words. It reads all blobs that rows name. Processes may
// serve the service meanwhile; they delete no blobs until Verify returns. The findings are about
// "database", "blobs", "stray blobs", "index" and "sizes"; at most 20 of each kind are listed.
func Verify(ctx context.Context, s *db.Store) (found []engine.Finding, err error) {
	held, hold, err := s.HoldBlobs(ctx)
	if err != nil {
		return nil, err
	}
	for _, check := range []func(context.Context, *db.Store) ([]engine.Finding, error){verifyDatabase, verifyNamed, verifyStray, verifyIndex, verifySizes} {
		some, err := check(db.Unhurried(held), s)
		found = append(found, some...)
		if held.Err() != nil {
			err = context.Cause(held)
		}
		if err != nil {
			return found, errors.Join(err, hold.Release(context.WithoutCancel(ctx)))
		}
	}
	return found, hold.Release(ctx)
}

// findings collects faults of one kind.
type findings struct {
	kind  engine.Finding // those that are not listed
	found []engine.Finding
	more  int
}

func (f *findings) add(what string) {
	if len(f.found) >= maxListed {
		f.more++
		return
	}
	one := f.kind
	one.Found = what
	f.found = append(f.found, one)
}

// all returns the faults, or good if there are none.
func (f *findings) all(good string) []engine.Finding {
	if len(f.found) == 0 {
		return []engine.Finding{{Name: f.kind.Name, Status: engine.OK, Found: good}}
	}
	if f.more > 0 {
		one := f.kind
		one.Found = fmt.Sprintf("%d more like this", f.more)
		f.found = append(f.found, one)
	}
	return f.found
}

// verifyDatabase checks the file of a SQLite database.
func verifyDatabase(ctx context.Context, s *db.Store) ([]engine.Finding, error) {
	faults := &findings{kind: engine.Finding{
		Name: "database", Status: engine.Broken, Fails: "what stands in the damaged part, and in time the service", Cure: "restore a backup",
	}}
	checked, err := s.SQL().CheckIntegrity(ctx, faults.add)
	if !checked {
		return nil, err
	}
	return faults.all("SQLite's check of the file finds no damage"), err
}

// verifyNamed looks for the blobs that rows name.
func verifyNamed(ctx context.Context, s *db.Store) ([]engine.Finding, error) {
	faults := &findings{kind: engine.Finding{
		Name: "blobs", Status: engine.Broken, Fails: "the recording, or the job that needs it",
		Cure: "restore a backup, or send the recording again",
	}}
	n, size := 0, int64(0)
	err := s.NamedBlobs(ctx, func(b tables.Blob) error {
		held, err := s.Blobs.Read(ctx, b.Key, io.Discard)
		switch {
		case b.May && errors.Is(err, blobs.ErrNotFound):
			return nil
		case errors.Is(err, blobs.ErrNotFound):
			faults.add(b.Key + " is missing")
		case errors.Is(err, blobs.ErrDamaged):
			faults.add("parts of " + b.Key + " are missing")
		case errors.Is(err, blobs.ErrNoFile):
			faults.add("a link, a pipe or a device stands in place of " + b.Key)
		case err != nil:
			return err
		case b.Size > 0 && b.Size != held.Size:
			faults.add(fmt.Sprintf("%s has %d bytes instead of %d", b.Key, held.Size, b.Size))
		case !bytes.HasPrefix(held.SHA256[:], b.Sum):
			faults.add(b.Key + " is not what was stored")
		}
		n++
		size += held.Size
		return nil
	})
	return faults.all(fmt.Sprintf("all %d that rows name are there, %s", n, humanize.IBytes(uint64(size)))), err
}

// verifyStray looks for blobs that no row names.
func verifyStray(ctx context.Context, s *db.Store) ([]engine.Finding, error) {
	faults := &findings{kind: engine.Finding{
		Name: "stray blobs", Status: engine.Old, Fails: "nothing; they take room",
		Cure: "the hourly sweep of a running service removes them; if it does not, its log says why",
	}}
	young := 0
	for _, prefix := range []string{db.UploadPrefix, db.AudioPrefix, db.PlayingPrefix} {
		err := s.Blobs.Each(ctx, prefix, func(b blobs.Listed) error {
			named, err := s.Works.NeedMedia(ctx, b.Key)
			switch {
			case err != nil || named:
				return err
			case time.Since(b.ChangedAt) < strayAge:
				young++
			default:
				faults.add(fmt.Sprintf("no row names %s, of %s", b.Key, b.ChangedAt.UTC().Format(time.DateTime)))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return faults.all(fmt.Sprintf("none; %d of the last day are in work, or are left for the sweep", young)), nil
}

// verifyIndex compares the index with the texts.
func verifyIndex(ctx context.Context, s *db.Store) ([]engine.Finding, error) {
	faults := &findings{kind: engine.Finding{
		Name: "index", Status: engine.Broken, Fails: "the search in this text", Cure: "restore a backup",
	}}
	texts, err := s.VerifyIndex(ctx, faults.add)
	return faults.all(fmt.Sprintf("agrees with all %d texts", texts)), err
}

// verifySizes compares the stored size of each account's texts with the texts.
func verifySizes(ctx context.Context, s *db.Store) ([]engine.Finding, error) {
	faults := &findings{kind: engine.Finding{
		Name: "sizes", Status: engine.Broken, Fails: "the bound of the plan on the texts of this account", Cure: "restore a backup",
	}}
	err := librarysize.Verify(ctx, s.SQL().Reader(), faults.add)
	return faults.all("the bytes of all libraries are counted"), err
}
