package forum

import "discoclaw/internal/chat"

// A Report counts what a comparison of a forum with the records has changed.
type Report struct {
	Created  int // posts
	Updated  int // posts whose name, tags or first message were changed
	Archived int // posts of records that are out of use
	Reopened int // posts of records in use that were taken out of the archive
	Taken    int // records that were changed because their post was
	Adopted  int // records made of posts
	Refused  int // posts of people who make no records
	Deferred int // posts that are archived later, because the bot is answering there
	Orphans  int // posts of the bot that belong to no record
	Failed   int // posts that could not be changed, and are retried
}

// Words says what has changed, for people. One and many are what a record is called.
func (r Report) Words(one, many string) string {
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{r.Created, "post made", "posts made"},
		{r.Updated, "post changed", "posts changed"},
		{r.Archived, "post archived", "posts archived"},
		{r.Reopened, "post reopened", "posts reopened"},
		{r.Taken, one + " changed", many + " changed"},
		{r.Adopted, "post made a " + one, "posts made " + many},
		{r.Refused, "post refused", "posts refused"},
		{r.Deferred, "post to be archived when I am done there", "posts to be archived when I am done there"},
		{r.Orphans, "post of no " + one, "posts of no " + one},
		{r.Failed, "failure, which I retry", "failures, which I retry"},
	} {
		if p.n > 0 {
			parts = append(parts, chat.Counted(p.n, p.one, p.many))
		}
	}
	if len(parts) == 0 {
		return "everything is up to date"
	}
	return chat.And(parts)
}
