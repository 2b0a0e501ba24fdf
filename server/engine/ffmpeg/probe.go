package ffmpeg

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// Probe returns what the file claims to be. It leaves out a duration that ffprobe only
// estimated from the size of the file. The error is UPLOAD_INVALID if the file is in no
// container format that this package reads, and CONFIG_ERROR if ffprobe is missing.
func (t *Tool) Probe(ctx context.Context, path string) (engine.MediaInfo, error) {
	path, size, err := regular(path)
	if err != nil {
		return engine.MediaInfo{}, err
	}
	c, err := t.probe(ctx, &part{path: path, size: size, all: true})
	return c.MediaInfo, err
}

// claims is what a file says about itself.
type claims struct {
	engine.MediaInfo
	// tracks are the audio tracks.
	tracks []track
}

// The bounds on samples a second: rates that hardware records and that can carry speech. With a
// lower rate, a file of a few kilobytes is hours long and decodes to gigabytes.
const (
	leastRate = 2000
	mostRate  = 768_000
)

// probed is the output of ffprobe.
type probed struct {
	Streams []probedStream `json:"streams"`
	Format  struct {
		Name     string  `json:"format_name"`
		Start    seconds `json:"start_time"`
		Duration seconds `json:"duration"`
	} `json:"format"`
}

type probedStream struct {
	Type        string  `json:"codec_type"`
	Rate        number  `json:"sample_rate"`
	Channels    int     `json:"channels"`
	Layout      string  `json:"channel_layout"`
	Start       seconds `json:"start_time"`
	Duration    seconds `json:"duration"`
	Disposition struct {
		Default         int `json:"default"`
		Comment         int `json:"comment"`
		HearingImpaired int `json:"hearing_impaired"`
		VisualImpaired  int `json:"visual_impaired"`
	} `json:"disposition"`
	Tags struct {
		Duration string `json:"DURATION"` // Matroska keeps it here: 00:01:00.003000000
		Language string `json:"language"`
		Title    string `json:"title"`
		Handler  string `json:"handler_name"` // the title in MP4, or the name of a program
	} `json:"tags"`
}

// asked are the entries that ffprobe shows.
const asked = "format=format_name,start_time,duration:" +
	"stream=codec_type,sample_rate,channels,channel_layout,start_time,duration:" +
	"stream_disposition=default,comment,hearing_impaired,visual_impaired:" +
	"stream_tags=DURATION,language,title,handler_name"

func (t *Tool) probe(ctx context.Context, file *part) (claims, error) {
	exit, err := t.run(ctx, engine.Command{
		Program: "ffprobe",
		Args:    append([]string{"-hide_banner", "-v", "warning", "-of", "json", "-show_entries", asked}, file.source()...),
		Reads:   []string{file.path},
		Limits:  engine.Limits{Wall: time.Minute, CPU: 30 * time.Second, Memory: memory},
	})
	if err != nil {
		return claims{}, err
	}
	var p probed
	if err := json.Unmarshal(exit.Stdout, &p); err != nil || p.Format.Name == "" || len(p.Streams) == 0 {
		return claims{}, invalid("The file is not audio or video in a format this service reads. It reads %s.", formats).
			Because(errors.New(lastLine(exit.Stderr)))
	}
	p.countFromStart()
	guess := p.Format.Duration
	if strings.Contains(string(exit.Stderr), "Estimating duration from bitrate") {
		p.forgetDurations()
	}
	c := p.claims()
	for _, t := range c.tracks {
		if t.rate > 0 && (t.rate < leastRate || t.rate > mostRate) {
			return claims{}, invalid("The file's sound has %d samples a second; %d to %d are taken.", t.rate, leastRate, mostRate)
		}
	}
	if len(c.tracks) == 1 {
		c.correct(file, guess)
	}
	return c, nil
}

// correct corrects the claims of a file with one track. ffprobe believes the header of an MP3. In
// other formats, ffprobe ignores a header that announces more than the file holds. guess is the
// length that ffprobe has computed from the size of the file.
func (c *claims) correct(file *part, guess seconds) {
	t := &c.tracks[0]
	switch c.Format {
	case "mp3":
		count, ok := countMP3(file)
		c.Duration, t.end = 0, 0
		if ok {
			c.Duration, t.end = seconds(count.seconds).duration(), seconds(count.cutOff())
			t.grows = count.grows
		}
	case "wav", "w64", "caf", "avi", "asf":
		if announced := announcedByWAV(file); announced > 0 {
			t.end = seconds(announced.Seconds())
		} else if size, length := declared(file); size > file.size {
			t.end = guess * seconds(size) / seconds(file.size)
			if length > 0 {
				t.end = length
			}
		}
	}
}

func (p *probed) forgetDurations() {
	p.Format.Duration = 0
	for i := range p.Streams {
		p.Streams[i].Duration = 0
	}
}

// countFromStart corrects durations: in some formats they count from 0 to the end, although the
// media starts later than 0.
func (p *probed) countFromStart() {
	start := max(0, p.Format.Start)
	switch p.Format.Name {
	case "mov,mp4,m4a,3gp,3g2,mj2":
		p.Format.Duration -= start
	case "matroska,webm", "asf":
		p.Format.Duration -= start
		for i := range p.Streams {
			p.Streams[i].Duration -= start
		}
	}
}

func (p *probed) claims() claims {
	c := claims{MediaInfo: engine.MediaInfo{Format: p.Format.Name, Duration: p.Format.Duration.duration()}}
	for _, s := range p.Streams {
		if s.Type == "audio" {
			c.HasAudio = true
			c.tracks = append(c.tracks, p.track(s))
		}
	}
	return c
}

// end returns where a stream ends according to the file's header, or 0. The file may go on
// after its sound has ended, so the duration of the file counts only if the sound is the file's
// only stream.
func (p *probed) end(s probedStream) seconds {
	switch {
	case p.Format.Name == "mpegts", p.Format.Name == "mpeg", p.Format.Name == "ogg":
		return 0 // these formats have no header; ffprobe reports their last timestamp
	case s.Duration > 0:
		return s.Start - p.Format.Start + s.Duration
	case s.Tags.Duration != "":
		return min(clockTime(s.Tags.Duration), p.Format.Duration)
	case len(p.Streams) == 1:
		return p.Format.Duration
	}
	return 0
}

// number is a number that ffprobe writes as a string.
type number float64

// seconds is a number of seconds.
type seconds = number

// UnmarshalJSON reads a value that is no number ("N/A") as 0.
func (n *number) UnmarshalJSON(data []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err != nil || f != f {
		f = 0
	}
	*n = number(f)
	return nil
}

// duration is never negative and never more than a hundred years.
func (s seconds) duration() time.Duration {
	const century = 100 * 365 * 24 * 3600
	return time.Duration(max(0, min(s, century)) * seconds(time.Second))
}

// clockTime reads hours:minutes:seconds. It returns 0 for a text that it cannot read.
func clockTime(s string) seconds {
	var total seconds
	for _, part := range strings.Split(s, ":") {
		f, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0
		}
		total = total*60 + seconds(f)
	}
	return total
}

// lastLine returns the last line of a program's stderr, for the log.
func lastLine(stderr []byte) string {
	lines := strings.Split(strings.TrimSpace(string(stderr)), "\n")
	return lines[len(lines)-1]
}
