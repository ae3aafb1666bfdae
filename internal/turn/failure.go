package turn

// A Failure ends a turn with a sentence for the reader, without a full stop; operators also read its
// remedy. Other errors stay in the log.
type Failure struct{ Err error }

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }
