package run_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// needsLandlock skips a test on a kernel without it.
func needsLandlock(t *testing.T, r *run.Runner) {
	t.Helper()
	if err := r.Confined(); err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}

func python(script string, args ...string) engine.Command {
	return engine.Command{Program: "python3", Args: append([]string{"-c", script}, args...)}
}

// TestFilesOfTheService: a program sees its folder and the system's, and of the
// rest what the command names.
func TestFilesOfTheService(t *testing.T) {
	t.Parallel()
	r, base := newRunner(t, run.Config{})
	needsLandlock(t, r)
	kept := t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(kept, "service.db"): "keys", filepath.Join(kept, "talk.mp3"): "talk", filepath.Join(base, "other"): "other",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	const try = `
import os, sys
def tried(what, do):
    try: print(what, 'done', do())
    except OSError as e: print(what, e.strerror)
kept, base, parent = sys.argv[1:4]
tried('list', lambda: os.listdir(kept))
tried('read', lambda: open(kept + '/service.db').read())
tried('named', lambda: open(kept + '/talk.mp3').read())
tried('write named', lambda: open(kept + '/talk.mp3', 'w'))
tried('truncate', lambda: os.truncate(kept + '/service.db', 0))
tried('make', lambda: open(kept + '/new', 'w'))
tried('remove', lambda: os.remove(kept + '/service.db'))
tried('rename', lambda: os.rename(kept + '/service.db', 'mine'))
tried('link', lambda: os.link(kept + '/service.db', 'mine'))
tried('other job', lambda: open(base + '/other').read())
tried('jobs', lambda: os.listdir(base))
tried('arguments', lambda: open('/proc/' + parent + '/cmdline').read())
tried('environment', lambda: open('/proc/' + parent + '/environ').read())
tried('memory', lambda: open('/proc/' + parent + '/mem').read())
tried('descriptors', lambda: os.listdir('/proc/' + parent + '/fd'))
tried('shadow', lambda: open('/etc/shadow').read())
tried('system', lambda: len(open('/usr/lib/os-release').read()) > 0)
os.mkdir('a'); os.mkdir('b')
tried('own', lambda: open('a/x', 'w').write('x'))
tried('own rename', lambda: os.rename('a/x', 'b/y'))
os.symlink(kept + '/service.db', 'link')
tried('through a link', lambda: open('link').read())
`
	c := python(try, kept, base, fmt.Sprint(os.Getpid()))
	c.Reads = []string{filepath.Join(kept, "talk.mp3"), filepath.Join(kept, "absent")}
	exit, err := r.Run(t.Context(), c)
	require.NoError(t, err)
	want := map[string]string{
		"named": "done talk", "system": "done True", "own": "done 1", "own rename": "done None",
		"link": "Invalid cross-device link", "rename": "Invalid cross-device link",
	}
	for line := range strings.Lines(string(exit.Stdout)) {
		var what, got string
		for _, end := range []string{" done ", " Permission denied", " Invalid cross-device link"} {
			if i := strings.Index(line, end); i >= 0 {
				what, got = line[:i], strings.TrimSpace(line[i+1:])
			}
		}
		wanted, ok := want[what]
		if !ok {
			wanted = "Permission denied"
		}
		if what == "link" || what == "rename" { // depends on which folder is looked at first
			assert.NotContains(t, got, "done", line)
			continue
		}
		assert.Equal(t, wanted, got, line)
	}
	assert.Equal(t, 20, strings.Count(string(exit.Stdout), "\n"), "%s%s", exit.Stdout, exit.Stderr)
	data, err := os.ReadFile(filepath.Join(kept, "service.db"))
	require.NoError(t, err)
	assert.Equal(t, "keys", string(data))
}

