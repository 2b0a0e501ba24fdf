package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
)

// plansGuide is the guide that lists what a plan holds.
func plansGuide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/guides/accounts.md")
	require.NoError(t, err)
	return string(text)
}

// planMembers are the rows of the guide's table of what a plan holds, by member.
func planMembers(t *testing.T) map[string][]string {
	t.Helper()
	_, table, found := strings.Cut(plansGuide(t), "| Member of a plan |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	members := map[string][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if name := strings.Trim(cells[0], "`"); name != cells[0] {
			members[name] = cells
		}
	}
	return members
}

// planWith reads a plans file whose only plan has a member, and no rate window.
func planWith(member string, value any) (account.Plan, error) {
	plan := map[string]any{"rateLimit": nil, member: value}
	text, err := json.Marshal(map[string]any{"defaultPlan": "p", "plans": map[string]any{"p": plan}})
	if err != nil {
		return account.Plan{}, err
	}
	plans, err := account.ReadPlans(strings.NewReader(string(text)))
	return plans.ByName["p"], err
}

// The guide lists every member of a plan and no other, with its bounds and what it is if it is missing.
func TestPlansInTheGuide(t *testing.T) {
	t.Parallel()
	members := planMembers(t)
	assert.Len(t, members, reflect.TypeFor[account.Plan]().NumField()-2, "every member but Name, and SharedTurn, which no plans file has")
	missing, err := planWith("rateLimit", nil)
	require.NoError(t, err)
	bounds := regexp.MustCompile(`(\d+)–(\d+)$`)
	for name, row := range members {
		at := func(value any) (account.Plan, error) { return planWith(name, value) }
		var def any
		switch interval := bounds.FindStringSubmatch(row[1]); {
		case interval != nil:
			least, _ := strconv.Atoi(interval[1])
			most, _ := strconv.Atoi(interval[2])
			for _, good := range []int{least, most} {
				_, err := at(good)
				assert.NoError(t, err, name)
			}
			for _, bad := range []int{least - 1, most + 1} {
				_, err := at(bad)
				assert.ErrorContains(t, err, fmt.Sprintf("plans.p.%s is %d", name, bad))
			}
			def, _ = strconv.Atoi(row[2])
		case row[2] == "`false`":
			_, err := at(true)
			assert.NoError(t, err, name)
			def = false
		default: // the rest is in words
			_, err := at(5)
			assert.ErrorContains(t, err, "plans.p."+name+" must be")
			continue
		}
		same, err := at(def)
		require.NoError(t, err, name)
		if name == "periodAnchorDay" {
			same.PeriodAnchorDay = 0 // which is the first too
		}
		assert.Equal(t, missing, same, "what is missing is %v: %s", def, name)
	}
	_, example, found := strings.Cut(plansGuide(t), "```json\n")
	require.True(t, found)
	example, _, _ = strings.Cut(example, "```")
	_, err = account.ReadPlans(strings.NewReader(example))
	assert.NoError(t, err)
}
