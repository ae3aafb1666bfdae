// now.js is what time it is for the page: that of the browser, moved on as far as
// somebody has moved the playground's clock.
let ahead = 0; // milliseconds

export const now = () => Date.now() + ahead;

// setAhead tells whether that is new.
export function setAhead(ms) {
  const changed = ms !== ahead;
  ahead = ms;
  return changed;
}
