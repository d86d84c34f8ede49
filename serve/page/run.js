// SPDX-License-Identifier: Apache-2.0
// Run: how far each run is; stop and resume. Nothing is lost when the page is closed: the server goes on.
import {texts, say} from './texts.js';
import {el, get, post, button, attempt, adviceList, announce, mendLink, stepHead, place, runParts} from './tools.js';

const t = texts.run;
const EVERY_MS = 700;

function progress(run) {
  const what = t.what[run.what] || run.what || t.begins;
  const known = run.steps > 0;
  const line = el('progress', {max: known ? run.steps : null, 'aria-label': say(t.progress, {what})});
  if (known) line.setAttribute('value', run.step);
  return el('div', {}, el('p', {}, what, known ? ` ${Math.floor(100 * run.step / run.steps)} %` : ''), line);
}

function card(run, again) {
  const trouble = el('div');
  const {number} = runParts(run.run);
  const kind = run.state === 'done' ? 'good' : run.state === 'failed' ? 'bad' : 'warn';
  const act = (path, words) => attempt(trouble, async () => {
    await post(path, {run: run.run});
    if (words) announce(words);
    again();
  });
  const controls = [];
  if (run.state === 'running') controls.push(button(t.stop, () => act('stop', t.stopping)));
  if (run.state === 'done') controls.push(el('a', {class: 'button main', href: place('look', run.run)}, t.look));
  // If nothing was released, the cause must be mended before the run can succeed.
  const anew = run.state === 'failed' && !run.has_release;
  const mend = anew ? mendLink(run, run.input) || el('a', {href: place('budget', run.input)}, texts.mend.budget) : null;
  if (run.state === 'stopped' || run.state === 'failed') controls.push(button(t.resume, () => act('resume'), {main: !anew}));
  if (mend) {
    if (run.discovers && mend.hash.startsWith('#budget')) mend.href = place('budget', run.input, 'discover');
    mend.className = 'button main';
    controls.push(mend);
  }
  return el('section', {class: 'card', 'data-run': run.run, 'data-state': run.state},
    el('h2', {}, say(t.of, {number, input: run.input, epsilon: run.epsilon}), ' ', el('span', {class: `tag ${kind}`}, t.states[run.state])),
    run.title || run.by ? el('p', {class: 'quiet'}, [run.title, run.by].filter(Boolean).join(', ')) : null,
    run.state === 'running' ? progress(run) : null,
    run.message ? el('p', {class: 'failure'}, run.message) : null,
    run.state === 'stopped' ? el('p', {}, t.stopped, ' ', run.has_release ? t.released : '') : null,
    adviceList(run.advice),
    trouble, el('div', {class: 'row end'}, controls));
}

export async function runStep({content, alive, onLeave}, {subject}) {
  const list = el('div');
  const states = new Map();
  let timer = null;
  onLeave(() => clearTimeout(timer));
  content.append(...stepHead('', t.title, t.intro), list);

  async function draw() {
    clearTimeout(timer);
    const {runs} = await get('runs');
    if (!alive()) return;
    // The one that was asked for first, then those that run, then the newest.
    runs.reverse().sort((a, b) => (b.run === subject) - (a.run === subject) || (b.state === 'running') - (a.state === 'running'));
    const held = document.activeElement?.closest?.('[data-run]')?.dataset.run;
    list.replaceChildren(...(runs.length ? runs.slice(0, 50).map((run) => card(run, draw)) : [el('p', {}, t.none, ' ', el('a', {href: place('open')}, t.open))]));
    if (held) [...list.querySelectorAll('[data-run]')].find((one) => one.dataset.run === held)?.querySelector('button, a')?.focus();
    for (const run of runs) {
      if (states.has(run.run) && states.get(run.run) !== run.state) announce(`${run.input}: ${t.states[run.state]}`);
      states.set(run.run, run.state);
    }
    if (runs.some((run) => run.state === 'running')) timer = setTimeout(draw, EVERY_MS);
  }
  await draw();
}
