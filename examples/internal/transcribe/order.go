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

// order lists the work: single texts, and batches, one for all links and one for each playlist
// and each channel.
type order struct {
	texts   []text
	batches []client.BatchParams
}

// text is one text to make, from a source or from a job that already runs.
type text struct {
	name   string // the caller's name for it
	file   string // the name of its output file
	source transcript.Source
	job    string
}

// order reads the arguments, and the files with further arguments.
func (cmd *command) order(in *stdin) (o order, err error) {
	sources := slices.Clone(cmd.Sources)
	for _, name := range cmd.From {
		more, err := lines(name, in)
		if err != nil {
			return o, fmt.Errorf("--from: %w", err)
		}
		if slices.Contains(more, "-") {
			return o, fmt.Errorf("--from: %s names standard input (-): that can only be an argument", name)
		}
		sources = append(sources, more...)
	}
	var links []string
	for _, s := range sources {
		switch kindOf(s) {
		case isStdin:
			o.texts = append(o.texts, text{name: "standard input", file: "stdin." + cmd.Format, source: recordingOn(in)})
		case isFile:
			if _, err := os.Stat(s); err != nil {
				return o, fmt.Errorf("%w: it is no link, playlist, channel or id of a video either", err)
			}
			o.texts = append(o.texts, text{name: s, file: strings.TrimSuffix(filepath.Base(s), filepath.Ext(s)) + "." + cmd.Format, source: transcript.File(s)})
		case isLink:
			links = append(links, s)
		case isPlaylist:
			o.batches = append(o.batches, client.BatchParams{Playlist: s})
		case isChannel:
			o.batches = append(o.batches, client.BatchParams{Channel: s})
		}
	}
	for _, id := range cmd.Job {
		o.texts = append(o.texts, text{name: "job " + id, file: cmd.fileName(id), job: id})
	}
	for _, s := range cmd.Playlist {
		o.batches = append(o.batches, client.BatchParams{Playlist: s})
	}
	for _, s := range cmd.Channel {
		o.batches = append(o.batches, client.BatchParams{Channel: s})
	}
	switch {
	case len(links) == 1 && len(o.texts)+len(o.batches) == 0 && !cmd.batched():
		o.texts = []text{{name: links[0], file: cmd.fileName(links[0]), source: transcript.URL(links[0])}}
	case len(links) > 0:
		o.batches = slices.Insert(o.batches, 0, client.BatchParams{URLs: links})
	}
	for i := range o.batches {
		o.batches[i].Language, o.batches[i].MaxItems = cmd.Language, cmd.MaxItems
	}
	return o, cmd.checkOrder(o, in)
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
	case len(o.texts) > 0 && cmd.batched():
		return fmt.Errorf("--format %s is for links: a recording can be txt, srt, vtt, json or md", cmd.Format)
	case len(o.batches) > 0 && cmd.Format == "md":
		return errors.New("--format md is for recordings and single links: several, playlists and channels can be txt, srt, vtt, json, csv or zip")
	}
	return nil
}

// batched reports whether only batches have the format.
func (cmd *command) batched() bool { return cmd.Format == "csv" || cmd.Format == "zip" }

// results returns the number of result files.
func (o order) results() int { return len(o.texts) + len(o.batches) }

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
		if line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all, scanner.Err()
}

type kind int

const (
	isFile kind = iota
	isStdin
	isLink
	isPlaylist
	isChannel
)

// kindOf decides what an argument is. An existing file is a file. Otherwise, a text with a
// scheme, or with a meaning on the public sites, is that. Any other text is the name of a
// missing file.
func kindOf(argument string) kind {
	if argument == "-" {
		return isStdin
	}
	if st, err := os.Stat(argument); err == nil && !st.IsDir() {
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
