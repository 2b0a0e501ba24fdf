package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A page of a website lists the library with the number of all rows.
func ExampleLibraryService_List() {
	c := exampleClient("inaugural33", "moonspeech1", "gettysburg1") // the library has three talks

	page, err := c.Library.List(context.Background(), library.Query{Sort: library.Title, PageSize: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range page.Transcripts {
		fmt.Println(*item.Title, item.Words)
	}
	fmt.Println(page.Total, "in all, in", page.Langs)
	// Output:
	// First inaugural address 10
	// The Gettysburg Address 19
	// 3 in all, in [en]
}

// A loop over the library sees each saved text, and also running and failed work.
func ExampleLibraryService_All() {
	c := exampleClient("inaugural33", "moonspeech1", "gettysburg1") // the library has three talks

	for item, err := range c.Library.All(context.Background(), library.Query{View: library.History, Sort: library.Oldest}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Kind, item.Platform, item.ExternalID, item.Lang)
	}
	// Output:
	// transcript video_site inaugural33 en
	// transcript video_site moonspeech1 en
	// transcript video_site gettysburg1 en
}

// A saved transcript is read without any work, also long after it was made.
func ExampleLibraryService_Get() {
	ctx := context.Background()
	c := exampleClient("moonspeech1") // the library has one talk

	saved, err := c.Library.Get(ctx, library.Key{Platform: transcript.VideoSite, ExternalID: "moonspeech1"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*saved.Transcript.Title, "-", saved.Transcript.Segments[0].Text)

	_, err = c.Library.Get(ctx, library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1"})
	fmt.Println("not saved:", errors.Is(err, transcript.NoTranscript))
	// Output:
	// We choose to go to the Moon - We choose to go to the moon.
	// not saved: true
}

// A karaoke player needs the time of each word. Recognized speech has these times.
func ExampleLibraryService_GetWithWords() {
	ctx := context.Background()
	c := exampleClient() // client.New(url, client.WithAPIKey(key))
	result, err := c.Transcripts.Get(ctx, transcript.Request{Source: exampleRecording()})
	if err != nil {
		log.Fatal(err)
	}

	key := library.Key{Platform: transcript.Upload, ExternalID: result.Transcript.ExternalID}
	saved, err := c.Library.GetWithWords(ctx, key)
	if err != nil {
		log.Fatal(err)
	}
	for _, word := range saved.Transcript.Segments[0].Words[:3] {
		fmt.Printf("%.1f %s\n", word.Start, word.Text)
	}
	// Output:
	// 0.0 Ask
	// 1.1 not
	// 2.2 what
}

// A page of search results says in which texts something is said, and where.
func ExampleLibraryService_Search() {
	c := exampleClient("moonspeech1", "inaugural33") // the library has two talks

	page, err := c.Library.Search(context.Background(), library.Search{Q: "moon"}, client.PageParams{Size: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, match := range page.Items {
		fmt.Println(*match.Title, match.HitCount)
		fmt.Println(match.Hits[0].Snippet)
		fmt.Println(*match.Hits[0].URL) // of a platform with links to a place
	}
	// Output:
	// We choose to go to the Moon 1
	// We choose to go to the <mark>moon</mark>. Not because it is easy, but because it is hard.
	// https://www.youtube.com/watch?v=moonspeech1&t=0s
}

// The search takes phrases, and beginnings of words.
func ExampleLibraryService_AllSearch() {
	c := exampleClient("moonspeech1", "inaugural33", "gettysburg1") // the library has three talks

	for match, err := range c.Library.AllSearch(context.Background(), library.Search{Q: `"we have to fear" itsel*`}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, hit := range match.Hits {
			fmt.Println(match.ExternalID, hit.Start, hit.Snippet)
		}
	}
	// Output:
	// inaugural33 0 The only thing <mark>we have to fear</mark> is fear <mark>itself</mark>.
}

// Chunks are pieces of a text for a language model. Each has the link to its place.
func ExampleLibraryService_Chunks() {
	c := exampleClient("gettysburg1") // the library has one talk

	key := library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1"}
	options := transcript.ChunkOptions{MaxChars: 200}
	page, err := c.Library.Chunks(context.Background(), key, options, client.PageParams{Size: 10})
	if err != nil {
		log.Fatal(err)
	}
	chunk := page.Items[0]
	fmt.Println(chunk.Index, *chunk.URL)
	fmt.Println(chunk.Text)
	// Output:
	// 0 https://www.youtube.com/watch?v=gettysburg1&t=0s
	// Four score and seven years ago our fathers brought forth on this continent a new nation, conceived in liberty.
}

// A program counts what a text costs in a language model.
func ExampleLibraryService_AllChunks() {
	c := exampleClient("gettysburg1") // the library has one talk

	key := library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1", Language: "en"}
	chunks, characters := 0, 0
	for chunk, err := range c.Library.AllChunks(context.Background(), key, transcript.ChunkOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		chunks++
		characters += len(chunk.Text)
	}
	fmt.Println(chunks, "chunk with", characters, "characters")
	// Output:
	// 1 chunk with 110 characters
}

// Other saved talks of the same channel.
func ExampleLibraryService_Related() {
	c := exampleClient("inaugural33", "moonspeech1", "gettysburg1") // the library has three talks

	key := library.Key{Platform: transcript.VideoSite, ExternalID: "moonspeech1"}
	related, err := c.Library.Related(context.Background(), key, 5)
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range related {
		fmt.Println(*item.Title)
	}
	// Output:
	// The Gettysburg Address
	// First inaugural address
}

func ExampleLibraryService_Star() {
	ctx := context.Background()
	c := exampleClient("inaugural33", "moonspeech1") // the library has two talks

	key := library.Key{Platform: transcript.VideoSite, ExternalID: "moonspeech1"}
	if err := c.Library.Star(ctx, key); err != nil {
		log.Fatal(err)
	}
	for item, err := range c.Library.All(ctx, library.Query{View: library.Starred}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(*item.Title)
	}
	// Output:
	// We choose to go to the Moon
}

func ExampleLibraryService_Unstar() {
	ctx := context.Background()
	c := exampleClient("moonspeech1")
	key := library.Key{Platform: transcript.VideoSite, ExternalID: "moonspeech1"}
	if err := c.Library.Star(ctx, key); err != nil {
		log.Fatal(err)
	}

	if err := c.Library.Unstar(ctx, key); err != nil {
		log.Fatal(err)
	}
	page, err := c.Library.List(ctx, library.Query{View: library.Starred})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("stars:", page.Total)
	// Output:
	// stars: 0
}

// Delete removes a content in all languages. With Key.Language, it removes one text.
func ExampleLibraryService_Delete() {
	ctx := context.Background()
	c := exampleClient("inaugural33", "moonspeech1") // the library has two talks

	key := library.Key{Platform: transcript.VideoSite, ExternalID: "moonspeech1"}
	if err := c.Library.Delete(ctx, key); err != nil {
		log.Fatal(err)
	}
	page, err := c.Library.List(ctx, library.Query{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("left:", page.Total, *page.Transcripts[0].Title)
	// Output:
	// left: 1 First inaugural address
}

// A correction names the revision that it was made of. If somebody else was faster, nothing is
// lost: the program reads the text again.
func ExampleLibraryService_Edit() {
	ctx := context.Background()
	c := exampleClient("gettysburg1") // the library has one talk
	key := library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1"}

	saved, err := c.Library.Get(ctx, key)
	if err != nil {
		log.Fatal(err)
	}
	better := library.Edit{Segments: []library.SegmentEdit{{Index: 0, Text: new("Eighty-seven years ago"), Speaker: new("Lincoln")}}}
	edited, err := c.Library.Edit(ctx, key, saved.Revision, better)
	if err != nil {
		log.Fatal(err)
	}
	line := edited.Transcript.Segments[0]
	fmt.Printf("%d: %s: %s\n", edited.Revision, line.Speaker, line.Text)

	other := library.Edit{Speakers: map[string]string{"Lincoln": "Abraham Lincoln"}}
	_, err = c.Library.Edit(ctx, key, saved.Revision, other)
	fmt.Println("changed meanwhile:", errors.Is(err, transcript.StateConflict))
	// Output:
	// 2: Lincoln: Eighty-seven years ago
	// changed meanwhile: true
}

// An account finds a talk again under its own title and tags.
func ExampleLibraryService_Label() {
	ctx := context.Background()
	c := exampleClient("gettysburg1", "inaugural33") // the library has two talks
	key := library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1"}

	err := c.Library.Label(ctx, key, library.Label{Title: new("Lincoln in Gettysburg"), Tags: []string{"war", "1863"}})
	if err != nil {
		log.Fatal(err)
	}
	page, err := c.Library.List(ctx, library.Query{Tags: []string{"War"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Total, *page.Transcripts[0].Title, page.Transcripts[0].Tags)
	// Output:
	// 1 Lincoln in Gettysburg [war 1863]
}

// A file that was corrected elsewhere becomes a text of the account's own.
func ExampleLibraryService_Import() {
	c := exampleClient() // the library is empty

	file := "WEBVTT\n\n00:00.000 --> 00:04.000\n<v Lincoln>Four score and seven years ago\n"
	saved, err := c.Library.Import(context.Background(),
		library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1", Language: "en"},
		library.Import{Format: library.VTT, Content: []byte(file)})
	if err != nil {
		log.Fatal(err)
	}
	line := saved.Transcript.Segments[0]
	fmt.Printf("%s, revision %d: %s: %s\n", saved.Transcript.Source, saved.Revision, line.Speaker, line.Text)
	// Output:
	// manual, revision 1: Lincoln: Four score and seven years ago
}

// Each correction is a revision. The program takes back all of them.
func ExampleLibraryService_Restore() {
	ctx := context.Background()
	c := exampleClient("gettysburg1") // the library has one talk
	key := library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1"}
	for _, text := range []string{"Fore score", "For score"} {
		wrong := library.Edit{Segments: []library.SegmentEdit{{Index: 0, Text: &text}}}
		if _, err := c.Library.Edit(ctx, key, 0, wrong); err != nil { // 0: whichever text is there
			log.Fatal(err)
		}
	}

	revisions, err := c.Library.Revisions(ctx, key)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range revisions {
		fmt.Println(r.Number, r.Kind, r.Changed)
	}
	last, first := revisions[0], revisions[len(revisions)-1]
	restored, err := c.Library.Restore(ctx, key, first.Number, last.Number)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("now", restored.Revision)
	// Output:
	// 3 edit 1
	// 2 edit 1
	// 1 original 0
	// now 4
}

// A revision can be read before it is restored.
func ExampleLibraryService_Revision() {
	ctx := context.Background()
	c := exampleClient("gettysburg1") // the library has one talk
	key := library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1"}
	wrong := library.Edit{Segments: []library.SegmentEdit{{Index: 0, Text: new("Fore score")}}}
	if _, err := c.Library.Edit(ctx, key, 1, wrong); err != nil {
		log.Fatal(err)
	}

	old, err := c.Library.Revision(ctx, key, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(old.Transcript.Segments[0].Text)
	// Output:
	// Four score and seven years ago
}

// The list of revisions is the history of a text.
func ExampleLibraryService_Revisions() {
	c := exampleClient("gettysburg1") // the library has one talk

	revisions, err := c.Library.Revisions(context.Background(), library.Key{Platform: transcript.VideoSite, ExternalID: "gettysburg1"})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range revisions {
		fmt.Println(r.Number, r.Kind, r.Source)
	}
	// Output:
	// 1 original video_site_downloader
}
