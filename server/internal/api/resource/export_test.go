package resource

// ListingFor is ListingOf for the account that it is given.
var ListingFor = listingFor
