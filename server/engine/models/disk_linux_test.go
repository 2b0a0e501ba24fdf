package models_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// A disk that is too full is told before, and one that becomes full ends the pull:
// what has come stays.
func TestPullOntoAFullDisk(t *testing.T) {
	t.Parallel()
	nstest.Disk(t, 300_000, func(t *testing.T, dir string) {
		var b *bench
		var fill func()
		b = newBench(t, func(w http.ResponseWriter, r *http.Request) {
			if fill != nil {
				fill()
			}
			b.good(w, r)
		})
		large := b.small()
		large.Name, large.Bytes = "large", 10<<20
		b.options.Dir, b.options.Table = filepath.Join(dir, "models"), append(b.options.Table, large)
		b.open(t, b.options)
		_, err := b.Plan(t.Context(), "large", models.Sources{})
		require.ErrorContains(t, err, "is too full: the pull needs 10485760 bytes, and ")
		assert.Empty(t, b.requests())

		var free func()
		fill = func() {
			free, fill = nstest.Fill(t, dir), nil
			require.NoError(t, os.Remove(filepath.Join(dir, "spare"))) // room for a part
			hasRoom(t, dir, 40_000)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "spare"), make([]byte, 50_000), 0o600))
		err = b.pull(t.Context(), "small")
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.ErrorContains(t, err, "the disk is full: make room and pull again; what has come is kept")
		assert.Len(t, b.requests(), 1)
		item := b.state(t, "small")
		assert.Equal(t, models.StatePartial, item.State)
		assert.Positive(t, item.Have)
		b.noFalseNames(t)

		free()
		hasRoom(t, dir, 100_000)
		require.NoError(t, b.pull(t.Context(), "small"))
		b.installed(t)
		assert.Equal(t, fmt.Sprintf("bytes=%d-", item.Have), b.requests()[1].Get("Range"))
	})
}

// hasRoom waits until a removed file has given its room back. A program that another test starts
// at that moment holds the file open until the program runs.
func hasRoom(t *testing.T, dir string, least uint64) {
	t.Helper()
	require.Eventually(t, func() bool {
		var disk unix.Statfs_t
		return unix.Statfs(dir, &disk) == nil && disk.Bavail*uint64(disk.Bsize) >= least //nolint:gosec // a size
	}, time.Minute, time.Millisecond)
}

// pullHere makes the test binary pull from a mirror into a folder until it is killed.
const pullHere = "MODELS_TEST_PULL"

func TestMain(m *testing.M) {
	if mirror := os.Getenv(pullHere); mirror != "" {
		b := &bench{data: content(100_000)}
		folder, err := models.Open(models.Options{
			Dir: os.Getenv(pullHere + "_INTO"), Programs: works{},
			Table: []models.Entry{entry("small", models.KindModel, "ggml-small.bin", b.data)},
		})
		if err == nil {
			b.Folder = folder
			err = b.pullFrom(context.Background(), "small", models.Sources{Mirror: mirror})
		}
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A process that is killed in the middle leaves no lock, and what the next goes on from.
func TestPullIsKilled(t *testing.T) {
	t.Parallel()
	var b *bench
	half := make(chan struct{}, 1)
	b = newBench(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") != "" {
			b.good(w, r)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(b.data)))
		_, _ = w.Write(b.data[:50_000])
		_ = http.NewResponseController(w).Flush()
		half <- struct{}{}
		<-r.Context().Done()
	})
	b.server.Close()
	plain := newPlain(t, b.server.Config.Handler)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), pullHere+"="+plain, pullHere+"_INTO="+b.options.Dir)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	<-half
	partial := filepath.Join(b.Dir(), b.small().SHA256+".part")
	require.Eventually(t, func() bool { st, err := os.Stat(partial); return err == nil && st.Size() == 50_000 }, time.Minute, time.Millisecond)
	require.ErrorIs(t, b.pull(t.Context(), "small"), models.ErrBusy)
	require.NoError(t, cmd.Process.Kill())
	said, err := io.ReadAll(stderr)
	require.NoError(t, err)
	assert.Empty(t, string(said))
	require.Error(t, cmd.Wait())

	require.NoError(t, b.pullFrom(t.Context(), "small", models.Sources{Mirror: plain}))
	b.installed(t)
	assert.Equal(t, "bytes=50000-", b.requests()[1].Get("Range"))
}

// A disk from which nothing may be run is told with its cure.
func TestEngineOnADiskWithoutPrograms(t *testing.T) {
	t.Parallel()
	nstest.Disk(t, 4<<20, func(t *testing.T, dir string) {
		require.NoError(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_NOEXEC, ""))
		b, file := engineWith(t, program("whisper-cli", good))
		b.options.Dir = filepath.Join(dir, "models")
		b.open(t, b.options)
		refused(t, b, file, "whisper-cli may not be run: the file system of "+b.Dir())
	})
}
