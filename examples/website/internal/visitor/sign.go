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

// The errors of signing in, signing up, and changing a password.
var (
	// ErrWrong: the name or the password is wrong. It does not tell which.
	ErrWrong = errors.New("the name or the password is wrong")
	// ErrSuspended: the password is right, but the account is suspended.
	ErrSuspended = errors.New("this account is suspended")
	// ErrName: the name is invalid.
	ErrName = errors.New("a name is 1 to 64 letters, digits and . _ @ + - that begin with a letter or digit")
	// ErrTaken: another user, or an account of the service, has the name.
	ErrTaken = errors.New("the name is taken")
	// ErrPassword: the password is invalid.
	ErrPassword = errPassword
	// ErrClosed: strangers cannot make accounts here, or there is no sign-in.
	ErrClosed = errors.New("only the operator of this website makes accounts")
	// ErrLastAdmin: the user is the only administrator.
	ErrLastAdmin = errors.New("the user is the only administrator")
)

// TooManyError reports too many tries.
type TooManyError struct{ Wait time.Duration }

// Error implements error.
func (e *TooManyError) Error() string { return "too many tries" }

const (
	// triesPeriod is the period in which wrong sign-ins are counted. There are separate bounds
	// for one name from one address, for all names from an address and from its wider network,
	// and for one name from all strangers. A known browser or network of a user has
	// triesOfNameThere of its own.
	triesPeriod      = 15 * time.Minute
	triesOfNameThere = 10
	triesAtAddress   = 30
	triesInNetwork   = 60
	triesOfNameInAll = 100
	// newPeriod is the period in which new accounts are counted: from one address, such as a
	// school's, from its wider network, and in all.
	newPeriod    = time.Hour
	newAtAddress = 30
	newInNetwork = 40
	newInAll     = 400
	// lineWait is when to come again after the queue for password checks was full.
	lineWait = 2 * time.Second
)

var nameGrammar = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$`)

// OpenToAll reports whether strangers may make accounts.
func (v *Visitors) OpenToAll() bool { return v.o.SignUp && !v.o.SingleUser }

// SignIn signs a user in with a password. The answer to r gets the cookie of a new session,
// which replaces an earlier one. The errors are ErrWrong, ErrSuspended, ErrClosed and a
// *TooManyError.
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
	if errors.Is(err, account.ErrNotFound) {
		acc, err = v.makeAccount(ctx, u.Name)
	}
	switch {
	case errors.Is(err, errNoUser):
		return ErrWrong
	case err != nil:
		return unavailable(err)
	case acc.Suspended:
		return ErrSuspended
	}
	return v.begin(w, r, u)
}

// makeAccount makes the account of a user whose AddUser was interrupted. The error is errNoUser if
// the user has been removed, with the account, while the password was checked.
func (v *Visitors) makeAccount(ctx context.Context, name string) (account.Account, error) {
	if _, err := v.db.user(ctx, name); err != nil {
		return account.Account{}, err
	}
	return v.o.Accounts.Set(ctx, name, account.Settings{})
}

// recognize returns the user with a name and a password. Each try counts until one is right.
func (v *Visitors) recognize(ctx context.Context, name, password string) (user, error) {
	if !nameGrammar.MatchString(name) {
		name = "" // no user has it; the try counts and takes as long anyway
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
		password = "" // no user has it
	}
	right, cheap, err := v.passwords.check(ctx, familiar, u.Password, password)
	switch {
	case errors.Is(err, errLine):
		if err := v.db.giveBack(ctx, tries); err != nil { // the password was not checked
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

// takeTry counts a try to sign in as a user. Tries from a browser or a network in which the
// user has signed in before are counted separately, so that strangers cannot use up the user's
// tries. When these are used up, and elsewhere, the try counts as a stranger's. A name without
// a user is treated like any other.
func (v *Visitors) takeTry(ctx context.Context, folded string) (tries *taking, familiar bool, err error) {
	a, until := askingOf(ctx), periodEnd(v.o.Now(), triesPeriod)
	marks, err := v.db.knownAs(ctx, folded, v.marks(a), v.o.Now())
	if err != nil {
		return nil, false, unavailable(err)
	}
	as := signInAs(folded)
	if who := From(ctx); who.Name != "" && fold(who.Name) == folded { // a user who changes the password
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

// rehash replaces the stored hash of a password by a more expensive one.
func (v *Visitors) rehash(ctx context.Context, u user, password string) {
	hash, err := v.passwords.hash(ctx, true, password)
	if err == nil {
		err = v.db.keepPassword(ctx, u, hash)
	}
	if err != nil { // the next sign-in tries again
		v.o.Log.WarnContext(ctx, "a password keeps its cheap hash", "err", err)
	}
}

// tooMany converts an error of take for the visitor; nil for nil.
func (v *Visitors) tooMany(err error, until time.Time) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errLimit):
		return &TooManyError{max(until.Sub(v.o.Now()), time.Second)}
	}
	return unavailable(err)
}

// SignUp makes an account and signs its user in. If the same user signs up again with the same
// password, because a form was sent twice or the first attempt failed halfway, SignUp signs the
// user in. The errors are ErrClosed, ErrName, ErrTaken, ErrPassword, ErrSuspended and a
// *TooManyError.
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

// addStranger is AddUser, except that an existing account counts as taken: it belongs to
// another person, who may have only keys.
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

// begin gives the answer to r a new session, which replaces the old one. From then on the user is
// the visitor who makes r.
func (v *Visitors) begin(w http.ResponseWriter, r *http.Request, u user) error {
	ctx, err := v.sessions.Load(r.Context(), askingOf(r.Context()).session)
	if err == nil {
		err = v.sessions.RenewToken(ctx)
	}
	if err != nil {
		return unavailable(err)
	}
	token, hand, err := v.keepSession(ctx, u.Folded, u.Sessions)
	if err != nil {
		return unavailable(err)
	}
	device, err := v.remember(r.Context(), u.Folded)
	if err != nil {
		return unavailable(err)
	}
	hand(w)
	http.SetCookie(w, device)
	askingOf(r.Context()).signedIn(u, token)
	return nil
}

// signedIn makes the user of a new session the visitor.
func (a *asking) signedIn(u user, session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.session, a.visitor, a.found = session, visitorOf(u), time.Now()
}

// keepSession stores the session in ctx for a user; hand adds its cookie to an answer.
func (v *Visitors) keepSession(ctx context.Context, folded, sessions string) (token string, hand func(http.ResponseWriter), err error) {
	v.sessions.Put(ctx, userKey, folded)
	v.sessions.Put(ctx, sessionsKey, sessions)
	token, expiry, err := v.sessions.Commit(ctx)
	return token, func(w http.ResponseWriter) { v.sessions.WriteSessionCookie(ctx, w, token, expiry) }, err
}

// SignOut ends the session of the request.
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

// SignOutElsewhere ends all sessions of the user except that of the request.
func (v *Visitors) SignOutElsewhere(w http.ResponseWriter, r *http.Request) error {
	return v.change(w, r, "")
}

// RemoveSelf removes the user of the request, as RemoveUser does, if the password is right. The
// errors are ErrWrong, ErrClosed, ErrLastAdmin and a *TooManyError.
func (v *Visitors) RemoveSelf(w http.ResponseWriter, r *http.Request, present string) error {
	if v.o.SingleUser {
		return ErrClosed
	}
	own := From(r.Context()).Name
	if _, err := v.recognize(r.Context(), own, present); err != nil {
		return err
	}
	switch last, err := v.Admins.IsLast(r.Context(), own); {
	case err != nil:
		return unavailable(err)
	case last:
		return ErrLastAdmin
	}
	if err := v.RemoveUser(context.WithoutCancel(r.Context()), own); err != nil && !errors.Is(err, errNoUser) { // another request was faster
		return unavailable(err)
	}
	http.SetCookie(w, &http.Cookie{Name: v.sessions.Cookie.Name, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: v.o.HTTPS})
	return nil
}

// ChangePassword changes the user's password, and ends the user's other sessions. The errors
// are ErrWrong for the present password, ErrPassword and a *TooManyError.
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
	// The password is changed even if the browsers cannot be forgotten: they only have more
	// tries.
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

// change ends all sessions of the user except a new one, and changes the password if hash is
// not empty. It stores the new session first, which is invalid until the user is changed. If a
// step fails, the user still has the old password and the old session.
func (v *Visitors) change(w http.ResponseWriter, r *http.Request, hash string) error {
	name, sessions := From(r.Context()).Name, rand.Text()
	ctx, err := v.sessions.Load(r.Context(), "")
	if err != nil {
		return unavailable(err)
	}
	_, hand, err := v.keepSession(ctx, fold(name), sessions)
	if err == nil {
		err = v.db.setPassword(ctx, name, hash, sessions)
	}
	if err != nil {
		return unavailable(err)
	}
	hand(w)
	return nil
}
