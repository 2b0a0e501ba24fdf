package whisper

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// model is the content of a ggml model file's head.
type model struct {
	path    string // absolute
	name    string // "base.en"
	english bool   // for English only
	layers  int32  // of its encoder; the number tells the size
	size    int64  // of the file, bytes
}

const (
	ggmlMagic = 0x67676d6c
	// onlyEnglish is the vocabulary of a Whisper model for English, and multilingual the smallest
	// vocabulary of a Whisper model for many languages.
	onlyEnglish  = 51864
	multilingual = 51865
)

// head is the beginning of a model file, in little endian.
type head struct {
	Magic                                         uint32
	Vocabulary                                    int32
	AudioContext, AudioState, AudioHeads, Encoder int32
}

// readModel reads the head of the Whisper model at path. Its error is a CONFIG_ERROR.
func readModel(path string) (model, error) {
	h, size, err := readHead(path)
	if err == nil && h.Vocabulary < onlyEnglish {
		err = errors.New("it is no model of Whisper")
	}
	if err != nil {
		return model{}, noModel(cliName, path, err)
	}
	return h.model(path, size, multilingual), nil
}

// model describes the model of a head. A model with a smaller vocabulary than multilingual is
// for English only.
func (h head) model(path string, size int64, multilingual int32) model {
	name := strings.TrimSuffix(filepath.Base(path), ".bin")
	return model{
		path:    path,
		name:    strings.TrimPrefix(name, "ggml-"),
		english: h.Vocabulary < multilingual,
		layers:  h.Encoder,
		size:    size,
	}
}

func readHead(path string) (h head, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return head{}, 0, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if err := binary.Read(f, binary.LittleEndian, &h); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return head{}, 0, errors.New("it is cut off")
	} else if err != nil {
		return head{}, 0, err
	}
	if h.Magic != ggmlMagic {
		return head{}, 0, errors.New("it is no ggml model")
	}
	st, err := f.Stat()
	if err != nil {
		return head{}, 0, err
	}
	return h, st.Size(), nil
}

func noModel(engine, path string, err error) *transcript.Error {
	return transcript.Errorf(transcript.ConfigError,
		"The model %s cannot be used by %s: get one that is whole, such as ggml-small.bin for whisper-cli, by the service's own command or from whisper.cpp.",
		filepath.Base(path), engine).
		With("engine", engine).Because(fmt.Errorf("whisper: model: %w", err))
}

// quality is a note on the size of the model.
func (m model) quality() string {
	switch m.layers {
	case 4:
		return "tiny: fast, and often wrong"
	case 6:
		return "base: good for clear speech"
	case 12:
		return "small: good"
	case 24:
		return "medium: very good, and slow without a graphics processor"
	case 32:
		return "large: the best, and slow without a graphics processor"
	}
	return ""
}

// languages returns the language tags that a caller can ask for.
func (m model) languages() []string {
	if m.english {
		return []string{"en"}
	}
	return whispermodel.Tags()
}
