package run

import (
	"bytes"
	"debug/elf"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// access is what a program may open and reach.
type access struct {
	read  []string // files, and folders with all that is in them; it may run them too
	write []string // the same, to read and write
	port  uint16   // the only one it may connect to; 0: none
}

// system is what any program may need of the machine: other programs, libraries,
// what tells them about the machine and the names of things. Nothing that a
// service keeps is there.
var system = []string{
	"/bin", "/sbin", "/lib*", "/usr", "/nix/store", "/gnu/store", "/snap", "/home/linuxbrew/.linuxbrew",
	"/opt/cuda", "/opt/intel", "/opt/nvidia", "/opt/rocm*",

	"/etc/alternatives", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/debian_version", "/etc/fonts",
	"/etc/gai.conf", "/etc/group", "/etc/host.conf", "/etc/hosts", "/etc/ld.so.*", "/etc/locale.alias", "/etc/localtime",
	"/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/protocols", "/etc/python3*",
	"/etc/resolv.conf", "/etc/services", "/etc/static", "/etc/timezone", "/etc/OpenCL", "/etc/vulkan",
	"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf",
	"/etc/pki/ca-trust/extracted", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf",

	// Not the folders of processes: they tell the arguments of each.
	"/proc/cpuinfo", "/proc/driver", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat", "/proc/sys",
	"/proc/uptime", "/proc/version",
	"/sys/bus", "/sys/class", "/sys/dev", "/sys/devices", "/sys/fs/cgroup", "/sys/kernel/mm", "/sys/module",
}

// devices are those that hold and tell nothing.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// foundSystem returns what there is of system on this machine.
func foundSystem() (all []string) {
	for _, pattern := range system {
		found, _ := filepath.Glob(pattern) // the only error is a bad pattern
		all = append(all, found...)
	}
	return all
}

// maxInterpreters is how many programs may stand behind each other: a script, env,
// the interpreter of a virtual environment.
const maxInterpreters = 4

// parts are the files that a program is made of, wherever somebody has put it: the
// file, the libraries beside it or where it says that they are, the folder of its
// modules, and all that of its interpreter. Other files beside it are not its
// parts: it may lie in the folder of the service.
func (r *Runner) parts(program string) (all []string) {
	for range maxInterpreters {
		file, err := filepath.EvalSymlinks(program)
		if err != nil {
			break // the start fails with the reason
		}
		dir := filepath.Dir(file)
		all = append(all, program, filepath.Join(filepath.Dir(program), "pyvenv.cfg"), filepath.Join(dir, "_internal"))
		if slices.Contains([]string{"bin", "sbin"}, filepath.Base(dir)) {
			base := filepath.Dir(dir)
			for _, name := range []string{"lib", "lib64", "libexec", "ssl", "pyvenv.cfg"} {
				all = append(all, filepath.Join(base, name))
			}
		}
		for _, from := range append(libraryFolders(file), dir) {
			found, _ := fs.Glob(os.DirFS(from), "*.so*") // the only error is a bad pattern
			for _, name := range found {
				all = append(all, filepath.Join(from, name))
			}
		}
		if program = r.interpreter(file); program == "" {
			break
		}
	}
	return all
}

// interpreter is what runs a script; "" when the file is none.
func (r *Runner) interpreter(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // it is only read
	head, _ := io.ReadAll(io.LimitReader(f, 512))
	line, isScript := bytes.CutPrefix(head, []byte("#!"))
	if !isScript {
		return ""
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) > 1 && filepath.Base(words[0]) == "env" {
		for _, word := range words[1:] {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
				path, _ := r.Look(word) // "": the start fails with the reason
				return path
			}
		}
	}
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// libraryFolders are where a program says that its libraries are.
func libraryFolders(file string) (all []string) {
	program, err := elf.Open(file)
	if err != nil {
		return nil // a script
	}
	defer func() { _ = program.Close() }() // it is only read
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		lists, _ := program.DynString(tag) // a program without libraries has none
		for _, list := range lists {
			for _, dir := range filepath.SplitList(list) {
				dir = strings.NewReplacer("$ORIGIN", filepath.Dir(file), "${ORIGIN}", filepath.Dir(file)).Replace(dir)
				if filepath.IsAbs(dir) {
					all = append(all, dir)
				}
			}
		}
	}
	return all
}
