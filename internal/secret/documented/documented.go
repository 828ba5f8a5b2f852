// Package documented knows the credentials that vendors print in their public documentation, by their sums. It owns no table and no
// value.
package documented

// sums are the FNV-1a sums of credentials that vendors print in their public documentation. Sums, since the values
// themselves would trip every scanner that reads this file. The values that contain a word such as EXAMPLE need no entry.
var sums = [...]uint64{
	// GitHub, "about authentication" (five kinds).
	0xf6cad54e10eb31ac, 0xe49c640aa227dc2f, 0xc358cb21c35a1b3d, 0xdb9bede1a83288bb, 0xda974e4be9cfa38b,
	// Stripe, API reference.
	0xddd19c486d095d84, 0x67e733c2f9035757, 0x9cba2b6f12fd10a4, 0x43f62e8bcdd84601, 0x04359912bf7dd3d9,
	// Slack, token types.
	0xbdfe31cdb75eb895, 0x4cae1e368387aa0a, 0xb3b4a6018e2db948,
	// SendGrid, API keys.
	0x98085e70f2b3dc4e,
	// Discord, API reference.
	0xc860f3f8a6cd87c5,
	// Telegram, bot features.
	0x8959d21b97c6b870, 0x3367fe8c16b673d2,
	// Mailgun, quick start.
	0xdcb53d39ae3dbeb0,
	// Azure, storage emulator and Cosmos DB emulator.
	0x3f9d1c996e620b67, 0x9f1920c6cd484714,
	// Google, Maps and Cloud documentation, Firebase samples.
	0xcb160c5ebf072178, 0xe1f5ff4dd4424e01, 0xc800bf2100a21c67, 0x6acbd824bd32bbd4, 0x29a336c7244f48dd, 0x08b545962adc7d8b,
	0xe7666dbb286c6c2e, 0x99b2726346a1e92a, 0x12113c2e6979f447, 0x828818f833257868, 0x6835e0f288832a40, 0x816cd10fdb11ead0,
	0xadbd04e3fe1b6d49, 0xdb9422f1dd332dcc, 0x515cb771a4238032, 0xe754678ea2b14ef1, 0xc73f1e61952e6987, 0x294c63f8344d5df1,
	// Twilio, API documentation.
	0xbface93ebce94f54,
	// RFC 6749 and 7617, Basic.
	0xdc8d8ca0645472e9, 0x9617ea5685ae57ea,
	// GitLab, Terraform, Svix documentation.
	0x1bc306b9f8d5fa3b, 0x613bf72becbd6c29,
	// 64 base64 digits at the beginning of the private keys at jwt.io (RS256, ES256), of Vagrant and of RFC 9500.
	0xb76a89ee92a86e8b, 0x0646f069efe22f57, 0x4cd6a57870eb9bba, 0x0ae6b000a361838a, 0xb2cc617303880f41,
}

// Example reports whether a value is printed in a vendor's documentation.
func Example(v string) bool {
	if v == "" {
		return false
	}
	sum := fnv(v)
	for _, d := range sums {
		if d == sum {
			return true
		}
	}
	return false
}

// fnv is the 64-bit FNV-1a sum of v.
func fnv(v string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(v) {
		h = (h ^ uint64(v[i])) * 1099511628211
	}
	return h
}
