package main_test

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// need skips a test without a program. In CI the program must be there.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") == "true" {
				require.NoError(t, err)
			}
			t.Skip(err)
		}
	}
}

// unpacked unpacks an image for this machine with the programs of others, and returns its root
// and its configuration.
func unpacked(t *testing.T, image string) (root string, config v1.Config) {
	t.Helper()
	need(t, "skopeo", "umoci")
	dir := t.TempDir()
	answer(t, "skopeo", "copy", "--quiet", "--insecure-policy", "oci-archive:"+image, "oci:"+dir+"/layout:tag")
	args := []string{"unpack", "--image", dir + "/layout:tag", dir + "/bundle"}
	if os.Getuid() != 0 {
		args = append(args, "--rootless")
	}
	answer(t, "umoci", args...)
	var inspected v1.ConfigFile
	require.NoError(t, json.Unmarshal([]byte(answer(t, "skopeo", "inspect", "--raw", "--config", "oci:"+dir+"/layout:tag")), &inspected))
	assert.Equal(t, []string{"linux", runtime.GOARCH}, []string{inspected.OS, inspected.Architecture})
	return filepath.Join(dir, "bundle", "rootfs"), inspected.Config
}

// The image is small, and has no shell and no file that its user can write. One folder is the
// user's: the volume.
func TestImageOfTheAPI(t *testing.T) {
	t.Parallel()
	root, config := unpacked(t, only(t, "transcriptkit-api_*.oci.tar"))
	assert.Equal(t, "65532:65532", config.User)
	assert.Equal(t, []string{"/usr/bin/transcriptd"}, config.Entrypoint)
	assert.Equal(t, []string{"serve", "--role", "api"}, config.Cmd)
	assert.Equal(t, map[string]struct{}{"/var/lib/transcriptd": {}}, config.Volumes)
	assert.Equal(t, []string{"CMD", "/usr/bin/transcriptd", "healthcheck"}, config.Healthcheck.Test)

	var bytes int64
	var files, writable []string
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		name := strings.TrimPrefix(path, root)
		owner := info.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // it is one on Linux
		if owner.Uid == 65532 || owner.Gid == 65532 || info.Mode().Perm()&0o022 != 0 || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
			writable = append(writable, name)
		}
		if info.Mode().IsRegular() {
			files, bytes = append(files, name), bytes+info.Size()
		}
		return nil
	}))
	assert.Equal(t, []string{"/etc/group", "/etc/passwd", "/etc/ssl/certs/ca-certificates.crt", "/usr/bin/transcriptd"}, files)
	assert.Less(t, bytes, int64(60_000_000))
	t.Logf("the image has %d bytes", bytes)
	if os.Getuid() == 0 { // else umoci cannot give files to others
		assert.Equal(t, []string{"/var/lib/transcriptd"}, writable)
	}
}

// contain prepares a program in an image: as its user, without a capability, with a root that cannot
// be written to, and with a volume.
func contain(t *testing.T, root, volume string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	const enter = `PATH="$PATH:/usr/sbin:/sbin" && mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && mount --bind "$1" "$0/var/lib/transcriptd" &&
		cd "$0" && shift && exec setpriv --bounding-set=-all,+sys_chroot,+setuid,+setgid chroot --userspec=65532:65532 --groups= "$0" "$@"`
	command := exec.CommandContext(t.Context(), "unshare", append([]string{"--mount", "sh", "-c", enter, root, volume}, args...)...)
	command.Env = env
	return command
}

// The service works as the user of the image, without a capability, when nothing can be written
// but the volume. The health command of the image finds it healthy.
func TestImageRunsWithAReadOnlyRoot(t *testing.T) {
	t.Parallel()
	root, config := unpacked(t, only(t, "transcriptkit-api_*.oci.tar"))
	if os.Getuid() != 0 {
		t.Skip("only root can change the root of a process")
	}
	volume := t.TempDir()
	require.NoError(t, os.Chown(volume, 65532, 65532))
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(free.Addr().String())
	require.NoError(t, err)
	require.NoError(t, free.Close())

	contained := func(args ...string) *exec.Cmd {
		return contain(t, root, volume, append(config.Env, "TRANSCRIPTD_LISTEN=:"+port, "TRANSCRIPTD_DB=sqlite:/var/lib/transcriptd/transcriptd.db",
			"TRANSCRIPTD_BLOBS=/var/lib/transcriptd/blobs"), args...)
	}
	service := contained(append(config.Entrypoint, "serve", "--asr", "none", "--drain-delay", "0s")...)
	said, err := service.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, service.Start())
	log := bufio.NewScanner(said)
	told, listening := "", false
	for !listening && log.Scan() {
		told += log.Text() + "\n"
		listening = strings.Contains(log.Text(), "msg=listening")
	}
	require.True(t, listening, told)
	health, err := contained(config.Healthcheck.Test[1:]...).CombinedOutput()
	require.NoError(t, err, "%s", health)

	require.NoError(t, service.Process.Signal(syscall.SIGTERM))
	for log.Scan() {
		told += log.Text() + "\n"
	}
	require.NoError(t, service.Wait(), told)
	assert.NotContains(t, told, "level=ERROR")
	health, err = contained(config.Healthcheck.Test[1:]...).CombinedOutput()
	require.Error(t, err, "%s", health)
	assert.Contains(t, string(health), "--listen: ")
}
