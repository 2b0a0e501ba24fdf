package ytdlp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// The program runs twice: once to describe a content, once to fetch its media. The description
// comes from the page, so only these fields of it reach the second run. Everything that could
// steer the program is left out: headers that change its way to the network, another page to
// start from, and addresses that the guard refuses.
var (
	handedOn = []string{"id", "title", "extractor", "extractor_key", "_version", "duration", "is_live", "live_status"}

	handedOnOfFormat = []string{
		"format_id", "format", "format_note", "ext", "container", "protocol", "url", "manifest_url", "fragment_base_url", "fragments",
		"is_dash_periods", "manifest_stream_number", "hls_aes", "extra_param_to_segment_url", "extra_param_to_key_url",
		"http_headers", "cookies", "impersonate", "has_drm", "available_at", "no_resume", "downloader_options",
		"acodec", "vcodec", "abr", "vbr", "tbr", "asr", "audio_channels", "width", "height", "resolution", "fps", "dynamic_range",
		"filesize", "filesize_approx", "language", "language_preference", "quality", "preference", "source_preference",
	}
)

type object = map[string]any

// guard asks the egress guard about an address, as [engine.Host] describes; nil if there
// is no guard.
type guard func(ctx context.Context, job, address string) error

// handOn makes the description for the run that fetches the media.
func (g guard) handOn(ctx context.Context, m *media) ([]byte, error) {
	info, err := decode(m.raw)
	if err != nil {
		return nil, err
	}
	listed, _ := info["formats"].([]any)
	if len(listed) == 0 {
		listed = []any{info} // without a list, the content itself is its only format
	}
	var formats []any
	var refused error
	for _, f := range listed {
		format, _ := f.(object)
		if address, protocol := str(format["url"]), str(format["protocol"]); !guarded(address, protocol) {
			continue // the guard does not cover other protocols, so none of them is used
		}
		format = only(format, handedOnOfFormat)
		if err := g.clean(ctx, m.content, format); err != nil {
			refused = err
			continue
		}
		formats = append(formats, format)
	}
	if len(formats) == 0 && refused != nil {
		return nil, refused
	}
	return encode(info, formats, nil)
}

// handOnTrack makes the description for the run that fetches one caption file.
func (g guard) handOnTrack(ctx context.Context, m *media, file captionFile) ([]byte, error) {
	info, err := decode(m.raw)
	if err != nil {
		return nil, err
	}
	track, err := decode(file.raw)
	if err == nil {
		err = g.clean(ctx, m.content, track)
	}
	if err != nil {
		return nil, err
	}
	return encode(info, []any{}, object{"track": []any{track}})
}

// clean removes fields that could steer the program from a part of the description, and asks
// the guard about every address in the part. The error is the first refusal.
func (g guard) clean(ctx context.Context, c engine.Content, part object) error {
	if options, ok := part["downloader_options"].(object); ok {
		part["downloader_options"] = only(options, []string{"http_chunk_size"}) // the other options are arguments of other programs
	}
	_, err := g.judged(ctx, c, part)
	return err
}

var anAddress = regexp.MustCompile(`^\s*([A-Za-z][A-Za-z0-9+.-]*:)?//`)

// judged returns a value without instructions to the program.
func (g guard) judged(ctx context.Context, c engine.Content, value any) (any, error) {
	var err error
	switch value := value.(type) {
	case string:
		if !anAddress.MatchString(value) {
			return value, nil
		}
		// A fragment is never sent to a site. It can only instruct the program, even set
		// headers.
		value, _, _ = strings.Cut(value, "#")
		return value, g.judge(ctx, c, value)
	case []any:
		for i := range value {
			if value[i], err = g.judged(ctx, c, value[i]); err != nil {
				return nil, err
			}
		}
	case object:
		maps.DeleteFunc(value, func(key string, _ any) bool { return isOrder(key) })
		for key := range value {
			if key == "http_headers" {
				headers, _ := value[key].(object)
				maps.DeleteFunc(headers, func(key string, _ any) bool { return isOrder(key) })
				continue // addresses in headers, such as Referer, are not requested
			}
			if value[key], err = g.judged(ctx, c, value[key]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// isOrder reports whether a header is an instruction to the program or to a proxy.
func isOrder(header string) bool {
	header = strings.ToLower(strings.TrimSpace(header))
	return strings.HasPrefix(header, "ytdl") || strings.HasPrefix(header, "proxy") || strings.HasPrefix(header, "__youtubedl")
}

// judge refuses an address that the guard would refuse.
func (g guard) judge(ctx context.Context, c engine.Content, address string) error {
	if strings.HasPrefix(strings.TrimSpace(address), "//") {
		address = "http:" + strings.TrimSpace(address) // the program uses the scheme of the page
	}
	if g == nil {
		return nil
	}
	if err := g(ctx, job(c), address); err != nil { // Judge has logged it
		return refusedByGuard(c.URL, engine.Exit{Refused: []string{hostPort(address)}})
	}
	return nil
}

func only(part object, keys []string) object {
	kept := make(object)
	for _, key := range keys {
		if value, ok := part[key]; ok {
			kept[key] = value
		}
	}
	return kept
}

func str(value any) string { s, _ := value.(string); return s }

// decode reads an object and keeps its numbers as written.
func decode(data []byte) (part object, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&part); err != nil {
		return nil, fmt.Errorf("ytdlp: %w", err)
	}
	return part, nil
}

// encode writes the fields that the second run gets, with the formats and captions.
func encode(info object, formats []any, captions object) ([]byte, error) {
	handed := only(info, handedOn)
	handed["formats"], handed["subtitles"] = formats, captions
	data, err := json.Marshal(handed)
	if err != nil {
		return nil, fmt.Errorf("ytdlp: %w", err)
	}
	return data, nil
}
