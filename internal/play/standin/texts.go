package standin

import (
	"strconv"
	"strings"
)

// story is long enough to watch it grow and to stop it.
const story = `# The lighthouse keeper

Once there was a lighthouse keeper who could not sleep, because every night the sea asked him the same question: *who are you shining for?* He did not know. Ships passed far out and never answered. Gulls do not need a light. And the people in the village went to bed when it got dark.

So one evening he rowed out to where the ships pass, with a lantern and a loaf of bread, and waited. The night was very still. From there he saw his own light for the first time: a small gold coin that turned in the dark, came and went, came and went, as if somebody far away was breathing.

A fishing boat came by. "What are you doing out here?" called its skipper. "Looking," said the keeper. "At what?" The keeper pointed. The skipper looked for a while and took off his cap. "My father steered by that," he said, "and so do I. I never thought that there was anybody in it."

They shared the bread. Then the keeper rowed home, climbed the stairs, and slept through the whole next day.

Since then, when the sea asks, he has an answer:

` + "```text\nfor whoever is out there,\nand does not think of me\n```" + `

*The end.*`

// timesTable is the multiplication table up to n, as CSV.
func timesTable(n int) string {
	var b strings.Builder
	for row := 1; row <= n; row++ {
		for column := 1; column <= n; column++ {
			if column > 1 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(row * column))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
