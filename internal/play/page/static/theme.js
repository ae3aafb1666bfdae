// theme.js sets the colours before anything is painted, so that nobody who
// switched to dark is met by a white flash. It is the one script that is no
// module: modules wait for the whole page.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('theme');
  } catch {
    // Storage is off. The colours then follow the system.
  }
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
})();
