// Package client is the Go SDK of the transcript service.
//
//	c, err := client.New("https://transcripts.example", client.WithAPIKey(key))
//	if err != nil {
//		return err
//	}
//	link := transcript.URL("https://youtu.be/dQw4w9WgXcQ")
//	result, err := c.Transcripts.Get(ctx, transcript.Request{Source: link})
//	if err != nil {
//		return err
//	}
//	for _, s := range result.Transcript.Segments {
//		fmt.Printf("%7.2f %s\n", s.Start, s.Text)
//	}
//
// [TranscriptService.Get] sends the link, or uploads a [transcript.File]. If the
// service answers with a job, Get waits for the job and returns its text. To hand the
// waiting to another process, use [TranscriptService.Submit] and keep the job's id. To
// show progress, range over [JobService.Events]. [TranscriptService.Info] and
// [TranscriptService.Captions] ask about a link and start no work. [UsageService.Get]
// returns the plan's allowances and the rest of them.
//
// Many links, a playlist or a channel are a batch: [BatchService.Create] makes the
// batch, [BatchService.Wait] waits for its end, and [BatchService.Export] reads all
// texts as one [Download]. These calls need a key with the scope "batches".
//
// The account's saved transcripts are its library. [LibraryService.All] lists the
// library, and [LibraryService.AllSearch] searches the texts. [LibraryService.Get],
// [LibraryService.Download] and [LibraryService.AllChunks] read one text. These calls
// need a key with the scope "transcripts".
//
// [VideoService.AllSearch] finds videos, channels and playlists of the video site,
// [VideoService.AllUploads] and [VideoService.AllItems] list channels and playlists, and
// [VideoService.Get] describes videos. Any key will do.
//
// # Errors
//
// An answer other than 2xx is an [*Error], with any kind of body. A job that failed or
// was cancelled is a [*JobError]: the request succeeded, the work did not. A failed
// batch is a [*BatchError]. Match all of them by the documented code:
//
//	errors.Is(err, transcript.UploadInvalid)
//
// If a wait ends before its job, the error is a [*WaitError] with the job's id. So a
// passed deadline loses nothing: if it passes before the service has answered, the client takes
// up to 2 s more to ask for the job. For a batch the error is a [*BatchWaitError].
//
// # Retries
//
// Every POST carries an Idempotency-Key, so that a repeated request does nothing twice.
// The client repeats requests by the service's own rule: after 429, after a transient
// 502 or 503, and after a broken connection. The client sends a request four times at
// most, with growing and jittered pauses, and never earlier than Retry-After says. If
// Retry-After goes beyond the caller's deadline, the client returns the [*Error] at
// once. [WithRetry] changes this, [NoRetry] switches it off, and [WithRetryNotify]
// reports each pause.
//
// A wait returns when its job or batch ends. The wait follows events, or the service
// holds the wait's questions. If neither is possible, the wait asks in growing pauses.
//
// # Uploads
//
// The client streams files and holds no file in memory. A file of 16 MiB or more is sent so that
// the upload goes on after a break (draft-ietf-httpbis-resumable-upload-12): the client asks how
// many bytes the service has, and sends the rest. [RetryPolicy] counts the attempts that bring the
// file no further, so a file of any size arrives over a connection that breaks again and again.
// With [WithIdempotencyKey], the same call in another process goes on with the upload of an
// earlier one. A service that does not know such uploads gets the file in one form.
//
// # Middleware, and the answers themselves
//
// [WithMiddleware] wraps the transport of all calls or of one call, for traces, metrics or
// headers. [WithResponse] gives the status, the headers, the limits and the raw JSON of an
// answer, and [Response.UnknownFields] what a newer service says beyond the types of this
// package. A receiver of webhooks checks them with [VerifyWebhook].
//
// FEATURES.md compares the package with other packages.
//
// The package reads no environment variable, keeps no global state, and logs
// nothing unless [WithLogger] says so.
package client
