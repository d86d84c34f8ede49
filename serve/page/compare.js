// SPDX-License-Identifier: Apache-2.0
// A comparison with real records: a page of its own, marked NOT PRIVATE. This step asks for it until it is ready.
import {texts} from './texts.js';
import {el, get, post, button, labelled, ticked, attempt, resultAddress} from './tools.js';

const t = texts.compare;
const EVERY_MS = 500;
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

function progress({job, step, steps}) {
  const line = el('progress', {max: steps || null, 'aria-label': t.progress});
  if (steps) line.setAttribute('value', step);
  return el('div', {}, el('p', {}, t.comparing), line, el('div', {class: 'row'}, button(t.stop, () => post('stop', {run: job}))));
}

// Ask until the page is there; alive: this step is still shown.
async function follow(run, question, shown, alive) {
  let held = false;
  for (let again = 1; alive(); again = 0) {
    const found = await post('compare', {run, label: 'NOT PRIVATE', again, ...question});
    if (found.done) {
      shown.replaceChildren(el('p', {class: 'not-private'}, t.banner),
        el('div', {class: 'row'}, el('a', {class: 'button', href: resultAddress(run, found.name), target: '_blank', rel: 'noopener noreferrer'}, t.open)));
      return;
    }
    held = shown.contains(document.activeElement);
    shown.replaceChildren(progress(found));
    if (held) shown.querySelector('button').focus();
    await wait(EVERY_MS);
  }
}

// Data sets of the same kind, to be chosen from; any other can be typed.
async function proposals(kind, input) {
  const found = await get('files');
  const list = {table: found.tables, images: found.images, package: found.packages}[kind];
  return {sets: list.map((one) => one.path).filter((one) => one !== input), labels: found.labels.map((one) => one.path)};
}

function fuller(run, ask, {sets, labels}) {
  const options = (id, values) => el('datalist', {id}, values.slice(0, 200).map((value) => el('option', {value})));
  const heldOut = el('input', {type: 'text', list: 'held-out-list', spellcheck: 'false'});
  const heldLabels = el('input', {type: 'text', list: 'held-labels-list', spellcheck: 'false'});
  let models = false;
  const start = button(t.full, () => ask(start, {held_out: heldOut.value.trim() || undefined, held_out_labels: heldLabels.value.trim() || undefined, models}));
  return el('details', {}, el('summary', {}, t.fuller), labelled(t.heldOut, heldOut, t.heldOutHint), options('held-out-list', sets),
    run.kind === 'images' ? [labelled(t.heldLabels, heldLabels), options('held-labels-list', labels)] : null,
    el('div', {}, ticked(t.models, false, (on) => (models = on))), el('div', {class: 'row'}, start));
}

export async function compare(run, alive) {
  const trouble = el('div'), shown = el('div', {role: 'status'});
  const ask = (control, question) => attempt(trouble, async () => {
    try {
      await follow(run.run, question, shown, alive);
    } catch (error) {
      shown.replaceChildren();
      throw error;
    }
  }, control);
  const plain = button(t.compares[run.kind], () => ask(plain, {}));
  return el('details', {class: 'real-rows'}, el('summary', {}, t.title, ' ', el('span', {class: 'tag warn'}, texts.notPrivate)),
    el('div', {class: 'row'}, plain, el('span', {}, t.hints[run.kind])), fuller(run, ask, await proposals(run.kind, run.input)), trouble, shown);
}
