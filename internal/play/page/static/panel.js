// panel.js is the panel to the right: things to try, and what the bot did last. A
// turn that ends brings the latter to the front.
import { arrows, byID, h, rove } from './dom.js';

const tabs = [
  { id: 'ideas', name: 'Things to try' },
  { id: 'turn', name: 'Last turn' },
];

export class Panel {
  #buttons = tabs.map(({ id, name }) => h('button', {
    type: 'button', class: 'tab', role: 'tab', id: `tab-${id}`, 'aria-controls': id, on: { click: () => this.show(id) },
  }, name));

  constructor(store) {
    const bar = byID('panel-tabs');
    bar.replaceChildren(...this.#buttons);
    arrows(bar, () => this.#buttons.filter((button) => !button.hidden));
    for (const { id } of tabs) {
      byID(id).setAttribute('role', 'tabpanel');
      byID(id).setAttribute('aria-labelledby', `tab-${id}`);
    }
    this.setIdeas(false);
    store.on('turn', () => this.#turned());
  }

  // setIdeas tells whether there are things to try; if so, one begins with them.
  setIdeas(any) {
    this.#buttons[0].hidden = !any;
    this.show(any ? 'ideas' : 'turn');
  }

  show(chosen) {
    tabs.forEach(({ id }, at) => {
      byID(id).hidden = id !== chosen;
      this.#buttons[at].setAttribute('aria-selected', String(id === chosen));
      if (id === chosen) this.#buttons[at].removeAttribute('data-new');
    });
    rove(this.#buttons, this.#buttons[tabs.findIndex(({ id }) => id === chosen)]);
  }

  // Somebody who reads the ideas with the keyboard keeps them; a mark tells of the turn.
  #turned() {
    if (byID('ideas').contains(document.activeElement)) this.#buttons[1].setAttribute('data-new', '');
    else this.show('turn');
  }
}
