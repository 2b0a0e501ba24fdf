// Package server is the service: an HTTP API that turns links and uploads into
// timestamped transcripts, over a store and an engine of the caller's choice.
//
//	s, err := store.Open(ctx, store.Options{Database: "sqlite:service.db", Blobs: "blobs"})
//	srv, err := server.New(ctx, server.Config{
//		Store: s,
//		Engine: func(h engine.Host) (engine.Engine, error) {
//			links, err := ytdlp.New(h, ytdlp.Options{})
//			return engine.Engine{
//				Captions: []engine.CaptionSource{links}, Lists: links, Discovery: links, Audio: links,
//				Media: ffmpeg.New(h), Recognizer: pocketsphinx.New(h),
//			}, err
//		},
//	})
//	err = srv.Start(ctx)
//	web := srv.HTTPServer(":8080")
//	go web.ListenAndServe()
//	<-ctx.Done()             // a signal
//	err = srv.Stop(patience) // also of web; then s.Close()
//
// [Server.Handler] is the whole API. A program with a site of its own mounts the
// parts it wants: [Server.Transcripts], [Server.Captions], [Server.Discovery],
// [Server.Library], [Server.Batches], [Server.Usage], [Server.Health], [Server.Docs], each
// under a prefix if it likes, and lets its own sessions in through [Config.Authenticator].
// Its own http.Server is shut down after [Server.Stop], which ends the event streams that
// Shutdown would wait for, and its own handlers stand behind [Patient].
//
// The program takes part without HTTP, too: [Server.Submit] asks for a transcript on
// behalf of an account, [Config.JobEnded] and [Config.BatchEnded] are told what has
// ended, once at least whatever dies meanwhile, [Server.PutTranscript] stores a text that
// the program has itself, and [Server.Refuse] answers for its own middleware in the form
// of the API. [Config.Admit] has the last word on what is accepted.
//
// Which links are taken, [Config.Sites] says. Whatever a link or a page names is
// reached through a guard, which knows no way into a private network but what
// [Egress] allows by name.
//
// The package is about HTTP and composition. What a server keeps is in the
// [store.Store] that its caller opens and closes.
package server

//go:generate go test . -run TestTextsAreCheckedIn -update
//go:generate go test . -run TestDocumentIsCheckedIn -update
