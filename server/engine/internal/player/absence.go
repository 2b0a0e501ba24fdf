package player

// Absence has everything that evidence of the kind E must meet to prove that a content has no
// captions. Each source of captions has such a table. A content without the proof is not known to
// lack captions.
type Absence[E any] []Requirement[E]

// Requirement is a row of a table.
type Requirement[E any] struct {
	Name string // for people, as a statement that holds if the requirement is met
	// Missing returns why the evidence does not meet the requirement, or nil if the evidence
	// does.
	Missing func(E) error
}

// Prove returns nil if the evidence meets all requirements, otherwise the error of the first
// requirement that the evidence does not meet.
func (t Absence[E]) Prove(evidence E) error {
	for _, r := range t {
		if err := r.Missing(evidence); err != nil {
			return err
		}
	}
	return nil
}
