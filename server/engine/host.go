package engine

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Host is what a server hands to the engines it runs.
type Host struct {
	// HTTP reaches the addresses that a link or a page names, through the egress
	// guard: it refuses private addresses after name resolution, whatever the
	// redirects. nil: a host without a network.
	HTTP *http.Client
	// Programs runs external programs. An engine has no other way to start one.
	Programs Runner
	// Confined reports whether the kernel keeps what Programs runs from going around
	// the egress guard, and from other files than its own. Without that, an engine
	// whose program a page can lead around the guard refuses to work, or does less.
	Confined bool
	// Judge returns an error if the egress guard refuses a link, as far as the link
	// alone shows that: no name is looked up. A refusal is logged under the job's
	// name. nil: there is no guard to ask.
	Judge func(ctx context.Context, job, link string) error
	// Dir is a directory for the engine's scratch files. The server removes what
	// is left in it when it stops.
	Dir string
}

// Runner runs external programs: with an environment that holds nothing of the
// server's, in a directory of their own, in a process group that dies with the
// context and with the server, within limits. Safe for concurrent use.
type Runner interface {
	// Run starts the program and waits for it. An exit code other than 0 is no error
	// of Run, and 0 does not prove success: judge by the output. The error is an
	// *exec.Error when the program is not there, context.Cause(ctx) when ctx ended it,
	// and a *LimitError when it broke a limit.
	Run(ctx context.Context, c Command) (Exit, error)
	// Look returns the path of a program, or an *exec.Error.
	Look(program string) (string, error)
}

// Command is one run of an external program.
type Command struct {
	// Program is a name to look up or an absolute path.
	Program string
	Args    []string
	// Dir is where it runs; empty: a fresh directory that is removed afterwards.
	Dir string
	// Reads are the files and folders outside of Dir that it reads or runs, Writes
	// those that it writes, device files among them; absolute paths. Besides these it
	// can open what the system installs: programs, libraries, certificates, fonts.
	Reads, Writes []string
	// Stdin may be nil.
	Stdin io.Reader
	// Stdout and Stderr receive the output as it comes. A nil one is kept in Exit,
	// the first MiB of it.
	Stdout, Stderr io.Writer
	// Limits bounds the run; the zero value means the runner's defaults.
	Limits Limits
	// Network gives the program its way to the network, through the egress guard.
	// nil: it is told of none.
	Network *Network
}

// Network is the way to the network of one run: a proxy with a password of its
// own, which its environment names (http_proxy, https_proxy, ftp_proxy). A program
// that ignores these variables, or uses a protocol that no proxy knows, goes around
// it: forbid such protocols by arguments.
type Network struct {
	// Job names the work in the guard's log; 1 to 64 letters, digits and "-".
	Job string
	// MaxBytes is the most that the run may receive, all connections together; 0: the
	// guard's default, 2 GiB. More ends the run with a *LimitError.
	MaxBytes int64
}

// Limits bounds a program. A zero member means the runner's default.
type Limits struct {
	Wall     time.Duration // time from start to end
	CPU      time.Duration // processor time
	Memory   int64         // memory of its own that it may write to, bytes, for each process
	FileSize int64         // largest file it may write, bytes
}

// LimitError is a program that was ended because it broke one of its limits.
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
	Code           int    // its exit code; -1 when a signal ended it
	Stdout, Stderr []byte // what was not sent elsewhere, cut at 1 MiB each
	// Refused are the addresses ("host:port", as the program asked for them) that
	// the egress guard did not let it reach, in order, each as often as it was tried,
	// the first 100 of them. One that merely failed is not among them.
	Refused []string
}
