package player

import (
	"bytes"
	"encoding/json"
)

// inPage is the text before the player's answer in a page of the site.
var inPage = []byte("ytInitialPlayerResponse")

// Read reads an answer from data that the site has sent: the answer itself, or a page that
// contains it. ok is false if data contains no answer.
func Read(data []byte) (a *Answer, ok bool) {
	if a, ok = decode(data); ok {
		return a, true
	}
	for rest := data; ; {
		_, after, found := bytes.Cut(rest, inPage)
		if !found {
			return nil, false
		}
		value, assigned := bytes.CutPrefix(bytes.TrimLeft(after, "\"'] \t\r\n"), []byte("="))
		if assigned {
			if a, ok = decode(value); ok {
				return a, true
			}
		}
		rest = after
	}
}

// decode reads the JSON object at the beginning of data. It reports false if that is not an
// answer.
func decode(data []byte) (*Answer, bool) {
	if data = bytes.TrimLeft(data, " \t\r\n"); !bytes.HasPrefix(data, []byte("{")) {
		return nil, false
	}
	a := new(Answer)
	err := json.NewDecoder(bytes.NewReader(data)).Decode(a)
	return a, err == nil && a.Playability.Status != ""
}
