// dialog.js asks before something is done. The dialog stays open until it is done,
// and says why it was not.
import { h } from './dom.js';
import { sentence } from './text.js';

// ask shows a dialog: title, text, fields ({ name, label, value, limit, lines, required }),
// the word on the button that confirms, and run(values), which does it.
export function ask({ title, text = '', fields = [], confirm, danger = false, run }) {
  const inputs = fields.map(fieldNode);
  const error = h('p', { class: 'error-line', role: 'alert', hidden: true });
  const confirmButton = h('button', { type: 'submit', class: 'press', 'data-style': danger ? 4 : 1 }, confirm);
  const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': 'dialog-title' },
    h('form', {},
      h('h2', { id: 'dialog-title' }, title),
      text && h('p', { class: 'dialog-text', dir: 'auto' }, text),
      inputs.map(({ node }) => node),
      error,
      h('div', { class: 'dialog-buttons' },
        h('button', { type: 'button', class: 'press', 'data-style': 2, on: { click: () => dialog.close() } }, 'Cancel'),
        confirmButton)));
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('submit', async (event) => {
    event.preventDefault();
    confirmButton.disabled = true;
    try {
      await run(Object.fromEntries(inputs.map(({ name, input }) => [name, input.value.trim()])));
      dialog.close();
    } catch (problem) {
      error.textContent = sentence(problem.message);
      error.hidden = false;
      confirmButton.disabled = false;
    }
  });
  document.body.append(dialog);
  dialog.showModal();
  (inputs[0]?.input ?? confirmButton).focus();
}

function fieldNode({ name, label, value = '', limit, lines = 1, required = true }) {
  const input = h(lines > 1 ? 'textarea' : 'input', { name, maxlength: limit, rows: lines > 1 ? lines : null, required });
  input.value = value;
  return { name, input, node: h('label', { class: 'field' }, h('span', {}, label), input) };
}
