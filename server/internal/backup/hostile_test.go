//go:build unix

package backup_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/backup"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// secret is the content of a file that no link may lead to.
const secret = "what others must not read"

// outside is a folder with a secret, which no blob and no backup may reach.
func outside(t *testing.T) (folder, file string) {
	t.Helper()
	folder = t.TempDir()
	file = filepath.Join(folder, "secret")
	require.NoError(t, os.WriteFile(file, []byte(secret), 0o600))
	return folder, file
}

// A link or a pipe in place of a blob is not followed, and keeps no backup and no verification
// waiting: the others are copied, and the report names this one.
func TestBlobsThatAreNoFiles(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(t *testing.T, path string){
		"a link": func(t *testing.T, path string) {
			_, file := outside(t)
			require.NoError(t, os.Symlink(file, path))
		},
		"a link to nothing": func(t *testing.T, path string) { require.NoError(t, os.Symlink("/nowhere", path)) },
		"a link inside": func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "other"), []byte(secret), 0o600))
			require.NoError(t, os.Symlink("other", path))
		},
		"a pipe":   func(t *testing.T, path string) { require.NoError(t, syscall.Mkfifo(path, 0o600)) },
		"a folder": func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := open(t, dbtest.SQLite(t))
			media, playing := s.recording("a recording")
			upload := s.upload("one", "two")
			part := blobs.PartKey(strings.TrimSuffix(upload, "+6"), 3, 1)
			for _, key := range []string{media, part} {
				path := filepath.Join(s.o.Blobs, key)
				require.NoError(t, os.Remove(path))
				change(t, path)
			}
			target := filepath.Join(t.TempDir(), "folder")
			about := s.take(target)
			assert.ElementsMatch(t, []string{media, upload}, about.Missed)
			assert.FileExists(t, filepath.Join(target, "blobs", playing))
			assert.NotContains(t, everything(t, target), secret)
			faults := strings.Join(s.faults(), "\n")
			assert.Contains(t, faults, media)
			assert.Contains(t, faults, upload)
			_, err := s.Blobs.Range(t.Context(), media, 0, -1)
			assert.True(t, errors.Is(err, blobs.ErrNoFile) || errors.Is(err, blobs.ErrNotFound), "%v", err)
		})
	}
}

// everything is what the files of a folder hold.
func everything(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		read, err := os.ReadFile(path)
		all.Write(read)
		return err
	}))
	return all.String()
}

// The folder of the blobs may be behind a link. A folder in it may not.
func TestBlobsBehindALink(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	behind := o.Blobs
	o.Blobs = filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Mkdir(behind, 0o700))
	require.NoError(t, os.Symlink(behind, o.Blobs))
	s, archive := small(t, o, "b.tar")
	assert.Empty(t, s.faults())

	place := emptyPlace(t, o)
	place.Blobs = o.Blobs
	_, err := backup.Restore(t.Context(), place, archive)
	require.ErrorContains(t, err, "there are blobs in ")

	elsewhere := t.TempDir()
	require.NoError(t, os.Rename(filepath.Join(behind, "playing"), filepath.Join(elsewhere, "playing")))
	require.NoError(t, os.Symlink(filepath.Join(elsewhere, "playing"), filepath.Join(behind, "playing")))
	assert.Contains(t, strings.Join(s.faults(), "\n"), "a link, a pipe or a device stands in place of playing/")

	place = emptyPlace(t, o)
	require.NoError(t, os.Mkdir(place.Blobs, 0o700))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(place.Blobs, "uploads")))
	_, err = backup.Restore(t.Context(), place, archive)
	require.ErrorContains(t, err, "there are blobs in ")
	assert.NotContains(t, everything(t, elsewhere), "a recording\n")
}

