// Package absence holds the form of the tables that say what proves that a content has no
// captions. Each source of captions has one such table. A content without such a proof
// is not known to lack captions.
package absence

// Table is everything that evidence of the kind E must meet to prove that there are no captions.
type Table[E any] []Requirement[E]

// Requirement is a row of a table.
type Requirement[E any] struct {
	Name string // for people, as a statement that holds if the requirement is met
	// Missing returns why the evidence does not meet the requirement; nil: the evidence does.
	Missing func(E) error
}

// Prove returns nil if the evidence meets all requirements, otherwise the error of the first
// requirement that the evidence does not meet.
func (t Table[E]) Prove(evidence E) error {
	for _, r := range t {
		if err := r.Missing(evidence); err != nil {
			return err
		}
	}
	return nil
}
