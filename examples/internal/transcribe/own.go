package transcribe

import (
	"context"
	"io"
	"net/http"

	"github.com/transcriptkit/transcriptkit/client"
)

// OwnService opens a service that a call brings along, and that ends with the call. It returns a
// client of the service, and writes what the caller should know by say.
//
// An interruption does not cancel the jobs on such a service: the same command goes on with them.
type OwnService func(ctx context.Context, say func(text string)) (*client.Client, error)

// Run is the command in another program, whose parser has read the flags. Run returns the exit
// code. The name of the command stands in messages. Run calls open after all else that can be
// wrong was checked, unless the flags or the environment name a service. If open is nil, the
// command finds its service as the program transcribe does.
func (f Flags) Run(ctx context.Context, name string, open OwnService, stdout, stderr io.Writer) int {
	p := newProcess(name)
	p.stdout, p.stderr, p.open = stdout, stderr, open
	cmd := &command{Flags: f}
	if err := cmd.check(); err != nil {
		return p.fail(exitUsage, err)
	}
	return p.run(untilHangUp(ctx), cmd)
}

// Through returns a client that reaches its service through a transport, which also says who
// makes the requests.
func Through(transport http.RoundTripper) (*client.Client, error) {
	return client.New("http://localhost", client.WithUserAgent(userAgent), client.WithHTTPClient(&http.Client{Transport: transport}))
}
