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

// access lists what a program may open and reach.
type access struct {
	read  []string // files, and folders with their content; the program may run them too
	write []string // the same, to read and write
	port  uint16   // the only port that it may connect to; 0 means none
}

// system are the parts of the machine that any program may need: other programs, libraries,
// information about the machine and about names. The service keeps no data there.
var system = []string{
	"/bin", "/sbin", "/lib*", "/usr", "/nix/store", "/gnu/store", "/snap", "/home/linuxbrew/.linuxbrew",
	"/opt/cuda", "/opt/intel", "/opt/nvidia", "/opt/rocm*",

	"/etc/alternatives", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/debian_version", "/etc/fonts",
	"/etc/gai.conf", "/etc/group", "/etc/host.conf", "/etc/hosts", "/etc/ld.so.*", "/etc/locale.alias", "/etc/localtime",
	"/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/protocols", "/etc/python3*",
	"/etc/resolv.conf", "/etc/services", "/etc/static", "/etc/timezone", "/etc/OpenCL", "/etc/vulkan",
	"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf",
	"/etc/pki/ca-trust/extracted", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf",

	// Exclude the folders of processes, which show the arguments of each process.
	"/proc/cpuinfo", "/proc/driver", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat", "/proc/sys",
	"/proc/uptime", "/proc/version",
	"/sys/bus", "/sys/class", "/sys/dev", "/sys/devices", "/sys/fs/cgroup", "/sys/kernel/mm", "/sys/module",
}

// devices are the devices that neither store nor reveal anything.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// foundSystem returns the existing paths of system on this machine.
func foundSystem() (all []string) {
	for _, pattern := range system {
		found, _ := filepath.Glob(pattern) // only a bad pattern is an error
		all = append(all, found...)
	}
	return all
}

// maxInterpreters limits the chain of interpreters: a script, env, the interpreter of a virtual
// environment.
const maxInterpreters = 4

// parts returns the files of a program, in any location: the program itself, the folder of its
// modules, its libraries, and the parts of its interpreter. Libraries are in the program's folder
// or in folders that the program names. Other files in its folder do not count, because the
// program may lie in the service's own folder.
func (r *Runner) parts(program string) (all []string) {
	for range maxInterpreters {
		file, err := filepath.EvalSymlinks(program)
		if err != nil {
			break // the start fails with the reason
		}
		dir := filepath.Dir(file)
		all = append(all, program, filepath.Join(filepath.Dir(program), "pyvenv.cfg"), filepath.Join(dir, "_internal"))
		all = append(all, besideBin(dir, "lib", "lib64", "libexec", "ssl", "pyvenv.cfg")...)
		// The interpreter of a virtual environment is a link to the system's interpreter.
		all = append(all, besideBin(filepath.Dir(program), "lib", "pyvenv.cfg")...)
		for _, from := range append(libraryFolders(file), dir) {
			found, _ := fs.Glob(os.DirFS(from), "*.so*") // only a bad pattern is an error
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

// besideBin returns the paths of files and folders that lie beside a folder of programs.
func besideBin(dir string, names ...string) (all []string) {
	if !slices.Contains([]string{"bin", "sbin"}, filepath.Base(dir)) {
		return nil
	}
	for _, name := range names {
		all = append(all, filepath.Join(filepath.Dir(dir), name))
	}
	return all
}

// interpreter returns the interpreter of a script; "" if the file is not a script.
func (r *Runner) interpreter(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()              // it is only read
	head, _ := io.ReadAll(io.LimitReader(f, 512)) // a file that cannot be read is not a script, and its start fails with the reason
	line, isScript := bytes.CutPrefix(head, []byte("#!"))
	if !isScript {
		return ""
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) > 1 && filepath.Base(words[0]) == "env" {
		for _, word := range words[1:] {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
				path, _ := r.Look(word) // "" means that the start fails with the reason
				return path
			}
		}
	}
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// libraryFolders returns the folders in which a program looks for its libraries.
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
