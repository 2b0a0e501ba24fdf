// Package follow has the types of follows. A [Follow] is a channel, a playlist or a
// feed: the service transcribes each new item. An [Item] is an item that the service
// has found there.
//
//	for item, err := range c.Follows.AllItems(ctx, followed.ID) {
//		if err == nil && item.Status == follow.ItemFailed {
//			…
//		}
//	}
package follow
