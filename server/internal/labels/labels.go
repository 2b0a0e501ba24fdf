// Package labels stores what accounts call the contents of their libraries: titles and tags.
//
// An account has one label for a content, whatever the languages of the texts are. The label stays
// when work becomes a text, and when the text is made again. It goes with the last row of the
// content in the library of the account.
//
// Triggers of the table library_rows keep the folded title of each row, by which a library is
// sorted and searched, and delete the labels without rows. So programs of earlier versions, which
// know no labels, keep the rule too.
package labels

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Label is what an account calls a content. The zero value is no label.
type Label struct {
	Title string // "" if the account has given none
	Tags  []string
}

// Show puts the label into a title and tags that an answer shows. The title stays if the account has
// given none.
func (l Label) Show(title **string, tags *[]string) {
	if l.Title != "" {
		*title = &l.Title
	}
	*tags = append([]string{}, l.Tags...)
}

// Mark distinguishes labels in an ETag. It is empty for the zero value.
func (l Label) Mark() string {
	if l.Title == "" && len(l.Tags) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(l.Title + "\n" + strings.Join(l.Tags, "\n")))
	return hex.EncodeToString(sum[:8])
}

// Size is the number of bytes of the label.
func (l Label) Size() int { return len(l.Title) + len(strings.Join(l.Tags, "")) }

// row is a label as the table stores it.
type row struct {
	bun.BaseModel `bun:"table:labels"`

	Account     string
	Platform    transcript.Platform
	ExternalID  string
	Label       `bun:",extend"`
	FoldedTitle string
	FoldedTags  string
}

// Set changes the label of a content that the library of an account has. The transaction has locked
// the texts of the content. Clean has returned the change.
func Set(ctx context.Context, tx *sqldb.Tx, account string, of library.Key, change library.Label) error {
	l := &row{Account: account, Platform: of.Platform, ExternalID: of.ExternalID, Label: Label{Tags: []string{}}}
	q := tx.NewInsert().Model(l).On("CONFLICT (account, platform, external_id) DO UPDATE")
	if change.Title != nil {
		l.Title, l.FoldedTitle = *change.Title, FoldTitle(*change.Title)
		q.Set("title = excluded.title, folded_title = excluded.folded_title")
	}
	if change.Tags != nil {
		l.Tags, l.FoldedTags = change.Tags, foldTags(change.Tags)
		q.Set("tags = excluded.tags, folded_tags = excluded.folded_tags")
	}
	_, err := q.Exec(ctx)
	if err == nil && change.Title != nil {
		err = retitle(ctx, tx, l)
	}
	return sqldb.Wrap("label of "+of.ExternalID, err)
}

// retitle sets the folded title of the rows of a content: the account's own title, or the title that
// is known.
func retitle(ctx context.Context, tx *sqldb.Tx, l *row) error {
	var rows []struct {
		ID       string
		Metadata transcript.Metadata // of work
		Title    *string             // of the text
	}
	// Texts and work have separate indexes.
	err := tx.NewRaw(`SELECT l.id, l.metadata, t.title FROM library_rows AS l JOIN transcripts AS t ON t.id = l.transcript_id
			WHERE l.account = ?0 AND l.platform = ?1 AND l.external_id = ?2 AND l.kind = 'transcript'
		UNION ALL SELECT id, metadata, NULL FROM library_rows
			WHERE account = ?0 AND platform = ?1 AND external_id = ?2 AND kind <> 'transcript'`,
		l.Account, l.Platform, l.ExternalID).Scan(ctx, &rows)
	for _, row := range rows {
		if row.Title == nil {
			row.Title = &row.Metadata.Title
		}
		if err == nil {
			_, err = tx.NewRaw("UPDATE library_rows SET folded_title = ? WHERE id = ?", FoldTitle(cmp.Or(l.Title, *row.Title)), row.ID).Exec(ctx)
		}
	}
	return err
}

// Tagged is the condition of the rows of a library, named l, whose contents have all these tags.
func Tagged(account string, tags []string) schema.QueryWithArgs {
	query, args := "(l.platform, l.external_id) IN (SELECT b.platform, b.external_id FROM labels AS b WHERE b.account = ?", []any{account}
	for _, tag := range tags {
		query += " AND b.folded_tags LIKE ? ESCAPE '!'"
		args = append(args, search.Containing(foldTags([]string{tag})))
	}
	return bun.SafeQuery(query+")", args...)
}

// maxFolded is the length of a folded title, in characters, because an index limits the length of
// its values.
const maxFolded = 256

// FoldTitle returns a title for search and order.
func FoldTitle(title string) string { return search.First(search.Fold(title), maxFolded) }

// foldTags returns tags for comparison. Tags that differ only in case are the same.
func foldTags(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return "\n" + cases.Fold().String(norm.NFC.String(strings.Join(tags, "\n"))) + "\n"
}

// Tables declares the table of the labels.
func Tables() []tables.Table {
	return []tables.Table{{
		Name: "labels", Key: []string{"account", "platform", "external_id"}, Owner: tables.OwnedBy("account"), With: "library_rows",
		Export:  &tables.Export{Omit: []string{"folded_title", "folded_tags"}, JSON: []string{"tags"}},
		Removal: &tables.Removal{Turn: tables.Results},
	}}
}
