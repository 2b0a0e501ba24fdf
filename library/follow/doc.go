// Package follow has the types of follows. A [Follow] is a channel, a playlist or a feed whose new
// items become transcripts. An [Item] is what the service has found there.
//
//	for item, err := range c.Follows.AllItems(ctx, followed.ID) {
//		if err == nil && item.Status == follow.ItemFailed {
//			…
//		}
//	}
package follow
