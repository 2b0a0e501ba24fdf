// Package wordindex keeps the index of words in the database, and searches it. Package search
// defines words, hits, and the bytes of an index. Package wordindex knows in which rows the
// bytes stand:
//
//   - A text has an index of its own, in search_blocks, while an account has the text in no
//     volume. [Write] writes it in the transaction that stores the text, and [Restore] when one
//     more account saves the text. All accounts share this index.
//   - Each account has volumes, in search_volumes, search_volume_texts and search_volume_blocks. A
//     volume is one index of many texts of the account, so a search reads a word of all these
//     texts in one place. [Bind] moves texts into volumes, and small volumes into larger ones, in
//     the background. A volume never changes: Bind writes another one instead.
//
// library_rows.volume names the volume of a saved text. A text in no volume is searched by its
// own index, so a search finds a text from the commit that saves it. A text whose words change or
// whose row goes leaves its volume ([Leave]): its row names no volume then. A search ignores the
// old words in the volume, because it asks the row. [Purge] writes the volume again without them.
package wordindex
