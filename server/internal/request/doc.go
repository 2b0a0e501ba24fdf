// Package request reads and describes requests by one table of their fields.
//
// A [Table] lists the fields of a request. A field has a name, a kind of value with
// bounds, a default, and the variable for its value. All code that needs to know the
// fields uses this list: the reader of a JSON body ([Table.ReadJSON]), of a multipart
// form ([Table.NewForm]) and of a query, a path or headers ([Table.ReadQuery] and the
// like), the canonical form for comparing two requests ([Table.Canonical]), and the
// OpenAPI document ([Table.Schema], [Table.Parameters]). A new field is one new line
// of a table, as the example shows.
//
// As in package flag, a table is bound to the variables of one request: make a table
// for each request. Each error is an INVALID_REQUEST that names all faults of the
// request, up to 20.
package request
