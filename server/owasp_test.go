package server_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The page has each risk of the list, in its order, and names for each what holds it, by
// tests that there are.
func TestOWASP(t *testing.T) {
	t.Parallel()
	tests := testFiles{}
	var risks []string
	for _, p := range readPromises(t, "OWASP.md") {
		number := regexp.MustCompile(`^API\d+:2023 `).FindString(p.section)
		assert.NotEmpty(t, number, p.section)
		if !slices.Contains(risks, number) {
			risks = append(risks, number)
		}
		p.isHeld(t, tests)
	}
	assert.Equal(t, []string{
		"API1:2023 ", "API2:2023 ", "API3:2023 ", "API4:2023 ", "API5:2023 ",
		"API6:2023 ", "API7:2023 ", "API8:2023 ", "API9:2023 ", "API10:2023 ",
	}, risks)
}
