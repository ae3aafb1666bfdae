// complete.js offers what might be meant while somebody types. What that is, its
// sources know.
import { h, icon } from './dom.js';
import { avatar } from './face.js';

export class Completion {
  #list = h('ul', { id: 'completion', class: 'completion-list', role: 'listbox', hidden: true });
  #hint = h('p', { class: 'completion-hint', role: 'status' });
  #node = h('div', { class: 'completion', hidden: true }, this.#hint, this.#list);
  #found = [];
  #at = -1; // which one is marked; none if it need not be taken
  #from = 0; // where in the text it begins
  #looks = 0; // how often the text has changed

  // A source is a function that is given the text before the cursor. It returns
  // null, or what there is to say, or a promise of that:
  //   label   what is offered
  //   hint    a sentence about it, or nothing
  //   from    where in the text that begins which is replaced
  //   found   in order: { name, note }, with a kind that has an icon or the ID of a
  //           person; text is what is written if it is not the name and a space, and
  //           enough says that Enter sends it when it stands there already
  //   marked  whether Enter takes the first of them
  // The first source that returns something has the word.
  constructor(input, sources) {
    this.input = input;
    this.sources = sources;
    input.setAttribute('aria-autocomplete', 'list');
    input.setAttribute('aria-controls', 'completion');
    input.addEventListener('input', () => this.#look());
    input.addEventListener('blur', () => this.hide());
    // The field must keep the focus, or the list would be gone before the click.
    this.#node.addEventListener('pointerdown', (event) => event.preventDefault());
    this.#list.addEventListener('click', (event) => {
      const option = event.target.closest('[role=option]');
      if (option) this.#take([...this.#list.children].indexOf(option));
    });
  }

  get node() {
    return this.#node;
  }

  // key handles a key of the field and tells whether it was meant for the list.
  key(event) {
    if (this.#node.hidden) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') this.hide();
    else if (this.#list.hidden) return false;
    else if (step) this.#mark(this.#next(step));
    else if (this.#takes(event)) this.#take(Math.max(this.#at, 0));
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  // hide ends it, until something else is typed.
  hide() {
    this.#looks++;
    this.#show({ found: [] });
  }

  // Answers that come late are about a text that is not there any more.
  async #look() {
    const look = ++this.#looks;
    const before = this.input.value.slice(0, this.input.selectionStart);
    let offer = null;
    for (const source of this.sources) {
      offer = source(before);
      if (offer instanceof Promise) offer = await offer;
      if (look !== this.#looks) return;
      if (offer) break;
    }
    this.#show(offer ?? { found: [] });
  }

  // What is offered already stays where it is: somebody may be about to click on it.
  #show({ label = '', hint = '', from = 0, found, marked = true }) {
    const same = JSON.stringify(found) === JSON.stringify(this.#found);
    this.#found = found;
    this.#from = from;
    this.#hint.textContent = hint;
    this.#list.setAttribute('aria-label', label);
    if (!same) this.#list.replaceChildren(...found.map((one, at) => option(one, at)));
    this.#list.hidden = found.length === 0;
    this.#node.hidden = found.length === 0 && !hint;
    this.#mark(marked && found.length > 0 ? 0 : -1);
  }

  #next(step) {
    if (this.#at < 0) return step > 0 ? 0 : this.#found.length - 1;
    return (this.#at + step + this.#found.length) % this.#found.length;
  }

  #mark(at) {
    this.#at = at;
    [...this.#list.children].forEach((node, index) => node.setAttribute('aria-selected', String(index === at)));
    if (at < 0) return this.input.removeAttribute('aria-activedescendant');
    this.input.setAttribute('aria-activedescendant', `completion-${at}`);
    this.#list.children[at].scrollIntoView({ block: 'nearest' });
  }

  // takes tells whether a key takes what is marked. Where that would change nothing,
  // Tab leaves the field and Enter sends.
  #takes(event) {
    const one = this.#found[Math.max(this.#at, 0)];
    const there = this.input.value.slice(this.#from, this.input.selectionStart);
    if (event.key === 'Tab') return !event.shiftKey && there !== textOf(one);
    return event.key === 'Enter' && !event.shiftKey && this.#at >= 0 && !(one.enough && there === textOf(one).trimEnd());
  }

  #take(at) {
    this.input.setRangeText(textOf(this.#found[at]), this.#from, this.input.selectionStart, 'end');
    this.hide();
    this.input.dispatchEvent(new Event('input'));
  }
}

const textOf = (one) => one.text ?? `${one.name} `;

function option(one, at) {
  const sign = one.kind ? icon(one.kind) : one.id && avatar(one);
  return h('li', { role: 'option', id: `completion-${at}`, class: 'completion-option' },
    sign, h('span', { class: 'completion-words' }, h('bdi', {}, one.name), one.note && h('span', { class: 'completion-note' }, one.note)));
}
