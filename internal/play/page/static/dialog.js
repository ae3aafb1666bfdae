// dialog.js asks before something is done. The dialog stays open until it is done,
// and says why it was not.
import { h } from './dom.js';
import { sentence } from './text.js';

// ask shows a dialog: title, text, fields ({ name, label, value, limit, lines, required }),
// the word on the button that confirms, and run(values), which does it. A field with options is a choice; a secret one is not shown.
// What was typed into a dialog that was left is there when it is opened again.
export function ask({ title, text = '', fields = [], confirm, danger = false, run }) {
  const about = `${title}\n${text}`;
  const left = unsent.get(about) ?? {};
  const inputs = fields.map((field) => fieldNode({ ...field, value: left[field.name] ?? field.value }));
  const values = () => Object.fromEntries(inputs.map(({ name, input }) => [name, input.value.trim()]));
  let done = false;
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
  dialog.addEventListener('close', () => {
    if (!done) unsent.set(about, Object.fromEntries(Object.entries(values()).filter(([name]) => !fields.find((field) => field.name === name).secret)));
    dialog.remove();
  });
  dialog.addEventListener('submit', async (event) => {
    event.preventDefault();
    confirmButton.disabled = true;
    try {
      await run(values());
      done = true;
      unsent.delete(about);
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

const unsent = new Map(); // what was typed, by what it was about

function fieldNode({ name, label, value, options, secret = false, limit, lines = 1, required = true }) {
  const input = options
    ? h('select', { name, required }, options.map((option) => h('option', { value: option }, option)))
    : h(lines > 1 ? 'textarea' : 'input', { name, type: secret ? 'password' : null, autocomplete: secret ? 'off' : null, maxlength: limit, rows: lines > 1 ? lines : null, required });
  if (value !== undefined && (!options || options.includes(value))) input.value = value;
  return { name, input, node: h('label', { class: 'field' }, h('span', {}, label), input) };
}
