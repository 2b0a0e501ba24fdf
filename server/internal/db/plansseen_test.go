package db_test

import (
	"context"
	"database/sql/driver"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// statements keeps each statement that a store sends, and the lines of code that have led
// to a statement. Safe for concurrent use.
type statements struct {
	mu    sync.Mutex
	kept  []statement
	known map[string]bool
	lines map[line]bool
}

// statement is a statement with its arguments. from is the method of the store that sends
// the statement, such as "Library.Page".
type statement struct {
	from, text string
	args       []any
}

type line struct {
	file string // "db/library.go"
	n    int
}

// watch returns the drivers through which to open a store whose statements are kept.
func watch() (*statements, sqldb.Drivers) {
	s := &statements{known: map[string]bool{}, lines: map[line]bool{}}
	return s, sqldb.Drivers{SQLite: func(d driver.Driver) driver.Driver { return seenDriver{d, s} }, Postgres: s}
}

var (
	ourPackage = regexp.MustCompile(`server/internal/(ask|batcher|db|follower|joblist|labels|queue|recordings|retention|shares|tables|textfeed|delivery|wordindex)\.`)
	closure    = regexp.MustCompile(`(\.func\d+|\.\d+|-range\d+)+$`)
	literal    = regexp.MustCompile(`'(?:[^']|'')*'|\b\d+\b`)
	literals   = regexp.MustCompile(`\?(?:, \?)+`)
)

// note keeps a statement that the present goroutine sends. It leaves out the statements of
// the queue's library.
func (s *statements) note(text string, args []any) {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	var at []line
	from, ours := "", true
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case strings.Contains(f.Function, "riverqueue/river"):
			ours = ours && from != ""
		case strings.HasSuffix(f.File, "_test.go") && from != "":
			more = false
		case ourPackage.MatchString(f.Function) && !strings.HasSuffix(f.File, "_test.go"):
			at = append(at, line{filepath.Base(filepath.Dir(f.File)) + "/" + filepath.Base(f.File), f.Line})
			from = closure.ReplaceAllString(strings.NewReplacer("(*", "", ")", "").Replace(f.Function[strings.LastIndex(f.Function, "/")+1:]), "")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range at {
		s.lines[l] = true
	}
	key := from + literals.ReplaceAllString(literal.ReplaceAllString(text, "?"), "?")
	if from == "" || !ours || s.known[key] || !planned.MatchString(text) {
		return
	}
	s.known[key] = true
	s.kept = append(s.kept, statement{strings.TrimPrefix(from, "db."), text, args})
}

// planned matches the statements that a database makes a plan for.
var planned = regexp.MustCompile(`(?i)^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b`)

// TraceQueryStart keeps a statement to PostgreSQL.
func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	args := slices.DeleteFunc(slices.Clone(data.Args), func(arg any) bool {
		switch arg.(type) {
		case pgx.QueryExecMode, pgx.QueryResultFormats, pgx.QueryResultFormatsByOID: // not for the statement
			return true
		}
		return false
	})
	s.note(data.SQL, args)
	return ctx
}

// TraceQueryEnd does nothing.
func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// seenDriver opens connections to SQLite whose statements are kept.
type seenDriver struct {
	driver.Driver
	seen *statements
}

func (d seenDriver) Open(name string) (driver.Conn, error) {
	c, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return seenConn{c.(sqliteConn), d.seen}, nil
}

type seenConn struct {
	sqliteConn
	seen *statements
}

func (c seenConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.seen.note(query, nil)
	return c.sqliteConn.ExecContext(ctx, query, args)
}

func (c seenConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.seen.note(query, nil)
	return c.sqliteConn.QueryContext(ctx, query, args)
}

func (c seenConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	prepared, err := c.sqliteConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return seenStmt{prepared.(sqliteStmt), query, c.seen}, nil
}

// sqliteStmt is what database/sql wants of a prepared statement.
type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type seenStmt struct {
	sqliteStmt
	text string
	seen *statements
}

func (s seenStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	s.seen.note(s.text, nil)
	return s.sqliteStmt.ExecContext(ctx, args)
}

func (s seenStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	s.seen.note(s.text, nil)
	return s.sqliteStmt.QueryContext(ctx, args)
}

// unseen lists the calls in the code of the store that pass a context on and have led to no
// statement, such as "db/librarylist.go Page items". A statement needs a context, so no
// statement has escaped if the list is empty.
func unseen(t *testing.T, seen ...*statements) (calls []string) {
	t.Helper()
	for _, folder := range []string{"../db", "../joblist", "../labels", "../queue", "../shares", "../textfeed", "../wordindex"} {
		files, err := filepath.Glob(folder + "/*.go")
		require.NoError(t, err)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			all := token.NewFileSet()
			file, err := parser.ParseFile(all, name, nil, 0)
			require.NoError(t, err)
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					calls = append(calls, unseenIn(all, f, seen)...)
				}
			}
		}
	}
	return calls
}

func unseenIn(all *token.FileSet, f *ast.FuncDecl, seen []*statements) (calls []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		if first, ok := call.Args[0].(*ast.Ident); !ok || first.Name != "ctx" {
			return true
		}
		from, to := all.Position(call.Pos()), all.Position(call.End())
		file := filepath.Base(filepath.Dir(from.Filename)) + "/" + filepath.Base(from.Filename)
		what := file + " " + f.Name.Name + " " + nameOf(call.Fun)
		if sendNothing[nameOf(call.Fun)] || slices.ContainsFunc(seen, func(s *statements) bool { return s.has(file, from.Line, to.Line) }) {
			return true
		}
		if _, is := elsewhere[what]; !is {
			calls = append(calls, what)
		}
		return true
	})
	return calls
}

func (s *statements) has(file string, from, to int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := from; n <= to; n++ {
		if s.lines[line{file, n}] {
			return true
		}
	}
	return false
}

// nameOf is the last name of what is called.
func nameOf(called ast.Expr) string {
	switch called := called.(type) {
	case *ast.SelectorExpr:
		return called.Sel.Name
	case *ast.Ident:
		return called.Name
	}
	return ""
}
