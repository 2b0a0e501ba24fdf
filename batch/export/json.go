package export

import (
	"encoding/json"
	"io"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// document writes a JSON object: the batch, and its items with their transcripts,
// each on a line of its own.
type document struct {
	w     io.Writer
	batch *batch.Job
	buf   []byte
	begun bool
}

func (d *document) begin() error {
	head, err := json.Marshal(d.batch)
	if err != nil {
		return err
	}
	d.buf = append(append(append(d.buf, `{"batch":`...), head...), `,"items":[`...)
	return d.flush()
}

func (d *document) add(e Entry) error {
	if d.begun {
		d.buf = append(d.buf, ',')
	}
	d.begun = true
	item, err := json.Marshal(e.Item)
	if err != nil {
		return err
	}
	d.buf = append(append(append(d.buf, "\n{\"item\":"...), item...), `,"transcript":`...)
	if e.Transcript == nil {
		d.buf = append(d.buf, "null"...)
	} else if d.buf, err = format.AppendJSON(d.buf, e.Transcript); err != nil {
		return err
	}
	d.buf = append(d.buf, '}')
	return d.flush()
}

func (d *document) end() error {
	d.buf = append(d.buf, "\n]}\n"...)
	return d.flush()
}

func (d *document) flush() error {
	_, err := d.w.Write(d.buf)
	d.buf = d.buf[:0]
	return err
}
