// popup.js opens a small window next to what it belongs to. The browser closes it
// with Escape and with a click elsewhere, and gives the focus back.
import { h } from './dom.js';

// popup shows content next to an element and returns { node, close }. closed() is
// called once, however it ends.
export function popup(anchor, content, { label, role = 'dialog', closed = () => {} }) {
  const node = h('div', { class: 'popup', role, 'aria-label': label, popover: 'auto' }, content);
  document.body.append(node);
  node.addEventListener('toggle', (event) => {
    if (event.newState !== 'closed') return;
    node.remove();
    closed();
  });
  node.showPopover();
  place(node, anchor.getBoundingClientRect());
  return { node, close: () => node.hidePopover() };
}

// place puts the window below its anchor, or above if there is more room.
function place(node, anchor) {
  const gap = 6;
  const { offsetWidth: width, offsetHeight: height } = node;
  const left = Math.max(gap, Math.min(anchor.right - width, innerWidth - width - gap));
  const below = anchor.bottom + gap;
  const top = below + height > innerHeight - gap ? Math.max(gap, anchor.top - height - gap) : below;
  node.style.left = `${left}px`;
  node.style.top = `${top}px`;
}
