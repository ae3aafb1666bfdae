// model.js lets another model speak for the bot: one of this computer, or a vendor's with a key. What is found is offered, and
// used only when it was chosen.
import { ask } from './dialog.js';
import { h } from './dom.js';

const script = 'The script, which costs nothing';

// modelButton leads to the choice. While the script speaks, it names what was found on this computer as soon as that is known.
export function modelButton(session, demo, changed) {
  const button = h('button', { type: 'button', class: 'link', id: 'choose-model', on: { click: () => chooseModel(session, changed) } },
    demo ? 'Use a real model' : 'Change');
  if (demo) {
    session.models().then(({ found }) => {
      if (found.length > 0) button.textContent = `Use ${found[0]}`;
    }, () => {}); // one can choose without it
  }
  return button;
}

// chooseModel asks who speaks, and passes on who does then.
async function chooseModel(session, changed) {
  const { found, vendors } = await session.models();
  const withKey = new Map(vendors.map((vendor) => [`${vendor}, with a key`, vendor]));
  ask({
    title: 'Who speaks for the bot?',
    text: `${found.length > 0 ? 'The first of these are on this computer.' : 'No model was found on this computer.'} A key stays in the playground’s memory until you stop it. A vendor’s model costs money.`,
    fields: [
      { name: 'who', label: 'Model', options: [...found, ...withKey.keys(), script] },
      { name: 'key', label: 'API key', secret: true, required: false },
    ],
    confirm: 'Use it',
    run: async ({ who, key }) => {
      const vendor = withKey.get(who);
      if (vendor && !key) throw new Error(`paste your API key of ${vendor}`);
      changed(await session.chooseModel(vendor ? { vendor, key } : who === script ? {} : { found: who }));
    },
  });
}
