package apitest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// see records that an operation was answered with a status.
func (d *Document) see(op place, status int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen[op.pointer+"/responses/"+strconv.Itoa(status)] = true
}

// Unseen names the documented answers that no Transport of the document has seen, each by
// operation and status: "getJob 404".
func (d *Document) Unseen() (unseen []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	paths, _ := d.at(place{d.root, ""}, "paths") // Parse has found it
	for pattern := range paths.node {
		item, _ := d.at(paths, pattern)
		for method := range item.node {
			op, _ := d.at(item, method)
			answers, ok := d.at(op, "responses")
			if !ok {
				continue // a member other than a method
			}
			name, ok := op.node["operationId"].(string)
			if !ok {
				name = strings.ToUpper(method) + " " + pattern
			}
			for status := range answers.node {
				if !d.seen[op.pointer+"/responses/"+status] {
					unseen = append(unseen, fmt.Sprintf("%s %s", name, status))
				}
			}
		}
	}
	slices.Sort(unseen)
	return unseen
}
