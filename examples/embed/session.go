package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"sync"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
)

const cookieName = "session"

// sessions recognizes the site's visitors by a cookie. Authenticate passes this on to the
// transcript handlers.
type sessions struct {
	passwords map[string]string // by user
	mu        sync.Mutex
	users     map[string]string // by cookie
}

func newSessions(passwords map[string]string) *sessions {
	return &sessions{passwords: passwords, users: map[string]string{}}
}

// login gives a cookie to a visitor with the right password.
func (s *sessions) login(w http.ResponseWriter, r *http.Request) {
	user := r.PostFormValue("user")
	password, known := s.passwords[user]
	if subtle.ConstantTimeCompare([]byte(password), []byte(r.PostFormValue("password"))) != 1 || !known {
		http.Error(w, "wrong user or password", http.StatusForbidden)
		return
	}
	id := rand.Text()
	s.mu.Lock()
	s.users[id] = user
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	w.WriteHeader(http.StatusNoContent)
}

// Authenticate tells the server who makes a request. The site decides about permissions: here,
// everything that its own plan includes.
func (s *sessions) Authenticate(_ context.Context, r *http.Request) (account.Principal, error) {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return account.Principal{}, server.ErrNoCredential
	}
	s.mu.Lock()
	user, known := s.users[cookie.Value]
	s.mu.Unlock()
	if !known {
		return account.Principal{}, server.ErrInvalidCredential
	}
	return account.Principal{
		Account: user,
		Scopes:  []account.Scope{account.Transcripts},
		Plan:    visitor(),
	}, nil
}

// visitor returns the plan of a visitor.
func visitor() account.Plan {
	plan := account.DefaultPlans().ByName["self_hosted"]
	plan.Name = "visitor"
	plan.MaxUploadBytes, plan.EventStreams = 64<<20, 5
	return plan
}
