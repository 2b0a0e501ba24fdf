package store

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/backup"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// Backup is what a backup is of.
type Backup struct {
	Format    int       // the version of the layout of the backup
	Database  string    // "sqlite3" or "postgres"
	Tables    int64     // the version of our tables
	Queue     int64     // the version of the tables of the queue
	TakenAt   time.Time // just before the moment that the backup shows
	Blobs     int
	BlobBytes int64
	// Missing is how many blobs were not there although rows name them. Missed are the keys of the
	// first 20 of them.
	Missing int
	Missed  []string
}

// Backup copies the database and its blobs, as they stand at one moment, to a file whose name ends in
// .tar, or to a folder of any other name. There is nothing at target before, and nothing after an
// error. Processes may serve the store meanwhile; none of them deletes a blob until Backup returns.
// On PostgreSQL the program pg_dump must be there, and at least as new as the server.
//
// A backup holds hashes of keys and the secrets of webhooks. Only the user of this process can read
// it.
func (s *Store) Backup(ctx context.Context, target string) (Backup, error) {
	about, err := backup.Take(ctx, db.Of(s), target)
	return Backup(about), err
}

// ExamineBackup reads a backup and compares each of its files with its sum. The error says what is
// damaged, or that a newer version has made the backup.
func ExamineBackup(ctx context.Context, path string) (Backup, error) {
	b, err := backup.Open(ctx, path)
	if err != nil {
		return Backup{}, err
	}
	return Backup(b.About), nil
}

// Restore fills an empty database and an empty place for blobs with a backup. An empty SQLite
// database is a file that is not there. Restore reads and checks the whole backup before it writes,
// and brings the tables of an older version up to date. After an error the place is empty as before.
func Restore(ctx context.Context, o Options, path string) (Backup, error) {
	about, err := backup.Restore(ctx, db.Options(o), path)
	return Backup(about), err
}

// Verify checks the integrity of a SQLite file, and compares the rows of the store with its blobs
// and its texts with the index of their words. It reads all blobs that rows name. Processes may serve the store meanwhile.
func (s *Store) Verify(ctx context.Context) ([]engine.Finding, error) {
	return backup.Verify(ctx, db.Of(s))
}
