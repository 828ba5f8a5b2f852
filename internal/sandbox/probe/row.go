package probe

// Row is the outcome of one try, written as a line of JSON.
type Row struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`     // it worked
	Detail string `json:"detail"` // the error, or what was seen
}
