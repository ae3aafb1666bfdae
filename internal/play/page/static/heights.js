// heights.js knows how high the rows of a long list are: those that were shown are
// measured, the others are taken to be average.

const firstGuess = 52;

export class Heights {
  #known = new Map(); // ID → pixels
  #sum = 0;
  #ids = [];
  #tops = new Float64Array(1); // where each row begins, and at last the total

  // lay computes where the rows with these IDs are.
  lay(ids) {
    this.#ids = ids;
    if (this.#tops.length < ids.length + 1) this.#tops = new Float64Array(ids.length * 2 + 1);
    this.layAgain();
  }

  // layAgain does the same for the same rows, with what was measured since.
  layAgain() {
    const guess = this.#known.size > 0 ? this.#sum / this.#known.size : firstGuess;
    this.#ids.forEach((id, i) => (this.#tops[i + 1] = this.#tops[i] + (this.#known.get(id) ?? guess)));
  }

  get count() {
    return this.#ids.length;
  }

  get total() {
    return this.#tops[this.#ids.length];
  }

  id(index) {
    return this.#ids[index];
  }

  top(index) {
    return this.#tops[index];
  }

  height(index) {
    return this.#tops[index + 1] - this.#tops[index];
  }

  // at is the row that a point is in; beyond the ends it is the first or last.
  at(y) {
    let low = 0;
    let high = Math.max(0, this.#ids.length - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // measured takes note of a height and tells whether it was unexpected.
  measured(id, height) {
    const before = this.#known.get(id);
    if (before !== undefined && Math.abs(before - height) < 0.5) return false;
    this.#sum += height - (before ?? 0);
    this.#known.set(id, height);
    return true;
  }

  forget() {
    this.#known.clear();
    this.#sum = 0;
  }
}
