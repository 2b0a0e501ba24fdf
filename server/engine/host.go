package engine

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Host is what a server provides to its engines.
type Host struct {
	// HTTP reaches the addresses that a link or a page names, through the egress guard. The
	// guard refuses private addresses after name resolution, even for redirects. nil means
	// that the host has no network.
	HTTP *http.Client
	// Programs runs external programs. An engine has no other way to start one.
	Programs Runner
	// Confined reports whether the kernel prevents the programs from bypassing the egress
	// guard, and from reading files other than their own. If it is false, an engine whose
	// program could be led around the guard by a page refuses to work, or does less.
	Confined bool
	// Judge returns an error if the egress guard refuses a link. It does not resolve the
	// name: it checks only the link. The guard logs a refusal with the job's name. nil means
	// that there is no guard.
	Judge func(ctx context.Context, job, link string) error
	// Dir is a directory for the engine's scratch files. The server empties it when it stops.
	Dir string
}

// Runner runs external programs within limits, each in a directory of its own and with
// an environment that holds no variable of the server. A program runs in a process
// group that is killed when the context or the server ends. A Runner is safe for
// concurrent use.
type Runner interface {
	// Run starts the program and waits for it. Run returns no error for an exit code other
	// than 0, and 0 does not prove success: check the output. The error is an *exec.Error if
	// the program does not exist, context.Cause(ctx) if ctx ended it, and a *LimitError if
	// it exceeded a limit.
	Run(ctx context.Context, c Command) (Exit, error)
	// Look returns the path of a program, or an *exec.Error.
	Look(program string) (string, error)
}

// Command is one run of an external program.
type Command struct {
	// Program is a name to look up or an absolute path.
	Program string
	Args    []string
	// Dir is the working directory; empty means a fresh directory that is removed
	// afterwards.
	Dir string
	// Reads are the files and folders outside of Dir that the program reads or runs, and Writes
	// are those that it writes, including device files. Paths are absolute. The program can
	// also open what the system installs: programs, libraries, certificates, fonts.
	Reads, Writes []string
	// Stdin may be nil.
	Stdin io.Reader
	// Stdout and Stderr receive the output while the program runs. If one is nil, Exit
	// keeps the first MiB of that output.
	Stdout, Stderr io.Writer
	// Limits bounds the run; the zero value means the runner's defaults.
	Limits Limits
	// Network gives the program access to the network through the egress guard. nil
	// means no access.
	Network *Network
}

// Network is the way to the network of one run: a proxy with a password of its own, which the
// environment of the run names (http_proxy, https_proxy, ftp_proxy). A program that ignores
// these variables, or uses a protocol that no proxy supports, bypasses the proxy: forbid such
// protocols by arguments.
type Network struct {
	// Job names the work in the guard's log; 1 to 64 letters, digits and "-".
	Job string
	// MaxBytes is how many bytes the run may receive at most, over all connections; 0
	// means the guard's default, 2 GiB. A run that receives more ends with a
	// *LimitError.
	MaxBytes int64
	// Inside, if set, opens the connections of the run to a site inside this process.
	// The guard then checks no address, because no connection leaves the process. nil
	// means that the run uses the network.
	Inside func(ctx context.Context, address string) (net.Conn, error)
	// Service is a service of the operator that this run may ask; nil means none.
	Service *Service
}

// Service is a service of the operator, often at a private address, that one run of a
// program may ask. No other run, no link and no redirect can reach the service this
// way. The program reaches the service through the proxy of the run, so that its
// confinement needs no other exception.
type Service struct {
	// URL is the address of the service: http or https, host and port.
	URL *url.URL
	// Args returns arguments with the address at which the program reaches the service.
	// The runner puts them before Command.Args. The address contains a password of this
	// run.
	Args func(at string) []string
}

// Limits bounds a program. A zero member means the runner's default.
type Limits struct {
	Wall     time.Duration // time from start to end
	CPU      time.Duration // processor time
	Memory   int64         // writable memory of its own, in bytes, for each process
	FileSize int64         // largest file that the program may write, in bytes
}

// LimitError reports that a program was stopped because it exceeded a limit.
type LimitError struct {
	Program string // its name
	Limit   string // "wall time", "processor time", "file size" or "bytes received"
	Max     string // the limit, with its unit
}

// Error names the program and the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s went over its limit of %s: %s", e.Program, e.Limit, e.Max)
}

// Exit is how a program ended.
type Exit struct {
	Code           int    // its exit code; -1 if a signal ended it
	Stdout, Stderr []byte // output that was not sent elsewhere, cut at 1 MiB each
	// Refused are the addresses that the egress guard refused to the program, as the
	// "host:port" that the program sent. They are in order, at most 100, and an address is
	// repeated as often as the program tried it. An address that was permitted but could not
	// be reached is not among them.
	Refused []string
	// Unknown are the host names of the program's requests for which the lookup failed,
	// in order, each once, at most 100.
	Unknown []string
}
