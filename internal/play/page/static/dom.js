// dom.js creates elements. Text only ever becomes text here, and what could run
// or lead astray is refused, so the rest of the page can be careless about what
// people write.
import { mayOpen } from './urls.js';
import { shapes } from './icons.js';

// h creates an element: h('p', { class: 'note' }, 'text', child). Children that
// are null or false are left out. "on" holds listeners.
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'on') listen(node, value);
    else put(node, name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// put sets an attribute, or takes it away when the value is null or false.
export function put(node, name, value) {
  if (/^on|^style$|^srcdoc$/i.test(name)) throw new Error(`the attribute ${name} is not for this page`);
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if ((name === 'href' || name === 'src') && !mayOpen(String(value))) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? '' : String(value));
}

// icon draws one of the shapes of icons.js. Icons are decoration: whatever
// carries one has a label.
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  for (const d of shapes[name]) {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', d);
    svg.append(path);
  }
  return svg;
}

// iconButton is a button that shows an icon and says its label.
export function iconButton(name, label, attributes = {}) {
  return h('button', { type: 'button', class: 'icon-button', 'aria-label': label, title: label, ...attributes }, icon(name));
}

// byID finds an element of index.html.
export const byID = (id) => document.getElementById(id);

// arrows lets the arrow keys, Home and End move the focus through a list of which
// one element is in the Tab order. items() returns the elements, in order.
export function arrows(container, items) {
  container.addEventListener('keydown', (event) => {
    const list = items();
    const at = list.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: list.length - 1 }[event.key];
    if (at < 0 || to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = list[Math.max(0, Math.min(to, list.length - 1))];
    rove(list, next);
    next.focus();
  });
}

// rove leaves one element of a list in the Tab order.
export function rove(list, chosen) {
  for (const node of list) node.tabIndex = node === chosen ? 0 : -1;
}

function listen(node, listeners) {
  for (const [event, listener] of Object.entries(listeners)) node.addEventListener(event, listener);
}
