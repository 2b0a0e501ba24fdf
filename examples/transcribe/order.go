package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// order is what is to be transcribed: recordings, each by itself, and batches, one for
// all links and one for each playlist and channel.
type order struct {
	files   []string
	batches []client.BatchParams
	links   int
}

// order reads the arguments, and the files that name more.
func (cmd *command) order(stdin io.Reader) (o order, err error) {
	sources := cmd.Sources
	for _, name := range cmd.From {
		more, err := lines(name, stdin)
		if err != nil {
			return o, err
		}
		sources = append(sources, more...)
	}
	var links []string
	for _, s := range sources {
		switch kindOf(s) {
		case isFile:
			if _, err := os.Stat(s); err != nil {
				return o, fmt.Errorf("%w: it is no link, playlist, channel or id of a video either", err)
			}
			o.files = append(o.files, s)
		case isLink:
			links = append(links, s)
		case isPlaylist:
			o.batches = append(o.batches, client.BatchParams{Playlist: s})
		case isChannel:
			o.batches = append(o.batches, client.BatchParams{Channel: s})
		}
	}
	for _, s := range cmd.Playlist {
		o.batches = append(o.batches, client.BatchParams{Playlist: s})
	}
	for _, s := range cmd.Channel {
		o.batches = append(o.batches, client.BatchParams{Channel: s})
	}
	if o.links = len(links); o.links > 0 {
		o.batches = append([]client.BatchParams{{URLs: links}}, o.batches...)
	}
	for i := range o.batches {
		o.batches[i].Language, o.batches[i].MaxItems = cmd.Language, cmd.MaxItems
	}
	switch {
	case len(o.files)+len(o.batches) == 0:
		return o, errors.New("nothing to do: name a link or a file, see --help")
	case len(o.files) > 0 && (cmd.Format == "csv" || cmd.Format == "zip"):
		return o, fmt.Errorf("--format %s is for links: a recording can be txt, json, srt or vtt", cmd.Format)
	}
	return o, nil
}

// single reports whether there is but one thing to do, and nothing that only a batch
// can.
func (cmd *command) single(o order) bool {
	text := cmd.Format != "csv" && cmd.Format != "zip"
	return text && (len(o.files) == 1 && len(o.batches) == 0 || len(o.files) == 0 && len(o.batches) == 1 && o.links == 1)
}

// lines are those of a file, or of standard input for "-", without empty ones and
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
	isLink
	isPlaylist
	isChannel
)

// kindOf takes what exists for a file, and of all else what has a scheme or means
// something on the public sites for that. The rest is the name of a file that is not
// there.
func kindOf(argument string) kind {
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

// folder makes --out ready before work begins, and reports whether it is a folder. One
// that ends in a slash is made.
func (cmd *command) folder() (bool, error) {
	switch st, err := os.Stat(cmd.Out); {
	case cmd.Out == "":
		return false, nil
	case err == nil && st.IsDir():
		return true, nil
	case strings.HasSuffix(cmd.Out, "/"), strings.HasSuffix(cmd.Out, string(os.PathSeparator)):
		return true, os.MkdirAll(cmd.Out, 0o777) //nolint:gosec // a folder like any other, for the umask to judge
	}
	st, err := os.Stat(filepath.Dir(cmd.Out))
	if err == nil && !st.IsDir() {
		err = fmt.Errorf("%s is no folder", filepath.Dir(cmd.Out))
	}
	return false, err
}
