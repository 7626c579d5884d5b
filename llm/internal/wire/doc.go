// Package wire is what the clients of model APIs share: one request over HTTP with
// a bound on its silence and on its size ([Client]), the reading of event streams
// ([Events]), what a server's refusal means ([llm.Kind] and how long to wait), and
// a call's pieces on their way to the caller ([Talk]).
//
// No key leaves it but in a request to the host it belongs to: messages and replies
// are scrubbed, and redirects to other hosts aren't followed.
package wire
