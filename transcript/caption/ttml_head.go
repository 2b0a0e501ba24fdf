package caption

import (
	"bytes"
	"strings"
)

// ttmlHead is what the head of a TTML file tells about its cues: the names of the
// agents, and the looks of styles and regions that hide text or belong to ruby, by
// their identifiers.
type ttmlHead struct {
	names map[string][]byte // of the agents that are declared; nil without a name
	looks map[string]look
	size  int // of both

	region string // that is open
	agent  string // that is open
	naming bool   // its name is open, too
	full   bool   // and is the one to prefer
	name   []byte
}

// voice returns the name of the one agent that refs refers to, or none. An agent
// that is not declared is called by its identifier.
func (h *ttmlHead) voice(refs string) []byte {
	id := strings.TrimSpace(refs)
	name, declared := h.names[id]
	if !declared && id != "" && !strings.ContainsAny(id, " \t\r\n") {
		return cutName([]byte(id))
	}
	return name
}

// look returns how an element with the attributes is shown: by its own attributes, by
// its styles, and by its region. The last style is the strongest style.
func (h *ttmlHead) look(own *attributes) look {
	k := own.looks
	if len(h.looks) == 0 || own.style == "" && own.region == "" {
		return k
	}
	var styles look
	for id := range strings.FieldsSeq(own.style) {
		styles = h.looks[id].over(styles)
	}
	k = k.over(styles)
	region := h.looks[own.region]
	region.ruby = 0
	return k.over(region)
}

// start opens an element of the head.
func (h *ttmlHead) start(name string, own *attributes) error {
	switch name {
	case "style":
		id := own.id
		if id == "" {
			id = h.region // it is the region's own
		}
		return h.keep(id, h.look(own))
	case "region":
		h.region = own.id
		return h.keep(own.id, h.look(own))
	case "set", "animate":
		if k, ok := h.looks[h.region]; ok && h.region != "" {
			k.shownBy(&own.looks)
			h.looks[h.region] = k
		}
	case "agent":
		h.agent = own.id
		return h.keepName(nil)
	case "name":
		h.naming, h.full, h.name = h.agent != "", own.kind == "full", nil
	}
	return nil
}

// end closes an element.
func (h *ttmlHead) end(name string) error {
	switch name {
	case "region":
		h.region = ""
	case "agent":
		h.agent = ""
	case "name":
		return h.endName()
	}
	return nil
}

// keep keeps the look of a style or a region, if it says anything.
func (h *ttmlHead) keep(id string, k look) error {
	if id == "" || k == (look{}) {
		return nil
	}
	if h.looks == nil {
		h.looks = make(map[string]look)
	}
	if err := h.grow(len(id)); err != nil {
		return err
	}
	h.looks[id] = k.over(h.looks[id])
	return nil
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
	if h.names[h.agent] != nil && !h.full || len(name) == 0 {
		return nil
	}
	return h.keepName(name)
}

// keepName declares the open agent, with a name or without.
func (h *ttmlHead) keepName(name []byte) error {
	if h.agent == "" || name == nil && h.names[h.agent] != nil {
		return nil
	}
	if h.names == nil {
		h.names = make(map[string][]byte)
	}
	if err := h.grow(len(h.agent) + len(name)); err != nil {
		return err
	}
	h.names[h.agent] = cutName(name)
	return nil
}

// grow bounds the size of the head. An entry costs more than its text.
func (h *ttmlHead) grow(n int) error {
	const entry = 64
	h.size += entry + n
	if h.size >= maxBlock {
		return ErrTooLarge
	}
	return nil
}
