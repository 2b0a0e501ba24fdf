package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheServiceIsPrivate: another program of the same user, who is not root, reads
// neither the service's environment nor its descriptors.
func TestTheServiceIsPrivate(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	require.NoError(t, os.Chmod(dir, 0o777))
	self, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	binary := filepath.Join(dir, "transcriptd") // where everybody can run it
	require.NoError(t, os.WriteFile(binary, self, 0o755))
	attr := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		const nobody = 65534
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}

	server := exec.Command(binary, "serve", "--listen", "127.0.0.1:0")
	server.Env, server.Dir, server.SysProcAttr = []string{asProgram + "=1", "SECRET=secret", "TMPDIR=" + dir, "GOCOVERDIR=" + dir}, dir, attr
	p := await(t, server)
	defer func() { _, _ = p.Process.Kill(), p.Wait() }() // it has served
	for _, name := range []string{"environ", "fd/2", "mem"} {
		read := exec.Command("cat", fmt.Sprintf("/proc/%d/%s", p.Process.Pid, name))
		read.SysProcAttr = attr
		out, err := read.CombinedOutput()
		require.Error(t, err, name)
		assert.Contains(t, string(out), "Permission denied")
	}
}
