package delivery

import "github.com/transcriptkit/transcriptkit/server/internal/tables"

// Tables declares the tables of the endpoints and of the deliveries to them.
func Tables() []tables.Table {
	return []tables.Table{
		{
			Name: "webhook_endpoints", Key: []string{"id"}, Owner: tables.OwnedBy("account"),
			Export:  &tables.Export{Omit: []string{"signing_key", "previous_key"}, JSON: []string{"events"}, Bool: []string{"slow"}},
			Removal: &tables.Removal{Turn: tables.Access, ByFeature: true},
		},
		{
			Name: "webhook_deliveries", Key: []string{"id"}, Owner: tables.OwnedWith("endpoint_id", "webhook_endpoints"), With: "webhook_endpoints",
			Export: &tables.Export{JSON: []string{"body"}},
		},
		{Name: "webhook_rates", Key: []string{"account", "host"}, Owner: tables.OwnedBy("account"), With: "webhook_endpoints"},
	}
}
