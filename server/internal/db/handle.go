package db

// Handle is what a public store.Store holds: only the packages of this module
// reach the database behind it, by [Of].
type Handle struct{ store *Store }

// HandleOf makes the handle of an open database.
func HandleOf(s *Store) Handle { return Handle{store: s} }

func (h Handle) opened() *Store { return h.store }

// Of returns the database behind a public store.
func Of(s interface{ opened() *Store }) *Store { return s.opened() }
