package visitor

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"regexp"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
)

// Why somebody is not signed in, signed up, or given another password.
var (
	// ErrWrong: the name or the password is wrong. Which of them nobody is told.
	ErrWrong = errors.New("the name or the password is wrong")
	// ErrSuspended: the password is right, but the account is suspended.
	ErrSuspended = errors.New("this account is suspended")
	// ErrName: nobody can have such a name.
	ErrName = errors.New("a name is 1 to 64 letters, digits and . _ @ + - that begin with a letter or digit")
	// ErrTaken: somebody else has the name, as a user or as an account of the service.
	ErrTaken = errors.New("the name is taken")
	// ErrPassword: nobody may have such a password.
	ErrPassword = errPassword
	// ErrClosed: strangers make no accounts here, or nobody signs in.
	ErrClosed = errors.New("whoever runs this website makes its accounts")
)

// TooManyError says that something was tried too often.
type TooManyError struct{ Wait time.Duration }

// Error implements error.
func (e *TooManyError) Error() string { return "too many tries" }

const (
	// triesPeriod is the time in which wrong tries to sign in are counted: of one name from
	// one address, of anybody from there and from its wider network, and of the name by
	// strangers in all. A known browser or network of a user has triesOfNameThere of its own.
	triesPeriod      = 15 * time.Minute
	triesOfNameThere = 10
	triesAtAddress   = 30
	triesInNetwork   = 60
	triesOfNameInAll = 100
	// newPeriod is the time in which accounts are counted: how many may be made from one
	// address, such as that of a school, from its wider network, and in all.
	newPeriod    = time.Hour
	newAtAddress = 30
	newInNetwork = 40
	newInAll     = 400
	// lineWait is when to come again where the line to check passwords is full.
	lineWait = 2 * time.Second
)

