package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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

// image is an image for this machine that other programs have unpacked.
type image struct {
	bundle string // what container runtimes read: the root, and how its processes run
	config v1.Config
}

func unpacked(t *testing.T, file string) image {
	t.Helper()
	need(t, "skopeo", "umoci")
	dir := t.TempDir()
	answer(t, "skopeo", "copy", "--quiet", "--insecure-policy", "oci-archive:"+file, "oci:"+dir+"/layout:tag")
	args := []string{"unpack", "--image", dir + "/layout:tag", dir + "/bundle"}
	if os.Getuid() != 0 {
		args = append(args, "--rootless")
	}
	answer(t, "umoci", args...)
	var inspected v1.ConfigFile
	require.NoError(t, json.Unmarshal([]byte(answer(t, "skopeo", "inspect", "--raw", "--config", "oci:"+dir+"/layout:tag")), &inspected))
	assert.Equal(t, []string{"linux", runtime.GOARCH}, []string{inspected.OS, inspected.Architecture})
	return image{dir + "/bundle", inspected.Config}
}

func (i image) root() string { return filepath.Join(i.bundle, "rootfs") }

// container is a container of an image. It has the bounds of packaging/compose.yaml: a root that
// cannot be written to, no capability, no new privileges, few processes, and one volume. Its network
// is that of the machine.
type container struct {
	t      *testing.T
	id     string
	bundle string // also has the state of the runtime
}

// newContainer makes a container that runs the program of the image, or another program of the image
// if the arguments begin with its path.
func newContainer(t *testing.T, i image, volume string, env []string, args ...string) *container {
	t.Helper()
	need(t, "runc")
	if os.Getuid() != 0 || exec.CommandContext(t.Context(), "unshare", "--mount", "--pid", "--fork", "true").Run() != nil {
		t.Skip("only root makes containers of this kind, where the kernel gives it namespaces")
	}
	if !strings.HasPrefix(args[0], "/") {
		args = append(i.config.Entrypoint, args...)
	}
	var spec struct {
		Version  string           `json:"ociVersion"`
		Process  map[string]any   `json:"process"`
		Root     map[string]any   `json:"root"`
		Hostname string           `json:"hostname"`
		Mounts   []map[string]any `json:"mounts"`
		Linux    map[string]any   `json:"linux"`
	}
	text, err := os.ReadFile(filepath.Join(i.bundle, "config.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &spec))
	spec.Root = map[string]any{"path": i.root(), "readonly": true}
	spec.Process["args"], spec.Process["env"], spec.Process["terminal"] = args, append(i.config.Env, env...), false
	spec.Process["capabilities"], spec.Process["noNewPrivileges"] = map[string]any{}, true
	spec.Mounts = append(spec.Mounts, map[string]any{"destination": "/var/lib/transcriptd", "type": "bind", "source": volume, "options": []string{"bind"}})
	spec.Linux["namespaces"] = []map[string]string{{"type": "pid"}, {"type": "ipc"}, {"type": "uts"}, {"type": "mount"}}
	spec.Linux["resources"] = map[string]any{"pids": map[string]int{"limit": 4096}}
	text, err = json.Marshal(spec)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.json"), text, 0o600))
	c := &container{t: t, id: strings.ReplaceAll(strings.TrimPrefix(dir, "/"), "/", "-"), bundle: dir}
	t.Cleanup(func() { _ = exec.Command("runc", "--root", dir+"/state", "delete", "--force", c.id).Run() }) // it is gone unless the test has failed
	return c
}

func (c *container) runc(args ...string) *exec.Cmd {
	return exec.CommandContext(c.t.Context(), "runc", append([]string{"--root", c.bundle + "/state"}, args...)...)
}

// command returns the command that runs the container until its program ends.
func (c *container) command() *exec.Cmd { return c.runc("run", "--bundle", c.bundle, c.id) }

// inside runs a program of the image in the container. The program succeeds.
func (c *container) inside(args ...string) (printed string) {
	c.t.Helper()
	var complaint bytes.Buffer
	command := c.runc(append([]string{"exec", c.id}, args...)...)
	command.Stderr = &complaint
	out, err := command.Output()
	require.NoError(c.t, err, "%v: %s", args, complaint.String())
	return strings.TrimSpace(string(out))
}

// status returns a line of the kernel about the first process of the container.
func (c *container) status(line string) string {
	c.t.Helper()
	var state struct{ PID int }
	out, err := c.runc("state", c.id).Output()
	require.NoError(c.t, err)
	require.NoError(c.t, json.Unmarshal(out, &state))
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", state.PID))
	require.NoError(c.t, err)
	_, rest, _ := strings.Cut(string(text), "\n"+line+":")
	return strings.Join(strings.Fields(strings.SplitN(rest, "\n", 2)[0]), " ")
}

// service is a service that runs in a container.
type service struct {
	*container
	process *exec.Cmd
	log     *bufio.Scanner
	told    string
}

// start starts the container and waits until its service listens.
func (c *container) start() *service {
	c.t.Helper()
	s := &service{container: c, process: c.command()}
	said, err := s.process.StderrPipe()
	require.NoError(c.t, err)
	require.NoError(c.t, s.process.Start())
	s.log = bufio.NewScanner(said)
	for s.log.Scan() {
		s.told += s.log.Text() + "\n"
		if strings.Contains(s.log.Text(), "msg=listening") {
			return s
		}
	}
	require.Fail(c.t, "the service does not listen", s.told)
	return nil
}

// stop stops the service as container runtimes do, and waits until it has drained.
func (s *service) stop() {
	s.t.Helper()
	out, err := s.runc("kill", s.id, "TERM").CombinedOutput()
	require.NoError(s.t, err, "%s", out)
	for s.log.Scan() {
		s.told += s.log.Text() + "\n"
	}
	require.NoError(s.t, s.process.Wait(), s.told)
	assert.NotContains(s.t, s.told, "level=ERROR")
}
