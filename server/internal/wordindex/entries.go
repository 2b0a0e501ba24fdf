package wordindex

import (
	"encoding/binary"
	"time"
)

// entry is what a volume stores about a text in addition to its words: the values of its
// library row by which a search orders and filters. These values of a row never change.
type entry struct {
	createdAt          int64 // Unix time in microseconds
	id, platform, lang string
}

func (e entry) place(hits int) Place {
	return Place{Hits: hits, CreatedAt: time.UnixMicro(e.createdAt).UTC(), ID: e.id}
}

func appendEntry(b []byte, e entry) []byte {
	b = binary.AppendVarint(b, e.createdAt)
	for _, s := range []string{e.id, e.platform, e.lang} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// readEntries reads the entries of a volume by the numbers of its texts.
func readEntries(b []byte) (entries []entry) {
	all := string(b) // the entries share this memory
	for len(b) > 0 {
		var e entry
		var n int
		if e.createdAt, n = binary.Varint(b); n <= 0 {
			return entries // damaged
		}
		b = b[n:]
		for _, s := range []*string{&e.id, &e.platform, &e.lang} {
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return entries // damaged
			}
			from := len(all) - len(b) + n
			*s = all[from : from+int(size)]
			b = b[n+int(size):]
		}
		entries = append(entries, e)
	}
	return entries
}
