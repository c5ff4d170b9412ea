// Package membench measures how fast memory takes sequential writes, reads and
// copies from one process and from N at once. It never prints.
//
// Data flow: Config → plan → Run starts workers through an Executor → the
// workers map, touch and warm a chunk each, start together, and report raw
// timestamps → result.Run. A worker is this program started anew with
// WorkerArg as its only argument; it talks JSON lines over standard input and
// output (protocol.go), so that it works behind any command that passes these
// two on.
package membench
