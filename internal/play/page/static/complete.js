// complete.js offers names while somebody types @ or #.
import { h, icon } from './dom.js';
import { avatar } from './face.js';
import { candidates } from './mentions.js';

const beginning = /(?:^|\s)([@#])([\p{L}\p{N}_.-]{0,32})$/u;

export class Completion {
  #list = h('ul', { class: 'completion', id: 'completion', role: 'listbox', 'aria-label': 'Names', hidden: true });
  #found = [];
  #at = 0;
  #from = 0; // where in the text the name begins

  constructor(store, input) {
    this.store = store;
    this.input = input;
    input.setAttribute('aria-autocomplete', 'list');
    input.setAttribute('aria-controls', 'completion');
    input.addEventListener('input', () => this.#look());
    input.addEventListener('blur', () => this.#hide());
    // The field must keep the focus, or the list would be gone before the click.
    this.#list.addEventListener('pointerdown', (event) => event.preventDefault());
    this.#list.addEventListener('click', (event) => {
      const option = event.target.closest('[role=option]');
      if (option) this.#take([...this.#list.children].indexOf(option));
    });
  }

  get node() {
    return this.#list;
  }

  // key handles a key of the field and tells whether it was meant for the list.
  key(event) {
    if (this.#list.hidden) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#mark((this.#at + step + this.#found.length) % this.#found.length);
    else if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab') this.#take(this.#at);
    else if (event.key === 'Escape') this.#hide();
    else return false;
    event.preventDefault();
    return true;
  }

  #look() {
    const before = this.input.value.slice(0, this.input.selectionStart);
    const match = beginning.exec(before);
    this.#found = match ? candidates(match[1], match[2], this.store) : [];
    if (this.#found.length === 0) return this.#hide();
    this.#from = before.length - match[2].length;
    this.#list.replaceChildren(...this.#found.map((one, at) => option(one, at)));
    this.#list.hidden = false;
    this.#mark(0);
  }

  #mark(at) {
    this.#at = at;
    [...this.#list.children].forEach((node, index) => node.setAttribute('aria-selected', String(index === at)));
    this.input.setAttribute('aria-activedescendant', `completion-${at}`);
    this.#list.children[at].scrollIntoView({ block: 'nearest' });
  }

  #take(at) {
    this.input.setRangeText(`${this.#found[at].name} `, this.#from, this.input.selectionStart, 'end');
    this.#hide();
    this.input.dispatchEvent(new Event('input'));
  }

  #hide() {
    this.#list.hidden = true;
    this.input.removeAttribute('aria-activedescendant');
  }
}

function option(one, at) {
  const sign = one.kind ? icon(one.kind) : avatar(one);
  return h('li', { role: 'option', id: `completion-${at}`, class: 'completion-option' },
    sign, h('bdi', {}, one.name), one.note && h('span', { class: 'completion-note' }, one.note));
}
