// topbar.js names the channel, and lets one choose who speaks and the colours.
import { arrows, byID, h, icon, rove } from './dom.js';
import { avatar, badges } from './face.js';
import { morph } from './morph.js';
import { rich } from './rich.js';
import { popup } from './popup.js';
import { channelAddress } from './urls.js';

export class Topbar {
  // speakAs(person) is called when another person is chosen.
  constructor(store, { speakAs }) {
    this.store = store;
    this.speakAs = speakAs;
    this.button = byID('speak-as');
    this.button.addEventListener('click', () => this.#choose());
    store.on('world', () => this.#show());
    store.on('channels', () => this.#show());
    store.on('open', () => this.#show());
    themeSwitch(byID('theme-switch'));
  }

  #show() {
    const { store } = this;
    const channel = store.channel();
    byID('server-name').textContent = store.guild.name || 'Playground';
    if (store.me) this.#showMe(store.me);
    if (!channel) return;
    const parent = channel.kind === 'thread' ? store.channels.get(channel.parent) : null;
    morph(byID('channel-title'), [
      h('span', { class: 'channel-kind', 'data-key': channel.kind }, icon(channel.kind)),
      h('h1', {},
        parent && h('a', { class: 'parent', href: channelAddress(parent.id) }, h('bdi', {}, parent.name)),
        parent && h('span', { class: 'parent-sign', 'aria-hidden': 'true' }, '›'),
        h('bdi', {}, channel.name)),
      channel.topic && h('div', { class: 'topic rich', title: channel.topic }, rich(channel.topic, store.names)),
    ].filter(Boolean));
    document.title = `${channel.kind === 'thread' ? '' : '#'}${channel.name} · ${store.guild.name}`;
  }

  #showMe(me) {
    this.button.replaceChildren(
      avatar(me),
      h('span', { class: 'speak-words' }, h('span', { class: 'speak-label' }, 'Speaking as'), h('bdi', { class: 'speak-name' }, me.name)),
      icon('chevron'));
    this.button.setAttribute('aria-label', `Speaking as ${me.name}. Choose who speaks`);
  }

  #choose() {
    const { me, people } = this.store;
    if (!me) return;
    const options = [...people.values()].filter((person) => !person.bot).map((person) => this.#option(person, person.id === me.id));
    const list = h('div', { class: 'people', role: 'listbox', 'aria-label': 'Who speaks' }, options);
    arrows(list, () => options);
    const window = popup(this.button, [h('p', { class: 'popup-title' }, 'Speak as'), list], {
      label: 'Who speaks', closed: () => this.button.setAttribute('aria-expanded', 'false'),
    });
    this.button.setAttribute('aria-expanded', 'true');
    const chosen = options.find((option) => option.getAttribute('aria-selected') === 'true') ?? options[0];
    rove(options, chosen);
    chosen?.focus();
    list.addEventListener('click', (event) => {
      const option = event.target.closest('[role=option]');
      if (!option) return;
      window.close();
      if (option.dataset.person !== me.id) this.speakAs(people.get(option.dataset.person));
    });
  }

  #option(person, selected) {
    return h('button', { type: 'button', class: 'person', role: 'option', 'aria-selected': String(selected), 'data-person': person.id },
      avatar(person),
      h('span', { class: 'person-words' },
        h('span', { class: 'person-name' }, h('bdi', {}, person.name), badges(person)),
        person.note && h('span', { class: 'person-note' }, person.note)),
      selected && icon('done'));
  }
}

// themeSwitch makes a button that turns dark into light and back. Until it is used,
// the colours follow the system.
function themeSwitch(button) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);
  const show = () => {
    const label = isDark() ? 'Use light colours' : 'Use dark colours';
    button.replaceChildren(icon(isDark() ? 'light' : 'dark'));
    button.setAttribute('aria-label', label);
    button.title = label;
  };
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try {
      localStorage.setItem('theme', root.dataset.theme);
    } catch {
      // Storage is off; the choice lasts until the page is closed.
    }
    show();
  });
  system.addEventListener('change', show);
  show();
}
