package resource

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Operation describes the work that an account asks for.
type Operation struct {
	ID          string              // the operationId of the route
	Platform    transcript.Platform // of the content, or of the playlist or channel of a batch; empty means a list of links
	ExternalID  string              // on that platform; of an upload from its bytes
	Items       int                 // how many links a batch has; 0 means no batch, or not known yet
	UploadBytes int64               // the size of the file; 0 means that it is a link
}

// Admit decides about work that a plan permits. The error of Admit is the answer.
type Admit func(context.Context, account.Principal, Operation) error

// admitPatience is how long Config.Admit may take.
const admitPatience = 30 * time.Second

// Of calls Admit for one request; nil means that the plan decides.
func (a Admit) Of(p account.Principal, op Operation) func(context.Context) error {
	if a == nil {
		return nil
	}
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, admitPatience)
		defer cancel()
		err := a(ctx, p, op)
		if coded, ok := errors.AsType[*transcript.Error](err); ok && coded == nil {
			return errors.New("server: Config.Admit returned a nil *transcript.Error as its error: return a bare nil")
		}
		if err != nil {
			return fmt.Errorf("server: Config.Admit: %w", err)
		}
		return nil
	}
}
