package bulk

// LinksOfCSV reads the body of a batch that is a CSV.
func LinksOfCSV(body []byte) ([]string, error) { return linksOfCSV(body) }
