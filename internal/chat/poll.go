package chat

import "time"

// A Poll is a question with answers to vote for.
type Poll struct {
	Question string
	Answers  []string
	Multiple bool          // people may choose more than one
	Duration time.Duration // whole hours
	Votes    []int         // for each answer, as far as they are counted; nil in a new poll, and if Discord does not send them
	Ends     time.Time     // when voting ends or has ended; zero in a new poll, and if it is not known
	Over     bool          // nobody can vote any more
}
