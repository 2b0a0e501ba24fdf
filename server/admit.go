package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Operation is what an account asks for, for Config.Admit.
type Operation struct {
	// ID is the operationId of the route in the OpenAPI document: "createTranscript" or
	// "createBatch", which is asked once and not for each item.
	ID string
	// Platform and ExternalID are the content, as in the transcript to come; the id of
	// an upload comes from its bytes. Of a batch they are its playlist or channel, and
	// empty for a list of links.
	Platform   transcript.Platform
	ExternalID string
	// Items is how many links a batch is made from, with those that are there twice; 0:
	// it is no batch, or what its list holds is not known yet.
	Items int
	// UploadBytes is the size of the file; 0: it is a link.
	UploadBytes int64
}

// admitPatience is how long Config.Admit may take.
const admitPatience = 30 * time.Second

// admitting is Config.Admit for one request; nil where there is none.
func (s *Server) admitting(p account.Principal, op Operation) func(context.Context) error {
	if s.cfg.Admit == nil {
		return nil
	}
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, admitPatience)
		defer cancel()
		err := s.cfg.Admit(ctx, p, op)
		if coded, ok := errors.AsType[*transcript.Error](err); ok && coded == nil {
			return errors.New("server: Config.Admit returned a nil *transcript.Error as its error: return a bare nil")
		}
		if err != nil {
			return fmt.Errorf("server: Config.Admit: %w", err)
		}
		return nil
	}
}
