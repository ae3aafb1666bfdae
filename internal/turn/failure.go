package turn

// A Failure ends a turn with a sentence for the reader, without a full stop. Other errors
// stay in the log.
type Failure struct{ Text string }

func (f *Failure) Error() string { return f.Text }
