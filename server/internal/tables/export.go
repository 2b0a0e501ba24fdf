package tables

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Export says which parts of a row the export of its account contains. The zero value is the whole
// row, in the order of Table.Key.
type Export struct {
	Order []string // columns that no two rows of an account have in common; nil means Table.Key
	// Join names another table with more columns of the row, and More are these columns.
	Join, More string
	Omit       []string // secrets, and columns that only the service understands
	Bool       []string // columns of true and false, which SQLite keeps as numbers
	JSON       []string // columns of JSON
	// Open converts a row that is stored in a special form; nil means that no column is.
	Open func(ctx context.Context, from bun.IDB, row map[string]any) error
}

// rowsAtOnce is how many rows of a table are in memory.
const rowsAtOnce = 200

// Rows calls each for the rows of an account that its export has. Members have the names of the
// columns. Columns of JSON are JSON, and columns without a value are nil.
func (t Table) Rows(ctx context.Context, from bun.IDB, account string, each func(row map[string]any) error) error {
	order := t.Export.Order
	if order == nil {
		order = t.Key
	}
	var last []any
	for {
		var rows []map[string]any
		if err := t.rowsAfter(from, account, order, last).Scan(ctx, &rows); err != nil {
			return sqldb.Wrap(t.Name+" of "+account, err)
		}
		for _, row := range rows {
			last = nil
			last = last[:0]
			for _, column := range order {
				last = append(last, row[column])
			}
			if t.Export.Open != nil {
				if err := t.Export.Open(ctx, from, row); err != nil {
					return sqldb.Wrap(t.Name+" of "+account, err)
				}
			}
			t.Export.shape(row)
			if err := each(row); err != nil {
				return err
			}
		}
		if len(rows) < rowsAtOnce {
			return nil
		}
		last = slices.Clone(last)
	}
}

// rowsAfter returns the rows after the row whose order columns are last; nil means the
// first rows.
func (t Table) rowsAfter(from bun.IDB, account string, order []string, last []any) *bun.RawQuery {
	columns := "t." + strings.Join(order, ", t.")
	args := []any{account, bun.Safe(columns), rowsAtOnce}
	after := ""
	if last != nil {
		after = " AND (?1) > (?3)"
		args = append(args, bun.List(last))
	}
	return from.NewRaw("SELECT t.*"+t.Export.More+" FROM "+t.Name+" AS t"+t.Export.Join+" WHERE "+t.Owner+after+" ORDER BY ?1 LIMIT ?2", args...)
}

// shape converts a row for JSON.
func (e *Export) shape(row map[string]any) {
	for _, column := range e.Omit {
		delete(row, column)
	}
	for _, column := range e.Bool {
		if n, ok := row[column].(int64); ok {
			row[column] = n != 0
		}
	}
	for _, column := range e.JSON {
		switch value := row[column].(type) {
		case string:
			row[column] = document(value)
		case []byte:
			row[column] = document(string(value))
		}
	}
}

// document is a value of a column of JSON; nil means that the column is empty.
func document(text string) any {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}
