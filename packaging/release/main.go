// Command release makes the files of a release from a checkout: archives, Debian
// packages, images of containers, checksums, and lists of what each program is made of.
//
//	make release
//	go -C packaging/release run . --checkout "$PWD" --out "$PWD/dist"
//
// The files depend on the commit and on the release of Go only. The folder, the time, the user
// and the umask do not change the bytes, so that anybody can rebuild a release and compare.
//
// The command is a module of its own, so that programs with transcriptkit get none of the
// dependencies of the command.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/alecthomas/kong"
)

// flags is the command line.
type flags struct {
	Checkout string   `default:"." placeholder:"FOLDER" help:"The checkout to release: everything in it is committed."`
	Out      string   `default:"dist" placeholder:"FOLDER" help:"Write the files into this folder, which is not there yet or is empty (${default})."`
	Key      string   `placeholder:"FILE" help:"Sign the checksums with this key of OpenSSH. Default: no signature."`
	Only     []string `default:"${kinds}" enum:"${kinds},full" placeholder:"KIND" help:"Make only these kinds of files (${default}). full is the image with all programs, and wants root, mmdebstrap and the network."`
	Target   []target `default:"${targets}" placeholder:"OS/ARCH" help:"Build for these targets only (${default})."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run carries out the arguments and returns the exit code: 1 after a failure, 2 if the call was
// wrong.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var f flags
	answered := false
	parser, err := kong.New(&f,
		kong.Name("release"),
		kong.Description("Makes the files of a release."),
		kong.Vars{"kinds": "archive,deb,api", "targets": allTargets()},
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { answered = true }),
	)
	if err == nil {
		_, err = parser.Parse(args)
	}
	switch {
	case answered:
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "release:", err)
		return 2
	}
	if err := f.release(ctx, stdout); err != nil {
		fmt.Fprintln(stderr, "release:", err)
		return 1
	}
	return 0
}
