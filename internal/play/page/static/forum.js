// forum.js lists the posts of a forum.
import { h, icon } from './dom.js';
import { ask } from './dialog.js';
import { morph } from './morph.js';
import { posts } from './tree.js';
import { plural } from './text.js';
import { channelAddress } from './urls.js';

export class Forum {
  constructor(store, session, container) {
    Object.assign(this, { store, session, container });
    store.on('channels', () => this.show());
  }

  show() {
    const forum = this.store.channel();
    if (forum?.kind !== 'forum') return;
    const list = posts(this.store.channels, forum.id);
    morph(this.container, [
      h('header', { class: 'forum-head' },
        h('p', {}, list.length > 0 ? plural(list.length, 'post', 'posts') : 'Nobody has posted here yet.'),
        forum.canSend && h('button', {
          type: 'button', class: 'press', 'data-style': 1, on: { click: () => this.#write(this.store.channel()) },
        }, 'New post')),
      h('ul', { class: 'posts' }, list.map((post) => h('li', { 'data-key': post.id }, this.#post(forum, post)))),
    ]);
  }

  #post(forum, post) {
    const applied = (forum.tags ?? []).filter((tag) => post.appliedTags?.includes(tag.id));
    return h('a', { class: 'post', href: channelAddress(post.id), 'data-unread': this.store.unread(post.id) },
      h('span', { class: 'post-title', dir: 'auto' }, post.name),
      h('span', { class: 'post-facts' },
        applied.map((tag) => h('span', { class: 'badge' }, tag.emoji ? `${tag.emoji} ${tag.name}` : tag.name)),
        h('span', {}, icon('dm'), plural(post.messages ?? 0, 'message', 'messages')),
        post.archived && h('span', {}, 'archived'),
        this.store.unread(post.id) && h('span', { class: 'post-new' }, 'new')));
  }

  #write(forum) {
    ask({
      title: `New post in ${forum.name}`,
      fields: [{ name: 'name', label: 'Title', limit: 100 }, { name: 'content', label: 'What is it about?', limit: 2000, lines: 5 }],
      confirm: 'Post',
      run: async (values) => {
        const post = await this.session.startThread(forum.id, values);
        this.session.open(post.id);
      },
    });
  }
}
