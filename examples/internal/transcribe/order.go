package transcribe

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// order lists the work: single texts, and batches, for every 500 links and for each playlist and
// each channel.
type order struct {
	texts     []text
	batches   []several
	continued []string // ids of jobs and batches
	search    string   // words to search for; then there is no other work
	follow    bool     // the call is about follows; then there is no other work
}

// text is one text to make, from a source or from a job that already runs.
type text struct {
	name   string // the caller's name for it
	file   string // the name of its output file
	job    string // that runs already, or empty
	path   string // of a recording, or empty
	source transcript.Source

	recording mediaFile              // the file at path when it was sent
	key       string                 // the idempotency key of the request; empty: a new key
	begun     func(job string) error // called when the job is known, if not nil
}

// several is a batch to make, or a batch that already runs.
type several struct {
	name   string // the caller's name for it
	params client.BatchParams
	id     string // of a batch that runs
}

// mostItems is the largest number of items that a service takes in one batch.
const mostItems = 500

// order reads the arguments, and the files with further arguments.
func (cmd *command) order(in *stdin) (o order, err error) {
	switch {
	case cmd.Watch != "":
		return o, nil
	case cmd.searches():
		return order{search: strings.Join(cmd.Sources[1:], " ")}, nil
	case cmd.followsSomething():
		return order{follow: true}, nil
	}
	links, err := cmd.read(&o, cmd.Sources, in)
	if err != nil {
		return o, err
	}
	for _, name := range cmd.From {
		listed, err := cmd.listed(&o, name, in)
		if err != nil {
			return o, fmt.Errorf("--from %s: %w", name, err)
		}
		links = append(links, listed...)
	}
	for _, s := range cmd.Playlist {
		o.batches = append(o.batches, several{name: "--playlist " + s, params: client.BatchParams{Playlist: s}})
	}
	for _, s := range cmd.Channel {
		o.batches = append(o.batches, several{name: "--channel " + s, params: client.BatchParams{Channel: s}})
	}
	o.continued = cmd.Job
	if len(links) == 1 && o.results() == 0 && !cmd.batched() {
		o.texts = []text{{name: links[0], file: cmd.fileName(links[0]), source: transcript.URL(links[0])}}
		return o, cmd.checkOrder(o, in)
	}
	o.batches = append(cmd.batchesOf(links), o.batches...)
	for i := range o.batches {
		o.batches[i].params.Language, o.batches[i].params.MaxItems = cmd.Language, cmd.MaxItems
	}
	return o, cmd.checkOrder(o, in)
}

// read adds recordings, playlists and channels to the order, and returns the links.
func (cmd *command) read(o *order, sources []string, in *stdin) (links []string, err error) {
	for _, s := range sources {
		switch kindOf(s) {
		case isStdin:
			o.texts = append(o.texts, text{name: "standard input", file: "stdin." + cmd.Format, source: recordingOn(in)})
		case isFolder:
			return nil, fmt.Errorf("%s is a folder: name its recordings, as in \"transcribe -o texts/ %s\", or let \"transcribe --watch %s\" transcribe all that is there and all that comes",
				s, filepath.Join(s, "*"), s)
		case isFile:
			switch file, err := os.Stat(s); {
			case errors.Is(err, os.ErrNotExist):
				return nil, fmt.Errorf("%s: there is no such file, and it is no link, playlist, channel or id of a video: correct the name", s)
			case err != nil:
				return nil, err
			case file.Mode().IsRegular() && file.Size() == 0:
				return nil, fmt.Errorf("%s is empty: record it again, or wait until it is written", s)
			}
			o.texts = append(o.texts, text{name: s, file: textName(s) + "." + cmd.Format, path: s})
		case isLink:
			links = append(links, s)
		case isPlaylist:
			o.batches = append(o.batches, several{name: s, params: client.BatchParams{Playlist: s}})
		case isChannel:
			o.batches = append(o.batches, several{name: s, params: client.BatchParams{Channel: s}})
		}
	}
	return links, nil
}

// textName returns the name of a recording without its folder and its extension.
func textName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// listed reads the arguments in a file of --from.
func (cmd *command) listed(o *order, name string, in *stdin) (links []string, err error) {
	more, err := lines(name, in)
	if err != nil {
		return nil, err
	}
	if slices.Contains(more, "-") {
		return nil, errors.New("the list names standard input (-): that can only be an argument")
	}
	return cmd.read(o, more, in)
}

