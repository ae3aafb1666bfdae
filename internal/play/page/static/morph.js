// morph.js changes what is shown into what should be shown and leaves alone what
// is the same. An answer that grows while it is being read keeps the reader's
// selection, focus and scroll position.

// kept are attributes that the page sets while somebody reads.
const kept = new Set(['data-open']);

// morph makes the children of node equal to wanted. Children with a data-key are
// recognised by it wherever they stand; others by their place.
export function morph(node, wanted) {
  let here = node.firstChild;
  for (const next of wanted) {
    const match = next.dataset?.key ? keyed(here, next) : here && alike(here, next) && !here.dataset?.key ? here : null;
    if (match === null) {
      node.insertBefore(next, here);
      continue;
    }
    update(match, next);
    if (match === here) here = here.nextSibling;
    else node.insertBefore(match, here);
  }
  while (here !== null) {
    const after = here.nextSibling;
    here.remove();
    here = after;
  }
}

function keyed(here, wanted) {
  for (let node = here; node !== null; node = node.nextSibling) {
    if (node.dataset?.key === wanted.dataset.key && alike(node, wanted)) return node;
  }
  return null;
}

const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && a.className === b.className;

function update(node, wanted) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (node.data !== wanted.data) node.data = wanted.data;
    return;
  }
  if (node.nodeName === 'svg') return; // icons of one class are the same
  for (const { name } of [...node.attributes]) {
    if (!wanted.hasAttribute(name) && !kept.has(name)) node.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (node.getAttribute(name) === value) continue;
    if (name === 'style') node.style.cssText = wanted.style.cssText; // the page's policy forbids the attribute
    else node.setAttribute(name, value);
  }
  morph(node, [...wanted.childNodes]);
}
