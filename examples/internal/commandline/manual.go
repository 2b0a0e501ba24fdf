package commandline

import (
	"cmp"
	"io"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// ManualPage has the parts of a manual page that the command line does not contain.
type ManualPage struct {
	Help func(*kong.Value) string // the help of a flag or argument; nil means the declared help
	Home string                   // the home of the user, for which the page writes ~; empty means none
	End  string                   // a last paragraph; may be empty
}

// Write writes the page in the language mdoc(7). Its date is that of the commit from which the
// program was built.
func (p ManualPage) Write(to io.Writer, model *kong.Application) error {
	w := &writer{page: p}
	about, rest, _ := strings.Cut(model.Help, "\n")
	w.line(".Dd " + buildTime().Format("January 2, 2006"))
	w.line(".Dt " + strings.ToUpper(model.Name) + " 1")
	w.line(".Os")
	w.line(".Sh NAME")
	w.line(".Nm " + model.Name)
	w.line(".Nd " + escaped(strings.TrimSuffix(about, ".")))
	w.line(".Sh SYNOPSIS")
	for _, leaf := range leaves(model) {
		w.synopsis(leaf)
	}
	w.line(".Sh DESCRIPTION")
	w.text(about)
	w.literal(rest)
	w.flags(model.Node)
	if len(model.Children) > 0 {
		w.line(".Sh COMMANDS")
		for _, leaf := range leaves(model) {
			w.command(leaf)
		}
	}
	if p.End != "" {
		w.line(".Sh EXIT STATUS")
		w.text(p.End)
	}
	w.line(".Sh SEE ALSO")
	w.line(".Lk https://github.com/transcriptkit/transcriptkit")
	_, err := io.WriteString(to, w.written.String())
	return err
}

// buildTime is the time of the commit, or now if the build has none.
func buildTime() time.Time {
	info, _ := debug.ReadBuildInfo()
	for _, s := range settings(info) {
		if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
			return at
		}
	}
	return time.Now()
}

func settings(info *debug.BuildInfo) []debug.BuildSetting {
	if info == nil {
		return nil
	}
	return info.Settings
}

// leaves are the commands that can be called, or the program itself if it has none.
func leaves(model *kong.Application) []*kong.Node {
	if len(model.Children) == 0 {
		return []*kong.Node{model.Node}
	}
	return model.Leaves(true)
}

type writer struct {
	page    ManualPage
	written strings.Builder
}

func (w *writer) line(line string) { w.written.WriteString(line + "\n") }

// synopsis writes how a command is called.
func (w *writer) synopsis(node *kong.Node) {
	w.line(".Nm")
	if words := escaped(node.Path()); words != "" {
		w.line(".Cm " + words)
	}
	w.line(".Op Ar flags")
	for _, argument := range node.Positional {
		name := escaped(argument.Name)
		if argument.IsCumulative() {
			name += " ..."
		}
		if argument.Required {
			w.line(".Ar " + name)
		} else {
			w.line(".Op Ar " + name)
		}
	}
}

// command describes a command and its flags.
func (w *writer) command(node *kong.Node) {
	w.line(".Ss " + escaped(node.Path()))
	w.text(node.Help)
	w.text(node.Detail)
	w.flags(node)
}

// flags writes the list of the flags and arguments of one node.
func (w *writer) flags(node *kong.Node) {
	var shown []*kong.Flag
	for _, flag := range node.Flags {
		if !flag.Hidden {
			shown = append(shown, flag)
		}
	}
	if len(shown)+len(node.Positional) == 0 {
		return
	}
	w.line(".Bl -tag -width Ds")
	for _, argument := range node.Positional {
		w.line(".It Ar " + escaped(argument.Name))
		w.text(w.help(argument))
	}
	for _, flag := range shown {
		w.line(".It " + flagWords(flag))
		w.text(w.help(flag.Value))
	}
	w.line(".El")
}

func (w *writer) help(value *kong.Value) string {
	help := value.Help
	if w.page.Help != nil {
		help = w.page.Help(value)
	}
	if w.page.Home != "" {
		help = strings.ReplaceAll(help, w.page.Home+"/", "~/")
	}
	return help
}

func flagWords(flag *kong.Flag) string {
	var words string
	if flag.Short != 0 {
		words = "Fl " + string(flag.Short) + " , "
	}
	name := flag.Name
	if flag.Tag.Negatable != "" {
		name = "[no-]" + name
	}
	words += `Fl \-` + escaped(name)
	if !flag.IsBool() {
		words += " Ns = Ns Ar " + escaped(cmp.Or(flag.PlaceHolder, strings.ToUpper(flag.Name)))
	}
	return words
}

var sentenceEnd = regexp.MustCompile(`([.!?:]["')]?) +`)

// text writes sentences, each on lines of its own, as mdoc(7) wants it.
func (w *writer) text(text string) {
	for _, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		for sentence := range strings.Lines(sentenceEnd.ReplaceAllString(strings.Join(strings.Fields(paragraph), " "), "$1\n")) {
			w.wrapped(strings.TrimSpace(sentence))
		}
	}
}

// lineWidth is the longest line that mandoc takes without a warning.
const lineWidth = 80

func (w *writer) wrapped(sentence string) {
	line := ""
	for _, word := range strings.Fields(escaped(sentence)) {
		if line != "" && len(line)+1+len(word) > lineWidth {
			w.line(line)
			line = ""
		}
		if line == "" && strings.ContainsAny(word[:1], ".'") { // otherwise it would be a request
			word = `\&` + word
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		w.line(line)
	}
}

// literal writes lines unchanged: examples of calls between paragraphs.
func (w *writer) literal(text string) {
	for _, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		switch {
		case strings.TrimSpace(paragraph) == "":
		case strings.HasPrefix(paragraph, " "):
			w.line(".Bd -literal -offset indent")
			for line := range strings.Lines(paragraph) {
				w.line(escaped(strings.TrimSpace(line)))
			}
			w.line(".Ed")
		default:
			w.line(".Pp")
			w.text(paragraph)
		}
	}
}

// escaped escapes characters with a meaning in the language: the backslash, and the dash of an
// option, which would become a hyphen.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "–", `\(en`, "…", "...").Replace(text)
}
