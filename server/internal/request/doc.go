// Package request reads requests by one table of their fields.
//
// A [Table] lists the fields of a request: the name, what kind of value it has
// within which bounds, the default, and the variable that takes the value.
// Everything that has to know the fields reads that one list: a JSON body
// ([Table.ReadJSON]), a multipart form ([Table.NewForm]), a query, a path and
// headers ([Table.ReadQuery] and the like), the canonical form by which two
// requests are compared ([Table.Canonical]), and the OpenAPI document
// ([Table.Schema], [Table.Parameters]). A new field is one new line
// of a table; the example shows one.
//
// As in package flag, a table is bound to the variables of one request: make one
// for each. The errors are INVALID_REQUEST and name every fault that was found,
// 20 at most.
package request
