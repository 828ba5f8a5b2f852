package secret

// documented are the FNV-1a sums of credentials, or of what follows their beginning, that vendors print in their public
// documentation. Sums, since the values themselves would trip every scanner that reads this file. cmd: Sum in export_test.
var documented = [...]uint64{
	0,
}

// example reports whether a value is printed in a vendor's documentation.
func example(v string) bool {
	sum := fnv(v)
	for _, d := range documented {
		if d == sum {
			return true
		}
	}
	return false
}
