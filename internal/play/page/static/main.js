// main.js puts the page together: a store that knows, a session that asks and
// tells the server, and views that show. Nothing else is global.
import { Actions } from './actions.js';
import { Announcer } from './announce.js';
import { Banner } from './banner.js';
import { CallView } from './call.js';
import { ClockView } from './clock.js';
import { Commands } from './commands.js';
import { Composer } from './composer.js';
import { Conversation } from './conversation.js';
import { byID, h } from './dom.js';
import { Drawers } from './drawers.js';
import { acceptDrops } from './drop.js';
import { Forum } from './forum.js';
import { Ideas } from './ideas.js';
import { modelButton } from './model.js';
import { keepTime } from './moments.js';
import { Panel } from './panel.js';
import { Session } from './session.js';
import { Sidebar } from './sidebar.js';
import { Store } from './store.js';
import { Topbar } from './topbar.js';
import { Tour } from './tour.js';
import { firstOpen } from './tree.js';
import { TroubleView } from './trouble.js';
import { TurnView } from './turn.js';

const firstSpeaker = 'you'; // the owner of the playground's server
const speaker = 'speaker'; // where the tab remembers who speaks

let aboutShown = '';

const store = new Store();
const session = new Session(store);
const drawers = new Drawers();
const panel = new Panel(store);
const ideas = new Ideas(store, byID('ideas'), (idea) => say(idea));
const commands = new Commands(store, session);
const conversation = new Conversation(store, session, { chips: () => ideas.chips(), commands });
const composer = new Composer(store, session, byID('composer'), { sent: () => conversation.toNewest(), commands });
const sidebar = new Sidebar(store, byID('channels'));
new Topbar(store, { speakAs });
new TurnView(store, byID('turn'));
new ClockView(store, session, byID('clock'));
const call = new CallView(store, session, byID('call'));
new TroubleView(store, session, byID('trouble'), showMessage);
new Forum(store, session, byID('forum'));
new Announcer(store, byID('announcer'));
new Banner(store, byID('banner'), () => session.retry());
new Actions({ store, session, list: conversation.list, composer }).listen(byID('scroller'));
const tour = new Tour(store, session, byID('tour'), { say: (idea) => say(idea, false), show: showMessage, over: focusField });
byID('tour-again').addEventListener('click', () => {
  drawers.close();
  tour.begin();
});
acceptDrops(byID('conversation'), composer);
store.on('world', () => {
  if (store.me) remember(store.me.name);
  conversation.refreshLead(); // others have other things to try
});
store.on('bot', showBot);
listenToKeys();
keepTime(document.body);
begin();

async function begin() {
  const about = await session.about().catch(() => null); // one can play without it
  session.fallback = about?.as ?? firstSpeaker;
  showAbout(about);
  await session.begin(remembered() || session.fallback);
  focusField();
  showIdeas();
}

// With a keyboard one wants to type at once; on a touch screen the keyboard would
// cover the page.
function focusField() {
  if (!matchMedia('(pointer: coarse)').matches) composer.focus();
}

async function speakAs(person) {
  await session.begin(person.name);
}

// say does what an idea says: as whom, where, and what. Another person speaks for this one idea only.
async function say({ text, as, channel }, focuses = true) {
  drawers.close();
  const person = as && [...store.people.values()].find((one) => one.name === as || one.id === as);
  if (as && !person) throw new Error(`there is nobody called ${as} here`);
  const name = String(channel ?? '').replace(/^#/, '');
  const place = name && [...store.channels.values()].find((one) => one.id === name || one.name === name);
  if (name && !place) throw new Error(`${store.me.name} sees no channel called ${name}`);
  if (place) session.open(place.id);
  else if (!store.channel()?.canSend || store.channel().kind === 'forum') session.open(firstOpen(store.channels));
  if (focuses) focusField();
  await composer.send(text, person && person.id !== store.me.id ? person : null);
}

// showMessage goes to a message, however old it is, and tells whether it is there.
async function showMessage(channel, message) {
  drawers.close();
  await session.open(channel);
  const found = await session.find(channel, message);
  if (found) conversation.list.jump(message);
  return found;
}

// showBot lets all of the page show that the bot is dead. Once it is there again, another model may speak.
async function showBot() {
  byID('app').dataset.bot = store.bot.state;
  if (store.bot.state === 'alive') showAbout(await session.about().catch(() => null));
}

function showAbout(about) {
  if (!about?.speaker || JSON.stringify(about) === aboutShown) return; // a button that somebody is about to press stays
  aboutShown = JSON.stringify(about);
  if (about.strangers) store.setStrangers(about.strangers);
  call.setWays(about.voice ?? null);
  composer.setFoot(
    h('bdi', { class: 'who-answers' }, about.speaker),
    about.demo ? h('span', { class: 'badge' }, 'demo') : '',
    modelButton(session, about.demo, showAbout),
    about.version ? h('span', { class: 'version' }, about.version) : '');
}

async function showIdeas() {
  const answer = await session.ideas().catch(() => null); // nor are these needed
  panel.setIdeas(ideas.set(answer?.ideas ?? []));
  conversation.refreshLead();
}

function listenToKeys() {
  byID('skip').addEventListener('click', (event) => {
    event.preventDefault();
    composer.focus();
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !document.querySelector('dialog[open], [popover]')) {
      if (!drawers.close()) conversation.toNewest();
    }
    if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      event.preventDefault();
      sidebar.step(event.key === 'ArrowUp' ? -1 : 1);
    }
  });
}

function remembered() {
  try {
    return sessionStorage.getItem(speaker) ?? '';
  } catch {
    return ''; // storage is off
  }
}

function remember(name) {
  try {
    sessionStorage.setItem(speaker, name);
  } catch {
    // Storage is off; after a reload the server says who speaks.
  }
}
