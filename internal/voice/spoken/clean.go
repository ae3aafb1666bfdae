// Package spoken turns the text of an answer into sentences to be said: [Clean] takes out what is not read aloud, and a [Splitter]
// takes the sentences from what is left, while the answer is still being written.
package spoken
