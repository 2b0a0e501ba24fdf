package dbtest

import (
	"bytes"
	"encoding/binary"
	"sync"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
)

// relay is one connection to PostgreSQL whose statements may fail. relay knows four facts of
// the protocol: a message is a letter, a length and a body; Q is a statement; a sequence of
// messages up to an S is also a statement if it contains an E, and otherwise only prepares a
// statement; and the server answers each of them with a Z.
type relay struct {
	faults   *Faults
	prepared map[string]string // by the client's names

	held      []byte // messages of a statement that is not complete
	statement string
	executes  bool // an E or a Q is among these messages

	mu   sync.Mutex
	lost bool // the next answer
}

var _ storetest.Relay = (*relay)(nil)

// noRoom replaces a statement that the server should refuse.
var noRoom = message('Q', []byte("DO $$BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END$$\x00"))

func message(kind byte, body []byte) []byte {
	m := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4))
	return append(m, body...)
}

// Ask takes a message of the client and returns the bytes for the server; ok is false if
// the connection ends.
func (r *relay) Ask(kind byte, body []byte) (send []byte, ok bool) {
	r.held = append(r.held, message(kind, body)...)
	switch kind {
	case 'P': // a name, a statement
		name, rest, _ := bytes.Cut(body, []byte{0})
		text, _, _ := bytes.Cut(rest, []byte{0})
		r.statement, r.prepared[string(name)] = string(text), string(text)
	case 'B': // a portal, the name of a statement
		_, rest, _ := bytes.Cut(body, []byte{0})
		name, _, _ := bytes.Cut(rest, []byte{0})
		r.statement = r.prepared[string(name)]
	case 'E':
		r.executes = true
	case 'Q':
		r.executes = true
		r.statement = string(bytes.TrimRight(body, "\x00"))
	}
	if kind != 'Q' && kind != 'S' && kind != 'X' && kind != 'p' {
		return nil, true
	}
	send, statement, executes := r.held, r.statement, r.executes
	r.held, r.statement, r.executes = nil, "", false
	if !executes {
		return send, true
	}
	switch r.faults.next(statement) {
	case Refused:
		return noRoom, true
	case Cut:
		return nil, false
	case Lost:
		r.mu.Lock()
		r.lost = true
		r.mu.Unlock()
	case NoFault:
	}
	return send, true
}

// Answer takes a message of the server, and returns the bytes for the client.
func (r *relay) Answer(kind byte, body []byte) (send []byte, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost {
		return nil, kind != 'Z' // only then has the server executed it
	}
	return message(kind, body), true
}
