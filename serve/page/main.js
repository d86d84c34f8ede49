// SPDX-License-Identifier: Apache-2.0
// The page: one step at a time, by the part of the address behind #. What a step shows comes from the server, so that the
// page can be loaded again, closed, and opened twice.
import {texts, say} from './texts.js';
import {el, get, failure, place, runParts, Refused} from './tools.js';
import {openStep} from './open.js';
import {columnsStep} from './columns.js';
import {budgetStep} from './budget.js';
import {runStep} from './run.js';
import {lookStep} from './look.js';
import {ledgersStep} from './ledgers.js';

const steps = {open: openStep, columns: columnsStep, budget: budgetStep, run: runStep, look: lookStep, ledgers: ledgersStep};
const about = {version: '', folder: ''};
let leave = () => {};
let shown = 0;

function where() {
  const [step, subject, flag] = location.hash.slice(1).split('/');
  return {step: step in steps ? step : 'open', subject: decodeURIComponent(subject || ''), flag: decodeURIComponent(flag || '')};
}

// The table that the steps are about, whatever the subject is.
function tableOf({step, subject}) {
  return step === 'run' || step === 'look' ? (subject.includes('.runs/') ? runParts(subject).input : '') : subject;
}

function drawSteps(now) {
  const table = tableOf(now);
  const needs = {columns: table, budget: table.includes('\n') ? '' : table}; // several files have no package yet
  const items = Object.keys(steps).map((step, i) => {
    const words = [el('span', {class: 'step'}, String(i + 1)), ' ', texts.steps[step]];
    const subject = step === 'columns' || step === 'budget' ? table : (step === 'look' || step === 'run') ? (now.subject.includes('.runs/') ? now.subject : '') : '';
    const current = step === now.step ? 'step' : null;
    return el('li', {}, step in needs && !needs[step]
      ? el('span', {title: texts.later}, words)
      : el('a', {href: place(step, subject), 'aria-current': current}, words));
  });
  document.getElementById('steps').replaceChildren(el('ol', {}, items));
  document.getElementById('brand').replaceChildren(texts.brand, ' ', el('span', {}, about.folder));
}

async function show() {
  const now = where();
  const turn = ++shown;
  const main = document.getElementById('main');
  leave();
  leave = () => {};
  drawSteps(now);
  const content = el('div');
  const context = {content, about, alive: () => turn === shown, onLeave: (f) => (leave = f)};
  main.replaceChildren(content);
  let wanted = null; // what a step wants to have the focus instead of its title
  try {
    wanted = await steps[now.step](context, now);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    content.append(failure(error));
  }
  const title = content.querySelector('h1');
  if (!title || turn !== shown) return;
  document.title = `${title.textContent} – ${texts.brand}`;
  title.tabIndex = -1;
  (wanted instanceof Element ? wanted : title).focus();
}

async function begin() {
  document.getElementById('skip').textContent = texts.skip;
  document.getElementById('skip').addEventListener('click', (event) => {
    event.preventDefault(); // the address behind # is the step
    document.getElementById('main').focus();
  });
  Object.assign(about, await get('files').catch(() => ({})));
  document.getElementById('footer').textContent = say(texts.footer, {version: about.version});
  addEventListener('hashchange', show);
  await show();
}

begin();
