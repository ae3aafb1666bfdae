package chat

// A Document is a text that people keep for the bot to read.
type Document struct{ Name, Text string }

// A Picture is an image that can be looked at.
type Picture struct {
	Name string
	Type string // media type, which is that of the data
	Data []byte
	// Answered is set if it came with the message that is replied to, which may have another
	// author.
	Answered bool
}

// A Paper is a file that some models read as it is, such as a PDF.
type Paper struct {
	Name string
	Type string // media type
	Data []byte
}

// Opened holds the attachments of a message that could be opened.
type Opened struct {
	Pictures []Picture
	Texts    []Document
	Papers   []Paper
	Spoken   string   // what the author says in a voice message; empty if it is not known
	Notes    []string // a sentence for each thing that could not be opened
	Refused  []string // sentences for the person, on pictures that are not looked at because of how they are built
}