var nameGrammar = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$`)

// OpenToAll reports whether strangers may make accounts.
func (v *Visitors) OpenToAll() bool { return v.o.SignUp && !v.o.SingleUser }

// SignIn lets a user in who knows their password: the answer to r gets the cookie of a new
// session, whatever session it had before. The errors are ErrWrong, ErrSuspended,
// ErrClosed and a *TooManyError.
func (v *Visitors) SignIn(w http.ResponseWriter, r *http.Request, name, password string) error {
	if v.o.SingleUser {
		return ErrClosed
	}
	ctx := r.Context()
	u, err := v.recognize(ctx, name, password)
	if err != nil {
		return err
	}
	acc, err := v.o.Accounts.Account(ctx, u.Name)
	if errors.Is(err, account.ErrNotFound) { // AddUser was cut off
		acc, err = v.o.Accounts.Set(ctx, u.Name, account.Settings{})
	}
	switch {
	case err != nil:
		return unavailable(err)
	case acc.Suspended:
		return ErrSuspended
	}
	return v.begin(w, r, u)
}

// recognize returns the user of a name and a password. Each try is counted until one is
// right.
func (v *Visitors) recognize(ctx context.Context, name, password string) (user, error) {
	if !nameGrammar.MatchString(name) {
		name = "" // nobody's; it is counted and takes as long all the same
	}
	tries, familiar, err := v.takeTry(ctx, fold(name))
	if err != nil {
		return user{}, err
	}
	u, err := v.db.user(ctx, name)
	if err != nil && !errors.Is(err, errNoUser) {
		return user{}, unavailable(err)
	}
	if len(password) > maxPassword {
		password = "" // nobody's
	}
	right, cheap, err := v.passwords.check(ctx, familiar, u.Password, password)
	switch {
	case errors.Is(err, errLine):
		if err := v.db.giveBack(ctx, tries); err != nil { // nobody has looked at the password
			return user{}, unavailable(err)
		}
		return user{}, &TooManyError{lineWait}
	case err != nil:
		return user{}, err
	case !right:
		return user{}, ErrWrong
	}
	if err := v.db.giveBack(ctx, tries); err != nil {
		return user{}, unavailable(err)
	}
	if cheap {
		v.rehash(ctx, u, password)
	}
	return u, nil
}

// takeTry counts a try to sign in as a user. Tries from a browser or a network in which
// the user has signed in before are counted by themselves, so that tries of others refuse
// none of them; where these are used up, and elsewhere, the try is one of a stranger.
// A name that nobody has is asked for like any other.
func (v *Visitors) takeTry(ctx context.Context, folded string) (tries *taking, familiar bool, err error) {
	a, until := askingOf(ctx), periodEnd(v.o.Now(), triesPeriod)
	marks, err := v.db.knownAs(ctx, folded, v.marks(a), v.o.Now())
	if err != nil {
		return nil, false, unavailable(err)
	}
	as := "sign-in as " + folded
	if who := From(ctx); who.Name != "" && fold(who.Name) == folded { // who changes their password
		marks = append(marks, v.mark("session", a.session))
	}
	for _, mark := range marks {
		tries, err := v.db.take(ctx, until, nil, limit{as + " known by " + mark, triesOfNameThere})
		if !errors.Is(err, errLimit) {
			return tries, true, v.tooMany(err, until)
		}
	}
	at, in := " at "+network(a.client), " in "+neighborhood(a.client)
	tries, err = v.db.take(ctx, until, nil, limit{as + at, triesOfNameThere}, limit{"sign-in" + at, triesAtAddress},
		limit{"sign-in" + in, triesInNetwork}, limit{as, triesOfNameInAll})
	return tries, false, v.tooMany(err, until)
}

// rehash keeps the hash of a password anew that is dearer than the one there is.
func (v *Visitors) rehash(ctx context.Context, u user, password string) {
	hash, err := v.passwords.hash(ctx, true, password)
	if err == nil {
		err = v.db.keepPassword(ctx, u, hash)
	}
	if err != nil { // the next time they sign in is as good
		v.o.Log.WarnContext(ctx, "a password keeps its cheap hash", "err", err)
	}
}

// tooMany is the error of taking, for who tries; nil for nil.
func (v *Visitors) tooMany(err error, until time.Time) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errLimit):
		return &TooManyError{max(until.Sub(v.o.Now()), time.Second)}
	}
	return unavailable(err)
}

// SignUp makes an account and signs its user in. Who does so again with the same password,
// as by a form that is sent twice or after a failure half-way, is signed in. The errors are
// ErrClosed, ErrName, ErrTaken, ErrPassword, ErrSuspended and a *TooManyError.
func (v *Visitors) SignUp(w http.ResponseWriter, r *http.Request, name, password string) error {
	if !v.OpenToAll() {
		return ErrClosed
	}
	ctx := r.Context()
	if err := errors.Join(checkName(name), checkPassword(password)); err != nil {
		return err
	}
	until, client := periodEnd(v.o.Now(), newPeriod), askingOf(ctx).client
	taken, err := v.db.take(ctx, until, nil, limit{"sign-up at " + network(client), newAtAddress},
		limit{"sign-up in " + neighborhood(client), newInNetwork}, limit{"sign-up", newInAll})
	if err != nil {
		return v.tooMany(err, until)
	}
	u, err := v.addStranger(ctx, name, password)
	switch {
	case errors.Is(err, ErrTaken):
		if err := v.SignIn(w, r, name, password); !errors.Is(err, ErrWrong) {
			return err
		}
		return ErrTaken
	case errors.Is(err, errLine):
		if err := v.db.giveBack(ctx, taken); err != nil {
			return unavailable(err)
		}
		return &TooManyError{lineWait}
	case err != nil:
		return unavailable(err)
	}
	return v.begin(w, r, u.row)
}

// addStranger is AddUser, but an account that is there already is taken: it belongs to
// somebody, who may have but keys.
func (v *Visitors) addStranger(ctx context.Context, name, password string) (Person, error) {
	_, err := v.o.Accounts.Account(ctx, name)
	switch {
	case err == nil:
		return Person{}, ErrTaken
	case !errors.Is(err, account.ErrNotFound):
		return Person{}, err
	}
	return v.AddUser(ctx, name, password)
}

func checkName(name string) error {
	if !nameGrammar.MatchString(name) {
		return ErrName
	}
	return nil
}

// begin gives the answer to r a new session, in the place of the one it had.
func (v *Visitors) begin(w http.ResponseWriter, r *http.Request, u user) error {
	ctx, err := v.sessions.Load(r.Context(), askingOf(r.Context()).session)
	if err == nil {
		err = v.sessions.RenewToken(ctx)
	}
	if err != nil {
		return unavailable(err)
	}
	hand, err := v.keepSession(ctx, u.Folded, u.Sessions)
	if err != nil {
		return unavailable(err)
	}
	device, err := v.remember(r.Context(), u.Folded)
	if err != nil {
		return unavailable(err)
	}
	hand(w)
	http.SetCookie(w, device)
	return nil
}

// keepSession keeps the session in ctx as one of a user; hand gives an answer its cookie.
func (v *Visitors) keepSession(ctx context.Context, folded, sessions string) (hand func(http.ResponseWriter), err error) {
	v.sessions.Put(ctx, userKey, folded)
	v.sessions.Put(ctx, sessionsKey, sessions)
	token, expiry, err := v.sessions.Commit(ctx)
	return func(w http.ResponseWriter) { v.sessions.WriteSessionCookie(ctx, w, token, expiry) }, err
}

// SignOut ends the session of who makes a request.
func (v *Visitors) SignOut(w http.ResponseWriter, r *http.Request) error {
	a := askingOf(r.Context())
	if a.session == "" {
		return nil
	}
	ctx, err := v.sessions.Load(r.Context(), a.session)
	if err == nil {
		err = v.sessions.Destroy(ctx)
	}
	if err != nil {
		return unavailable(err)
	}
	v.sessions.WriteSessionCookie(ctx, w, "", time.Time{})
	return nil
}

// SignOutElsewhere ends all sessions of the user but the one of the request.
func (v *Visitors) SignOutElsewhere(w http.ResponseWriter, r *http.Request) error {
	return v.change(w, r, "")
}

// ChangePassword gives the user another password, and ends their other sessions. The
// errors are ErrWrong, of the present password, ErrPassword and a *TooManyError.
func (v *Visitors) ChangePassword(w http.ResponseWriter, r *http.Request, present, next string) error {
	if v.o.SingleUser {
		return ErrClosed
	}
	if err := checkPassword(next); err != nil {
		return err
	}
	if _, err := v.recognize(r.Context(), From(r.Context()).Name, present); err != nil {
		return err
	}
	hash, err := v.passwords.hash(r.Context(), true, next)
	switch {
	case errors.Is(err, errLine):
		return &TooManyError{lineWait}
	case err != nil:
		return err
	}
	folded := fold(From(r.Context()).Name)
	if err := v.change(w, r, hash); err != nil {
		return err
	}
	// The password is changed whether or not browsers are forgotten: they only try oftener.
	var device *http.Cookie
	if err = v.db.forgetKnown(r.Context(), folded); err == nil {
		device, err = v.remember(r.Context(), folded)
	}
	if err != nil {
		v.o.Log.WarnContext(r.Context(), "browsers that knew the old password are not forgotten", "err", err)
		return nil
	}
	http.SetCookie(w, device)
	return nil
}

// change ends all sessions of the user but a new one, and changes the password where there
// is a hash of another. The session is kept first, and is none until the user is changed:
// when anything fails they have the password and the session that they had.
func (v *Visitors) change(w http.ResponseWriter, r *http.Request, hash string) error {
	name, sessions := From(r.Context()).Name, rand.Text()
	ctx, err := v.sessions.Load(r.Context(), "")
	if err != nil {
		return unavailable(err)
	}
	hand, err := v.keepSession(ctx, fold(name), sessions)
	if err == nil {
		err = v.db.setPassword(ctx, name, hash, sessions)
	}
	if err != nil {
		return unavailable(err)
	}
	hand(w)
	return nil
}
