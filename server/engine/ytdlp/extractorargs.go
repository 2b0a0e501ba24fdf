package ytdlp

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// providerKey is the key of the arguments with which the plugin learns the address of its server.
const providerKey = "youtubepot-bgutilhttp"

// extractorArgs matches a value of --extractor-args: the key of an extractor, and its arguments.
var extractorArgs = regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9_-]*):([A-Za-z0-9_][ -~]*)$`)

// maxExtractorArgs limits a value of --extractor-args, in bytes.
const maxExtractorArgs = 2000

// checkExtractorArgs returns an error for an invalid value of --extractor-args. The value is
// always an argument of its own after that option, so the value cannot be another option.
func (a Access) checkExtractorArgs(args string) error {
	parts := extractorArgs.FindStringSubmatch(args)
	switch {
	case len(args) > maxExtractorArgs:
		return fmt.Errorf("more than %d characters", maxExtractorArgs)
	case parts == nil:
		return errors.New("want IE_KEY:ARGS in plain ASCII, such as youtube:player_client=tv")
	case strings.EqualFold(parts[1], providerKey) && a.TokenProvider != nil:
		return errors.New(parts[1] + " gets its arguments from the token provider")
	}
	return nil
}

const extractorArgsOption = "--extractor-args"

// joinExtractorArgs joins the values of --extractor-args that are for one extractor, because the
// program takes the last value alone. Within a value, the program takes the last argument of a name.
func joinExtractorArgs(args []string) []string {
	end := slices.Index(args, "--") // links follow
	if end < 0 {
		end = len(args)
	}
	var keys, joined []string
	values := make(map[string][]string)
	for i := 0; i < end; i++ {
		if args[i] != extractorArgsOption || i+1 == end {
			joined = append(joined, args[i])
			continue
		}
		i++
		key, value, _ := strings.Cut(args[i], ":")
		if key = strings.ToLower(key); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		values[key] = append(values[key], value)
	}
	for _, key := range keys {
		joined = append(joined, extractorArgsOption, key+":"+strings.Join(values[key], ";"))
	}
	return append(joined, args[end:]...)
}
