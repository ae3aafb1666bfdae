// emoji.js lets somebody choose an emoji: a few common ones, or any other that is
// typed or pasted.
import { h } from './dom.js';
import { popup } from './popup.js';

const common = [
  ['👍', 'thumbs up'], ['👎', 'thumbs down'], ['❤️', 'heart'], ['😄', 'laughing'], ['🎉', 'party'], ['😮', 'surprised'], ['😢', 'sad'], ['🙏', 'thanks'],
  ['✅', 'done'], ['❌', 'no'], ['👀', 'eyes'], ['🚀', 'rocket'], ['🔥', 'fire'], ['💡', 'idea'], ['⭐', 'star'], ['👋', 'wave'],
  ['🤔', 'thinking'], ['😅', 'sweat'], ['😂', 'tears of joy'], ['🙌', 'hooray'], ['💯', 'hundred'], ['☕', 'coffee'], ['🐛', 'bug'], ['📌', 'pin'],
];
const columns = 8;

// pickEmoji opens the choice next to an element and returns what was chosen, or ''.
export function pickEmoji(anchor) {
  return new Promise((resolve) => {
    let chosen = '';
    const take = (emoji) => {
      chosen = emoji;
      window.close();
    };
    const grid = h('div', { class: 'emoji-grid', role: 'group', 'aria-label': 'Common emoji' },
      common.map(([emoji, name], index) => h('button', {
        type: 'button', class: 'emoji', title: name, 'aria-label': name, tabindex: index === 0 ? '0' : '-1', on: { click: () => take(emoji) },
      }, emoji)));
    grid.addEventListener('keydown', (event) => moveInGrid(event, [...grid.children]));
    const window = popup(anchor, [grid, otherEmoji(take)], { label: 'Choose an emoji', closed: () => resolve(chosen) });
    grid.firstChild.focus();
  });
}

function otherEmoji(take) {
  const input = h('input', { class: 'emoji-input', maxlength: 64, placeholder: 'Another emoji', 'aria-label': 'Another emoji' });
  const form = h('form', { class: 'emoji-other' }, input, h('button', { type: 'submit', class: 'press', 'data-style': 2 }, 'Add'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (input.value.trim()) take(input.value.trim());
  });
  return form;
}

function moveInGrid(event, all) {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
  const to = all[all.indexOf(document.activeElement) + step];
  if (!to) return;
  event.preventDefault();
  document.activeElement.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}
