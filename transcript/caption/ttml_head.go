package caption

import (
	"bytes"
	"strings"
)

// ttmlHead is what the head of a TTML file tells about its cues: the names of the
// agents and the styles of ruby annotations, by their identifiers.
type ttmlHead struct {
	names  map[string][]byte
	hidden map[string]bool
	size   int // of both

	agent  string // that is open
	naming bool   // its name is open, too
	full   bool   // and is the one to prefer
	name   []byte
}

// voice returns the name of the one agent that refs refers to, or none.
func (h *ttmlHead) voice(refs string) []byte { return h.names[strings.TrimSpace(refs)] }

// hides reports whether one of the styles that refs refers to is of annotations.
func (h *ttmlHead) hides(refs string) bool {
	if len(h.hidden) == 0 {
		return false
	}
	for id := range strings.FieldsSeq(refs) {
		if h.hidden[id] {
			return true
		}
	}
	return false
}

// hide keeps the identifier of a style of annotations.
func (h *ttmlHead) hide(id string) error {
	if h.hidden == nil {
		h.hidden = make(map[string]bool)
	}
	if err := h.grow(len(id)); err != nil {
		return err
	}
	h.hidden[id] = true
	return nil
}

func (h *ttmlHead) beginName(full bool) {
	h.naming, h.full, h.name = h.agent != "", full, nil
}

// chars takes a run of text of a name.
func (h *ttmlHead) chars(b []byte) error {
	if len(h.name)+len(b) >= maxBlock {
		return ErrTooLarge
	}
	h.name = append(h.name, b...)
	return nil
}

// endName keeps the name when it is the first of its agent, or the full one.
func (h *ttmlHead) endName() error {
	if !h.naming {
		return nil
	}
	h.naming = false
	name := bytes.Join(bytes.Fields(h.name), []byte(" "))
	if _, named := h.names[h.agent]; named && !h.full || len(name) == 0 {
		return nil
	}
	if h.names == nil {
		h.names = make(map[string][]byte)
	}
	if err := h.grow(len(h.agent) + len(name)); err != nil {
		return err
	}
	h.names[h.agent] = name
	return nil
}

// grow bounds what is kept, of which an entry costs more than its text.
func (h *ttmlHead) grow(n int) error {
	const entry = 64
	h.size += entry + n
	if h.size >= maxBlock {
		return ErrTooLarge
	}
	return nil
}
