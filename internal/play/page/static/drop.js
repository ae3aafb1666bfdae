// drop.js takes files that are dragged onto the page.
import { h } from './dom.js';

export function acceptDrops(area, composer) {
  const veil = h('div', { class: 'drop-veil', 'aria-hidden': 'true' }, h('span', {}, 'Drop to attach'));
  let depth = 0; // dragenter and dragleave come for every element on the way
  const carriesFiles = (event) => event.dataTransfer?.types.includes('Files');
  const end = () => {
    depth = 0;
    veil.remove();
  };
  area.addEventListener('dragenter', (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    if (depth++ === 0) area.append(veil);
  });
  area.addEventListener('dragleave', () => {
    if (depth > 0 && --depth === 0) veil.remove();
  });
  area.addEventListener('drop', (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    end();
    composer.addFiles(event.dataTransfer.files);
  });
  // A file that misses the area must not replace the page.
  for (const name of ['dragover', 'drop']) {
    addEventListener(name, (event) => carriesFiles(event) && event.preventDefault());
  }
  addEventListener('dragend', end);
}
