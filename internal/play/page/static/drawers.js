// drawers.js lets the channels and the panel come in from the side where there is
// no room for them, and the panel be put away where there is.
import { byID, icon } from './dom.js';

const narrow = matchMedia('(max-width: 759px)'); // the channels are a drawer
const medium = matchMedia('(max-width: 1099px)'); // the panel is a drawer

export class Drawers {
  #open = null; // 'sidebar' or 'panel'
  #back = null; // what had the focus before
  #panelAway = false; // on wide screens

  constructor() {
    const draw = (id, name) => byID(id).replaceChildren(icon(name));
    draw('sidebar-open', 'menu');
    draw('sidebar-close', 'close');
    draw('panel-toggle', 'panel');
    draw('panel-close', 'close');
    byID('sidebar-open').addEventListener('click', () => this.#toggle('sidebar'));
    byID('sidebar-close').addEventListener('click', () => this.close());
    byID('panel-close').addEventListener('click', () => this.close());
    byID('shade').addEventListener('click', () => this.close());
    byID('panel-toggle').addEventListener('click', () => this.#panel());
    byID('sidebar').addEventListener('click', (event) => event.target.closest('a') && this.close());
    for (const width of [narrow, medium]) width.addEventListener('change', () => this.close());
    this.#show();
  }

  // close puts away the drawer that is open and tells whether there was one.
  close() {
    const was = this.#open !== null;
    this.#open = null;
    this.#show();
    if (was && this.#back?.isConnected) this.#back.focus();
    return was;
  }

  #panel() {
    if (medium.matches) return this.#toggle('panel');
    this.#panelAway = !this.#panelAway;
    this.#show();
  }

  #toggle(name) {
    if (this.#open === name) return this.close();
    this.#back = document.activeElement;
    this.#open = name;
    this.#show();
    byID(name).querySelector('[aria-current], [aria-selected=true]')?.focus();
  }

  // What is put away cannot get the focus, and neither can what is behind an open
  // drawer.
  #show() {
    const { dataset } = byID('app');
    dataset.drawer = this.#open ?? '';
    dataset.panel = this.#panelAway ? 'away' : '';
    byID('shade').hidden = this.#open === null;
    byID('sidebar').inert = narrow.matches ? this.#open !== 'sidebar' : this.#open !== null;
    byID('panel').inert = medium.matches ? this.#open !== 'panel' : this.#panelAway;
    for (const part of [byID('main'), byID('tour'), document.querySelector('.topbar')]) part.inert = this.#open !== null;
    const panelShown = medium.matches ? this.#open === 'panel' : !this.#panelAway;
    byID('sidebar-open').setAttribute('aria-expanded', String(this.#open === 'sidebar'));
    byID('panel-toggle').setAttribute('aria-expanded', String(panelShown));
    const label = panelShown ? 'Hide what the bot did' : 'Show what the bot did';
    byID('panel-toggle').setAttribute('aria-label', label);
    byID('panel-toggle').title = label;
  }
}
