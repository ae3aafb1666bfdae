// Package actions is the core that checks, executes once and reports the requests of a
// model.
//
// It knows what an action, a gate and an outcome are. It does not know Discord,
// any category, or how requests are written: those are the packages beside it.
//
// The way of one request: a dialect finds a [Request] in the model's text;
// [Gate.Split] removes what may not be tried; [Dispatcher.Execute] decodes and runs the
// rest; [Lines] and [FollowUp] make the reports to the user and the model. The Gate is
// computed before the model is asked, and the prompt is rendered from the same Gate, so
// exactly the advertised actions can run.
package actions