// batchesOf divides links into batches. --max-items counts the items of one batch, so that it
// takes the first batch alone.
func (cmd *command) batchesOf(links []string) (all []several) {
	first := 1
	for part := range slices.Chunk(links, mostItems) {
		s := several{name: part[0], params: client.BatchParams{URLs: part}}
		switch last := first + len(part) - 1; {
		case len(links) > mostItems:
			s.name = fmt.Sprintf("links %d to %d", first, last)
		case last > 1:
			s.name = fmt.Sprintf("%d links", last)
		}
		if all = append(all, s); cmd.MaxItems > 0 {
			break
		}
		first += len(part)
	}
	return all
}

// checkOrder refuses impossible orders.
func (cmd *command) checkOrder(o order, in *stdin) error {
	stdins := 0
	for _, name := range slices.Concat(cmd.Sources, cmd.From) {
		if name == "-" {
			stdins++
		}
	}
	switch {
	case o.results() == 0:
		return errors.New("nothing to do: name a link or a file, see --help")
	case stdins > 1:
		return errors.New("standard input is read once: as a recording (-) or as a list (--from -)")
	case in.isTerminal() && slices.Contains(cmd.Sources, "-"):
		return errors.New("standard input is a terminal: send a recording to it, as in \"transcribe - < talk.mp3\"")
	case len(o.batches) > 0 && cmd.listens():
		return errNotOneRecording
	case len(o.texts) > 0 && cmd.batched():
		return fmt.Errorf("%s: %s is for links: a recording can be txt, srt, vtt, json, md, docx or html", cmd.formatOption, cmd.Format)
	case len(o.batches) > 0 && cmd.isDocument():
		return fmt.Errorf("%s: %s is for recordings and single links: several links, playlists and channels can be txt, srt, vtt, json, csv or zip", cmd.formatOption, cmd.Format)
	}
	return nil
}

// batched reports whether only batches have the format.
func (cmd *command) batched() bool { return cmd.Format == "csv" || cmd.Format == "zip" }

// results returns the number of result files.
func (o order) results() int { return len(o.texts) + len(o.batches) + len(o.continued) }

// recordingOn returns the recording on standard input, which can be read once.
func recordingOn(in *stdin) transcript.Source {
	read := false
	return transcript.Media("stdin", -1, func() (io.ReadCloser, error) {
		if read {
			return nil, errors.New("standard input cannot be sent again: save the recording to a file")
		}
		read = true
		return io.NopCloser(in), nil
	})
}

// lines returns the lines of a file, or of standard input for "-", without empty lines and
// comments.
func lines(name string, stdin io.Reader) (all []string, err error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name) //nolint:gosec // the caller's own file
		if err != nil {
			return nil, err
		}
		defer f.Close() //nolint:errcheck // it is only read
		in = f
	}
	scanner := bufio.NewScanner(in)
	for scanner.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(scanner.Text(), "\uFEFF"))
		if strings.ContainsRune(line, 0) { // no name has a zero byte; recordings and lists in UTF-16 do
			return nil, errNoList
		}
		if line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return nil, errNoList
	}
	return all, scanner.Err()
}

// errNoList refuses a file with something else than names.
var errNoList = errors.New("this is no list of links and file names, one a line, in UTF-8: a recording is an argument without --from")

type kind int

const (
	isFile kind = iota
	isFolder
	isStdin
	isLink
	isPlaylist
	isChannel
)

// kindOf decides what an argument is. An existing file or folder is that. Otherwise, a text with
// a scheme, or with a meaning on the public sites, is that. Any other text is the name of a
// missing file.
func kindOf(argument string) kind {
	if argument == "-" {
		return isStdin
	}
	if st, err := os.Stat(argument); err == nil {
		if st.IsDir() {
			return isFolder
		}
		return isFile
	}
	sites := site.Default()
	if _, err := sites.Detect(argument); err == nil {
		return isLink
	}
	if _, err := sites.Playlist(argument); err == nil {
		return isPlaylist
	}
	if _, err := sites.Channel(argument); err == nil {
		return isChannel
	}
	if strings.Contains(argument, "://") {
		return isLink
	}
	return isFile
}

// longestName bounds a file name without its extension, in bytes. Systems permit 255 bytes with
// the extension.
const longestName = 200

// fileName returns a file name for the text of a link or a job.
func (cmd *command) fileName(of string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r) {
			return r
		}
		return '-'
	}, of), "-")
	return name[max(0, len(name)-longestName):] + "." + cmd.Format // the end of a link tells more than its beginning
}
