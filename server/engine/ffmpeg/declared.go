package ffmpeg

import (
	"bytes"
	"os"
)

// asfFile begins the part of a WMA file that tells the size of the file.
const asfFile = "\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65"

// declared returns how many bytes a part of a file has by its own header, or 0 if the header
// does not tell, and how long the part is; 0: it does not tell. It knows the formats in which
// ffprobe believes the size of the file.
func declared(p *part) (size int64, length seconds) {
	f, err := os.Open(p.path)
	if err != nil {
		return 0, 0
	}
	defer f.Close() // only read: nothing can be lost
	c := &cursor{file: f, size: p.from + p.size}
	at := p.from
	head := c.get(at, headLength)
	switch {
	case bytes.HasPrefix(head, []byte(wave64)):
		return c.large64(at + 16), 0
	case isRIFF(head) && string(head[8:12]) == "AVI ":
		end := at
		for isRIFF(c.get(end, 12)) || string(c.get(end+8, 4)) == "AVIX" {
			end += 8 + c.le32(end+4)
		}
		return end - at, 0
	case bytes.HasPrefix(head, []byte(asfHeader)):
		properties := c.search(at, at+1<<16, asfFile, 0, prefix(asfFile))
		const ticks = 1e7 // a second
		length := seconds(c.large64(properties+64))/ticks - seconds(c.large64(properties+80))/1000
		return c.large64(properties + 40), length
	case bytes.HasPrefix(head, []byte("caff")):
		for chunk := at + 8; fourLetters(c.get(chunk, 4)); {
			size := c.largeBig64(chunk + 4)
			if string(c.get(chunk, 4)) == "data" {
				return chunk + 12 + size - at, 0
			}
			if size > p.size {
				break
			}
			chunk += 12 + size
		}
	}
	return 0, 0
}