// TestNothingButTheGuard: a program that takes no notice of its environment.
func TestNothingButTheGuard(t *testing.T) {
	t.Parallel()
	target, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer target.Close() //nolint:errcheck // nothing was written to it
	abstract, err := net.Listen("unix", "@run-test-"+filepath.Base(t.TempDir()))
	require.NoError(t, err)
	defer abstract.Close() //nolint:errcheck // nothing was written to it
	g := newGuard(t, egress.Config{})
	r, _ := newRunner(t, run.Config{Guard: g})
	needsLandlock(t, r)
	const try = `
import socket, sys
def tried(what, do):
    try: do(); print(what, 'done')
    except OSError as e: print(what, e.strerror)
def connect(port): socket.create_connection(('127.0.0.1', int(port))).close()
def bind():
    s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()
tried('target', lambda: connect(sys.argv[1]))
tried('guard', lambda: connect(sys.argv[2]))
tried('bind', bind)
tried('abstract', lambda: socket.socket(socket.AF_UNIX).connect('\0' + sys.argv[3]))
`
	c := python(try, fmt.Sprint(target.Addr().(*net.TCPAddr).Port), fmt.Sprint(g.Port()), strings.TrimPrefix(abstract.Addr().String(), "@"))
	for network, guard := range map[*engine.Network]string{{Job: "job"}: "done", nil: "Permission denied"} {
		c.Network = network
		exit, err := r.Run(t.Context(), c)
		require.NoError(t, err)
		assert.Equal(t, "target Permission denied\nguard "+guard+"\nbind Permission denied\nabstract Address family not supported by protocol\n",
			string(exit.Stdout), "%s", exit.Stderr)
	}
	// The service itself stays free.
	conn, err := net.Dial("tcp", target.Addr().String())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

// TestNothingInherited: descriptors that the service has not opened for its
// programs, and powers that they might gain.
func TestNothingInherited(t *testing.T) {
	t.Parallel()
	var pipe [2]int
	require.NoError(t, unix.Pipe2(pipe[:], 0)) // as it is inherited: not closed when a program starts
	defer func() { _, _ = unix.Close(pipe[0]), unix.Close(pipe[1]) }()
	for _, without := range []bool{false, true} {
		r, _ := newRunner(t, run.Config{WithoutLandlock: without})
		const try = `
import ctypes, os, sys
try: os.write(int(sys.argv[1]), b'leak'); print('leaked')
except OSError as e: print(e.strerror)
c = ctypes.CDLL(None, use_errno=True)
print('no_new_privs', c.prctl(39, 0, 0, 0, 0))
head, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
c.capget(head, data)
print('capabilities', (data[1] | data[4] << 32) & ~2)
`
		exit, err := r.Run(t.Context(), python(try, fmt.Sprint(pipe[1])))
		require.NoError(t, err)
		assert.Equal(t, "Bad file descriptor\nno_new_privs 1\ncapabilities 0\n", string(exit.Stdout), "%s", exit.Stderr)
	}
}

// TestProgramsAnywhere: a program brings what it is made of from wherever it is
// installed, and nothing that lies beside it.
func TestProgramsAnywhere(t *testing.T) { // alone: a file that was just written may not be run while others start programs
	r, _ := newRunner(t, run.Config{})
	needsLandlock(t, r)
	dir := t.TempDir()
	put := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		return path
	}
	python3, err := r.Look("python3")
	require.NoError(t, err)
	put("home/venv/lib/module", "module", 0o600)
	put("home/secret", "secret", 0o600)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "home/venv/bin"), 0o700))
	require.NoError(t, os.Symlink(python3, filepath.Join(dir, "home/venv/bin/python")))
	program := put("home/venv/bin/tool", "#!"+dir+"/home/venv/bin/python\n"+
		"import os\nhere = os.path.dirname(os.path.realpath(__file__))\nprint(open(here + '/../lib/module').read())\n"+
		"try: open(here + '/../../secret')\nexcept OSError as e: print(e.strerror)\n", 0o700)
	link := filepath.Join(dir, "home", "tool")
	require.NoError(t, os.Symlink(program, link))
	apart := put("home/apart", "#!"+dir+"/home/venv/bin/python\nprint(open('"+dir+"/home/venv/lib/module').read())\n", 0o700)
	env := put("home/by-env", "#!/usr/bin/env -S python3\nprint('by env')\n", 0o700)
	// It unpacks itself into its folder for temporary files and runs what it finds there.
	unpacks := put("unpacks", "#!/bin/sh\ncp /bin/echo $TMPDIR/it && exec $TMPDIR/it unpacked\n", 0o700)
	for path, want := range map[string]string{
		program: "module\nPermission denied\n", link: "module\nPermission denied\n", apart: "module\n", env: "by env\n", unpacks: "unpacked\n",
	} {
		exit, err := r.Run(t.Context(), engine.Command{Program: path})
		require.NoError(t, err)
		assert.Equal(t, want, string(exit.Stdout), "%s: %s", path, exit.Stderr)
	}
}

// A runner without Landlock says what is amiss, and works.
func TestWithoutLandlock(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{WithoutLandlock: true})
	require.ErrorContains(t, r.Confined(), "Linux 6.7")
	exit, err := r.Run(t.Context(), sh("echo it works"))
	require.NoError(t, err)
	assert.Equal(t, "it works\n", string(exit.Stdout))
}