// A folder that was changed is refused at once, whatever stands in place of a file.
func TestHostileFolder(t *testing.T) {
	t.Parallel()
	_, whole := small(t, dbtest.SQLite(t), "folder")
	sums, err := os.ReadFile(filepath.Join(whole, "SHA256SUMS"))
	require.NoError(t, err)
	_, blob, _ := strings.Cut(strings.SplitN(string(sums), "\n", 2)[0], "  ")
	for what, change := range map[string]func(t *testing.T, path string){
		"pipe": func(t *testing.T, path string) { require.NoError(t, syscall.Mkfifo(path, 0o600)) },
		"link": func(t *testing.T, path string) {
			folder := t.TempDir()
			file := filepath.Join(folder, "same")
			read, err := os.ReadFile(filepath.Join(whole, filepath.Base(path)))
			if err != nil {
				read = []byte(secret)
			}
			require.NoError(t, os.WriteFile(file, read, 0o600))
			require.NoError(t, os.Symlink(file, path))
		},
		"folder": func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) },
	} {
		for _, name := range []string{blob, "database", "backup.json", "SHA256SUMS"} {
			folder := filepath.Join(t.TempDir(), "folder")
			require.NoError(t, os.CopyFS(folder, os.DirFS(whole)))
			path := filepath.Join(folder, name)
			require.NoError(t, os.Remove(path))
			change(t, path)
			_, err := backup.Open(t.Context(), folder)
			assert.ErrorContains(t, err, fmt.Sprintf("%q is no file", name), what)
		}
	}
	folder := filepath.Join(t.TempDir(), "folder")
	require.NoError(t, os.CopyFS(folder, os.DirFS(whole)))
	blobsOutside := filepath.Join(t.TempDir(), "blobs")
	require.NoError(t, os.Rename(filepath.Join(folder, "blobs"), blobsOutside))
	require.NoError(t, os.Symlink(blobsOutside, filepath.Join(folder, "blobs")))
	_, err = backup.Open(t.Context(), folder)
	require.ErrorContains(t, err, "path escapes from parent")

	editSums(t, whole, func(s string) string { return strings.Repeat("0", 1<<20) + s })
	_, err = backup.Open(t.Context(), whole)
	require.ErrorContains(t, err, "has a line that is no sum of a file")

	pipe := filepath.Join(t.TempDir(), "pipe.tar")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err = backup.Open(t.Context(), pipe)
	require.ErrorContains(t, err, "is neither a file nor a folder: a backup is read twice")
}

// entry is a file in a tar file.
type entry struct {
	tar.Header
	body []byte
}

// entriesOf reads a tar file.
func entriesOf(t *testing.T, archive string) (all []entry) {
	t.Helper()
	f, err := os.Open(archive)
	require.NoError(t, err)
	defer f.Close()
	for files := tar.NewReader(f); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		body, err := io.ReadAll(files)
		require.NoError(t, err)
		all = append(all, entry{*h, body})
	}
}

// writeTar writes a tar file whose sums are right, so that nothing but the files themselves can be
// refused.
func writeTar(t *testing.T, all []entry) (archive string) {
	t.Helper()
	var b, sums bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range all {
		if e.Name == "SHA256SUMS" {
			e.body = sums.Bytes()
		}
		e.Size = int64(len(e.body))
		require.NoError(t, w.WriteHeader(&e.Header))
		_, err := w.Write(e.body)
		require.NoError(t, err)
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(e.body), e.Name)
	}
	require.NoError(t, w.Close())
	archive = filepath.Join(t.TempDir(), "hostile.tar")
	require.NoError(t, os.WriteFile(archive, b.Bytes(), 0o600))
	return archive
}

