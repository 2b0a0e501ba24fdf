package ytdlp

import (
	"bytes"
	"strconv"
	"strings"
)

// progressTemplate makes the program write "progress: RECEIVED TOTAL ESTIMATE" lines, with NA
// for unknown values.
const progressTemplate = "download:progress: %(progress.downloaded_bytes)s %(progress.total_bytes)s %(progress.total_bytes_estimate)s"

// maxLine limits a line of the program's output, in bytes.
const maxLine = 64 << 10

// progress reads the program's standard output during a download.
type progress struct {
	report func(done, total int64) // may be nil
	most   int64                   // bytes that may be received
	stop   func()                  // ends the program if it receives more
	done   int64
	line   []byte // the beginning of a line whose end has not arrived
}

// Write never fails.
func (p *progress) Write(data []byte) (int, error) {
	n := len(data)
	for {
		line, rest, ok := bytes.Cut(data, []byte("\n"))
		p.line = append(p.line, line[:min(len(line), maxLine-len(p.line))]...)
		if !ok {
			return n, nil
		}
		p.read(string(p.line))
		p.line, data = p.line[:0], rest
	}
}

func (p *progress) read(line string) {
	numbers, ok := strings.CutPrefix(line, "progress: ")
	fields := strings.Fields(numbers)
	if !ok || len(fields) != 3 {
		return
	}
	done, total, estimate := count(fields[0]), count(fields[1]), count(fields[2])
	if max(done, total) > p.most {
		p.stop()
		return
	}
	if done <= p.done {
		return // a fragment is fetched again
	}
	p.done = done
	if total == 0 {
		total = estimate
	}
	if total < done {
		total = 0 // a wrong estimate
	}
	if p.report != nil {
		p.report(done, total)
	}
}

// count reads a number of bytes, which may have a fraction; NA is 0.
func count(s string) int64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0 && f < 1<<62) {
		return 0
	}
	return int64(f)
}
