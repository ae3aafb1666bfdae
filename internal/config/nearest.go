package config

// Nearest is the name that was probably meant, or nothing if none is within three
// slips of the pen. A wrong guess is worse than none: people follow it.
func Nearest(name string, known []string) string {
	best, distance := "", min(max(len(name)/4, 1), 3)+1
	for _, k := range known {
		if d := editDistance(name, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// editDistance is Levenshtein's, by bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