// A tar file cannot name a file outside of the place, or anything but a file, nor the same file twice.
func TestHostileTar(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	_, archive := small(t, o, "b.tar")
	all := entriesOf(t, archive)
	_, err := backup.Open(t.Context(), writeTar(t, all))
	require.NoError(t, err, "without a change it is a backup")
	renamed := func(name string) func(*entry) { return func(e *entry) { e.Name = name } }
	typed := func(kind byte) func(*entry) {
		return func(e *entry) { e.Typeflag, e.Linkname, e.body = kind, "/etc/passwd", nil }
	}
	for what, change := range map[string]func(*entry){
		"up":             renamed("blobs/uploads/../../../x"),
		"up at once":     renamed("../x"),
		"absolute":       renamed("/tmp/x"),
		"absolute blob":  renamed("blobs//tmp/x"),
		"another name":   renamed("blobs/uploads/./x"),
		"a double slash": renamed("blobs/uploads//x"),
		"no key":         renamed("blobs/other/x"),
		"a line":         renamed("blobs/uploads/x\ny"),
		"a backslash":    renamed(`blobs/uploads\..\..\x`),
		"twice":          renamed(all[1].Name),
		"a link":         typed(tar.TypeSymlink),
		"a second name":  typed(tar.TypeLink),
		"a pipe":         typed(tar.TypeFifo),
		"a device":       typed(tar.TypeChar),
		"a folder":       typed(tar.TypeDir),
	} {
		hostile := append([]entry{}, all...)
		change(&hostile[0])
		place := emptyPlace(t, o)
		_, err := backup.Restore(t.Context(), place, writeTar(t, hostile))
		if assert.Error(t, err, what) {
			assert.Regexp(t, `is no file|it has two files`, err.Error(), what)
		}
		requireEmpty(t, place)
	}
}

// A small tar file does not become large: files with holes are refused, and a file cannot be longer
// than the tar file.
func TestTarBomb(t *testing.T) {
	t.Parallel()
	_, archive := small(t, dbtest.SQLite(t), "b.tar")
	good, err := os.ReadFile(archive)
	require.NoError(t, err)
	const name, size = "blobs/uploads/x", 1 << 50
	holes := fmt.Sprintf("GNU.sparse.major=1\nGNU.sparse.minor=0\nGNU.sparse.name=%s\nGNU.sparse.realsize=%d\n", name, size)
	var records string
	for record := range strings.Lines(holes) {
		n := len(record) + 4 // with its length, of three digits, and a space
		records += fmt.Sprintf("%03d %s", n, record)
	}
	var b bytes.Buffer
	b.Write(block(t, tar.Header{Name: "holes", Size: int64(len(records))}, 'x'))
	b.WriteString(records + strings.Repeat("\x00", 512-len(records)))
	b.Write(block(t, tar.Header{Name: name, Size: 512}, '0'))
	b.WriteString("0\n" + strings.Repeat("\x00", 510)) // no part of it is there
	bomb := filepath.Join(t.TempDir(), "bomb.tar")
	require.NoError(t, os.WriteFile(bomb, append(b.Bytes(), good...), 0o600))
	require.EqualValues(t, size, headerOf(t, bomb).Size, "it is a bomb")
	_, err = backup.Open(t.Context(), bomb)
	require.ErrorContains(t, err, `"blobs/uploads/x" is no file`)

	long := append(block(t, tar.Header{Name: name, Size: size}, '0'), good...)
	require.NoError(t, os.WriteFile(bomb, long, 0o600))
	_, err = backup.Open(t.Context(), bomb)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func headerOf(t *testing.T, archive string) *tar.Header {
	t.Helper()
	f, err := os.Open(archive)
	require.NoError(t, err)
	defer f.Close()
	h, err := tar.NewReader(f).Next()
	require.NoError(t, err)
	return h
}

// block is the header of a file of a kind that a tar.Writer does not write.
func block(t *testing.T, h tar.Header, kind byte) []byte {
	t.Helper()
	const typeAt, sumAt, sumLen = 156, 148, 8
	var b bytes.Buffer
	h.Mode, h.Format = 0o600, tar.FormatGNU
	require.NoError(t, tar.NewWriter(&b).WriteHeader(&h))
	head := b.Bytes()
	head[typeAt] = kind
	copy(head[sumAt:], strings.Repeat(" ", sumLen))
	n := 0
	for _, c := range head {
		n += int(c)
	}
	copy(head[sumAt:], fmt.Sprintf("%06o\x00 ", n))
	return head
}
