package apitest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// eventReader checks an event stream while it is read.
type eventReader struct {
	io.ReadCloser
	check eventCheck
}

func (e *eventReader) Read(b []byte) (int, error) {
	n, err := e.ReadCloser.Read(b)
	e.check.take(b[:n])
	return n, err
}

// eventCheck compares a stream with the operation's x-events, and with the form in
// docs/guides/jobs.md.
type eventCheck struct {
	document *Document
	op       place
	report   func(error)

	rest     []byte // of an unfinished line
	lines    int
	name, id string
	data     []string
	lastID   int
	ended    bool
	reported bool // only once, because after a fault the remaining events prove little
}

func (c *eventCheck) take(b []byte) {
	if c.reported {
		return
	}
	c.rest = append(c.rest, b...)
	for !c.reported {
		line, rest, ok := bytes.Cut(c.rest, []byte("\n"))
		if !ok {
			return
		}
		c.rest = rest
		c.lines++
		if err := c.line(string(line)); err != nil {
			c.reported = true
			c.report(fmt.Errorf("line %d of the stream: %w: %.300s", c.lines, err, line))
		}
	}
}

func (c *eventCheck) line(line string) error {
	field, value, _ := strings.Cut(line, ": ")
	switch {
	case c.lines == 1 && line != "retry: 3000":
		return errors.New(`the stream does not begin with "retry: 3000"`)
	case line == "":
		defer func() { c.name, c.id, c.data = "", "", nil }()
		if c.name == "" && c.id == "" && c.data == nil {
			return nil // the end of a comment
		}
		return c.event()
	case field == "", field == "retry":
		return nil // a comment
	case field == "event":
		c.name = value
	case field == "id":
		c.id = value
	case field == "data":
		c.data = append(c.data, value)
	default:
		return fmt.Errorf("%q is no field of an event", field)
	}
	return nil
}

func (c *eventCheck) event() error {
	if c.ended {
		return errors.New("the stream goes on after its last event")
	}
	if len(c.data) != 1 {
		return fmt.Errorf("the event %s has %d lines of data", c.name, len(c.data))
	}
	documented, ok := c.document.at(c.op, "x-events", c.name)
	if !ok {
		return fmt.Errorf("the event %q is not documented", c.name)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(c.data[0]))
	if err != nil {
		return fmt.Errorf("the data is not JSON: %w", err)
	}
	if err := c.document.validate(documented.pointer, value); err != nil {
		return fmt.Errorf("the event %s: %w", c.name, err)
	}
	return c.order()
}

// order checks the ids: a transition has its sequence number, which grows, and no other event
// has an id.
func (c *eventCheck) order() error {
	switch c.name {
	case "job.completed", "job.failed", "job.cancelled":
		c.ended = true
		if c.id == "" {
			return fmt.Errorf("the event %s has no id", c.name)
		}
	case "stream.closing":
		c.ended = true
		fallthrough
	case "job.snapshot", "job.segments":
		if c.id != "" {
			return fmt.Errorf("the event %s has an id", c.name)
		}
	}
	if c.id == "" {
		return nil
	}
	id, err := strconv.Atoi(c.id)
	if err != nil || id <= c.lastID {
		return fmt.Errorf("the id %s comes after %d", c.id, c.lastID)
	}
	c.lastID = id
	return nil
}
