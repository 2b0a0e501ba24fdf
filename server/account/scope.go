package account

import (
	"fmt"
	"slices"
)

// Scope is a permission of a key.
type Scope string

// The permissions.
const (
	Transcripts Scope = "transcripts" // transcripts, their jobs and event streams, captions
	Batches     Scope = "batches"     // batches: lists of links, playlists and channels
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{Transcripts, Batches} }

// scopesOf converts stored scopes.
func scopesOf(stored []string) []Scope {
	scopes := make([]Scope, len(stored))
	for i, s := range stored {
		scopes[i] = Scope(s)
	}
	return scopes
}

// checkScopes returns the scopes in their stored form, without repetitions.
func checkScopes(scopes []Scope) ([]string, error) {
	if len(scopes) == 0 {
		return nil, fmt.Errorf("account: a key needs at least one scope of %v", Scopes())
	}
	var stored []string
	for _, s := range scopes {
		if !slices.Contains(Scopes(), s) {
			return nil, fmt.Errorf("account: there is no scope %q, only %v", s, Scopes())
		}
		if !slices.Contains(stored, string(s)) {
			stored = append(stored, string(s))
		}
	}
	return stored, nil
}
