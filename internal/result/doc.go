// Package result holds the versioned records that both commands write and
// read back. It knows nothing of how a figure was measured or will be shown.
//
// Conventions, for every record: sizes are bytes (int64), durations and
// timestamps nanoseconds (int64), rates are not stored but derived. A value
// that could not be read is absent (a nil pointer, omitted from the JSON),
// never zero. docs/schema.md documents each key.
package result
