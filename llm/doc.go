// Package llm is the ground on which everything that calls a language model stands.
//
// A [Model] answers a [Request] with a [Reply], whole or as it comes; what goes wrong
// is an [Error] whose [Kind] says what can be done about it. Providers live in
// packages of their own (llm/openai, llm/anthropic), and llm/llmtest has a fake and
// the suite that every provider passes.
//
// # What makes calling safe
//
// Decorators add, one each, what a call needs, and know nothing of each other. From
// the provider outwards:
//
//   - [Metered] reserves what a call may cost before it is made, settles what it did
//     cost, and records it for the bill. A provider that needs several requests for a
//     call has each counted ([CountRequest]);
//   - [Resilient] repeats what may succeed later, bounds the calls under way and
//     leaves an endpoint alone that only fails;
//   - [Thinking] leaves a model room for its thoughts;
//   - [Cached] answers what was answered before. The room for thoughts is added within
//     it and is no part of its key, so that a model that gets more of it keeps its replies;
//   - [FirstOf] asks a second model where the first one can't be;
//   - [Repaired] has a reply mended that the caller can't use.
//
// The [Budget] of a run is kept by a [Meter]. It travels in the context, so that a
// judge, a rewriter and a generator draw on one budget without knowing of each other;
// [WithStep] names the line of the bill. Afterwards the meter tells what each call
// came to ([Meter.Calls]), which models failed at what ([Meter.Failures]), and whether
// the budget kept a call from being made ([Meter.Denied]).
//
// # What people are told
//
// The text of an error says what happened, where, and what to do, in plain words; what
// it wraps can be asked for. No error, reply or record shows a key.
package llm
