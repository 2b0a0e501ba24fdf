package main

import "regexp"

// A Rule is a habit that makes a sentence hard to read, and how often the project
// allows it.
type Rule struct {
	Name string
	Goal float64 // the most hits in 1,000 sentences
	hits *regexp.Regexp
	min  int // the matches from which a sentence breaks the rule
}

// Breaks reports whether a sentence breaks the rule.
func (r Rule) Breaks(sentence string) bool {
	return len(r.hits.FindAllStringIndex(sentence, r.min)) >= r.min
}

// Rules are all rules, in the order of a report.
var Rules = []Rule{clauseFirst, pronouns, riddles}

// clauseFirst matches a sentence that begins with a clause for a noun, as in "What
// cannot be read is left out". The rule allows questions. The rule also allows a label
// after a field, because a label begins in lower case.
var clauseFirst = Rule{Name: "clause first", Goal: 3, min: 1, hits: regexp.MustCompile(
	`^(?:Who|Whoever|Whom|Whose|What|Whatever|Which|Whichever|Where|Wherever|How|Whether` +
		`|Those (?:who|that|which)|That (?:which|what|a|an|the|it|there|no))\b[^?]*[^?]$`)}

// pronouns match words that point at a noun. The reader must find the noun first.
var pronouns = Rule{Name: "five pronouns", Goal: 6, min: 5, hits: regexp.MustCompile(
	`(?i)\b(?:it|its|itself|that|those|one|ones|which|what|whatever|who|whom|whose|whoever|they|them|their)\b`)}

// riddles match words that a native reader does not expect in technical prose.
var riddles = Rule{Name: "riddle words", Goal: 6, min: 1, hits: regexp.MustCompile(
	`(?i)\b(?:in the place of|but for|but one|all but|nothing but|besides?|whom|whoever|whatever|wherever` +
		`|nobody|nowhere|anew|none of which|of which|thereof|lest|of (?:its|their) own accord` +
		`|hence|likewise|alike|of old|over and over|in vain)\b`)}
