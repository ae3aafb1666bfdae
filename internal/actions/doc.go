// Package actions is the core that turns what a model asked for into something
// that is allowed or refused, done once, and reported.
//
// It knows what an action, a gate and an outcome are. It does not know Discord,
// any category, or how requests are written: those are the packages beside it.
//
// The way of one request: a dialect finds a [Request] in the model's text;
// [Gate.Split] separates what may be tried from what must not;
// [Dispatcher.Execute] decodes and runs it; [Lines] and [FollowUp] say what the
// user and the model are told. The Gate is computed before the model is asked,
// and the prompt is rendered from the same Gate, so what is advertised is what
// will run.
package actions
