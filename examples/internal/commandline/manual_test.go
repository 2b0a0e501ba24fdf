package commandline_test

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/commandline"
)

// The page names all commands, arguments and flags, each sentence begins a line, and nothing in
// the texts is taken for a request of the language. TestManuals of packaging/release asks mandoc.
func TestPage(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&struct {
		Keys struct {
			Create struct {
				Scopes []string `required:"" placeholder:"LIST" help:"What the key may do. .hidden files and \\ stay as they are."`
				Old    bool     `hidden:"" help:"Gone."`
				Name   []string `arg:"" help:"Names in /home/me/keys."`
			} `cmd:"" help:"Create a key."`
		} `cmd:"" help:"Keys."`
	}{}, kong.Name("lock"), kong.Description("Locks doors.\n\n    lock keys create me\n\nMore follows."))
	require.NoError(t, err)
	var page strings.Builder
	require.NoError(t, commandline.ManualPage{Home: "/home/me", End: "Exit codes: 0 all is well."}.Write(&page, parser.Model))
	_, text, _ := strings.Cut(page.String(), "\n") // without the date
	assert.Equal(t, `.Dt LOCK 1
.Os
.Sh NAME
.Nm lock
.Nd Locks doors
.Sh SYNOPSIS
.Nm
.Cm keys create
.Op Ar flags
.Ar name ...
.Sh DESCRIPTION
Locks doors.
.Bd -literal -offset indent
lock keys create me
.Ed
.Pp
More follows.
.Bl -tag -width Ds
.It Fl h , Fl \-help
Show context\-sensitive help.
.El
.Sh COMMANDS
.Ss keys create
Create a key.
.Bl -tag -width Ds
.It Ar name
Names in ~/keys.
.It Fl \-scopes Ns = Ns Ar LIST
What the key may do.
\&.hidden files and \e stay as they are.
.El
.Sh EXIT STATUS
Exit codes:
0 all is well.
.Sh SEE ALSO
.Lk https://github.com/transcriptkit/transcriptkit
`, text)
}
