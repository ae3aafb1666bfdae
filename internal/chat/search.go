package chat

// A Search is what messages are searched for. What is empty does not matter.
type Search struct {
	Text   string    // words that they have
	Author UserID    // who wrote them
	Before MessageID // older than this one
	After  MessageID // newer than this one
	Limit  int       // how many to return at most
}
