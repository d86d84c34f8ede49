// SPDX-License-Identifier: Apache-2.0
// Columns: the schema of a table, line by line. What was read from the records is NOT PRIVATE until each line is accepted.
import {texts, say} from './texts.js';
import {el, get, post, button, labelled, attempt, announce, later, stepHead, actions, go, Refused} from './tools.js';
import {Draft, columnTable, copy, fileBox, inOurWords} from './draft.js';
import {roleOf, memberOf} from './field.js';
import {personQuestion, takeProposal} from './persons.js';
import {whileWaiting, faultCounter} from './waiting.js';
import {imagesStep} from './images.js';
import {isFiles, namesOf, filesStep, linkedStep} from './linked.js';
import {isDatabase, databaseStep, readingForm, beforeDiscovery, writtenAs} from './reading.js';

const t = texts.columns;

// Bars of the real records: NOT PRIVATE.
function histogramButton(draft, path) {
  const trouble = el('div');
  const read = () => attempt(trouble, async () => {
    const found = await whileWaiting(trouble, t.drawing, (signal) => post('histograms', {path, schema: draft.schema, label: 'NOT PRIVATE'}, signal));
    if (found) draft.keepHistograms(found);
  }, ask);
  const ask = button(t.histograms, read);
  const draw = () => {
    ask.textContent = draft.histograms.size ? t.histogramsAgain : t.histograms;
    node.hidden = draft.histograms.size > 0 && draft.schema.fields.every((field) => !['column', 'label'].includes(roleOf(draft.schema, field)) || draft.histogramOf(field));
  };
  const node = el('div', {class: 'real-rows'}, el('div', {class: 'row'}, ask, el('span', {class: 'tag warn'}, texts.notPrivate)), trouble);
  return {node, draw, read};
}

// ---- proposals, rules ----

function proposalList(draft) {
  const node = el('section');
  const take = (some) => {
    draft.change((schema) => {
      some.forEach((one) => takeProposal(schema, one));
      schema.semblance.proposals = schema.semblance.proposals.filter((one) => !some.includes(one));
    });
    announce(say(t.proposalTaken, {words: some.map((one) => one.words).join('; ')}));
    (node.querySelector('button') || document.querySelector('.actions .main')).focus();
  };
  function draw() {
    const all = (draft.schema.semblance?.proposals || []).filter((one) => one.kind !== 'unit'); // persons are asked about above
    node.hidden = all.length === 0;
    if (node.hidden) return node.replaceChildren();
    return node.replaceChildren(el('h2', {}, t.proposals, ' ', el('span', {class: 'tag warn'}, texts.notPrivate)), el('p', {}, t.proposalsHint),
      all.length > 1 ? el('div', {class: 'row'}, button(say(t.acceptProposals, {count: all.length}), () => take(all))) : '',
      el('ul', {class: 'plain'}, all.map((one) => el('li', {class: 'row proposal'}, button(t.accept, () => take([one]), {label: say(t.acceptProposal, one)}), el('span', {}, inOurWords(one.words))))));
  }
  draw();
  return {node, draw};
}

function ruleBox(draft, path) {
  const verdict = el('p', {role: 'status'});
  const rulesOf = () => (draft.schema.semblance?.constraints || []).join('\n');
  const box = el('textarea', {rows: 4, spellcheck: 'false', value: rulesOf(),
    oninput: later(() => draft.change((schema) => {
      const rules = box.value.split('\n').map((one) => one.trim()).filter((one) => one !== '');
      schema.semblance ??= {};
      if (rules.length) schema.semblance.constraints = rules; else delete schema.semblance.constraints;
    }), 400)});
  const check = later(async () => {
    try {
      await post('check', {schema: draft.schema});
      verdict.className = 'good';
      verdict.textContent = t.rulesGood;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      verdict.className = 'bad';
      verdict.textContent = error.message;
    }
  });
  check();
  const node = el('section', {}, el('h2', {}, t.rules), labelled(t.rulesLabel, box, t.rulesHint), verdict,
    faultCounter(() => ({schema: draft.schema, path})));
  // What is being typed stays; what was undone goes.
  const draw = () => {
    if (document.activeElement !== box) box.value = rulesOf();
    check();
  };
  return {node, draw};
}

// ---- the step ----

function edit(body, path, draft, data, flag) {
  const trouble = el('div'), banner = el('div');
  const changed = el('span', {class: 'quiet', role: 'status'}), left = el('span', {role: 'status'});
  const parts = {columns: columnTable(draft), bars: histogramButton(draft, path), person: personQuestion(draft, path), proposals: proposalList(draft), rules: ruleBox(draft, path), file: fileBox(draft)};
  const undo = button(t.undo, () => draft.undo());
  const acceptAll = button('', () => {
    draft.accept(draft.waitingFields());
    announce(t.allAccepted);
    save.focus();
  });
  // A failure that names a column is mended on this step.
  const mend = (error) => {
    const name = error.message.match(/(?:column|field) '([^']+)'/)?.[1];
    return draft.schema.fields.some((field) => field.name === name) ? button(say(texts.mend.column, {name}), () => parts.columns.show(name, memberOf(error.message)).focus()) : null;
  };
  const save = button(t.save, () => attempt(trouble, async () => {
    await keep(path, draft);
    go('budget', path);
  }, save, mend), {main: true});
  const draw = () => {
    Object.values(parts).forEach((part) => part.draw());
    const names = draft.changes(), open = draft.waitingFields().length, asked = draft.schema.semblance?.proposals?.some((one) => one.kind === 'unit');
    changed.textContent = names === null ? t.newSchema : names.length ? say(t.changed, {names: names.slice(0, 20).join(', ')}) : t.unchanged;
    left.textContent = open ? say(open === 1 ? t.leftOne : t.left, {count: open}) : asked ? t.unanswered : t.all;
    left.className = open || asked ? 'bad' : 'good';
    acceptAll.textContent = open === 1 ? t.acceptAllOne : say(t.acceptAll, {count: open});
    acceptAll.hidden = open === 0;
    save.disabled = open > 0 || Boolean(asked);
    undo.disabled = draft.before.length === 0;
    banner.hidden = open === 0;
  };
  draft.onchange = draw;
  banner.append(el('p', {class: 'not-private'}, t.inspected), el('p', {}, t.acceptMeans));
  body.replaceChildren(banner, ...draft.notesOf(null).map((line) => el('p', {class: 'note'}, line)), el('p', {class: 'quiet'}, writtenAs(draft.schema)), parts.person.node, parts.bars.node, parts.columns.node,
    el('div', {class: 'row end'}, acceptAll), parts.proposals.node, readingForm(path, data, flag === 'reading') ?? '', el('details', {}, el('summary', {}, t.advanced), parts.rules.node, parts.file.node),
    trouble, actions(el('p', {class: 'state'}, left, ' ', changed), undo, save));
  draw();
  if (draft.waitingFields().length) parts.bars.read();
  if (flag === 'reading') return body.querySelector('.reading select, .reading input');
  return flag.startsWith('column=') ? parts.columns.show(flag.slice(7)) : null;
}

async function keep(path, draft) {
  const schema = copy(draft.schema);
  if (schema.semblance) delete schema.semblance.proposals; // those that were not taken are dropped
  const kept = await post('schema', {path, schema});
  draft.kept = JSON.stringify(kept.schema);
  announce(say(t.saved, {file: path}));
}

function choose(body, path, data, flag) {
  const trouble = el('div');
  const inspect = button(t.inspect, () => attempt(trouble, async () => {
    const found = await whileWaiting(trouble, t.inspecting, (signal) => post('inspect', {path}, signal), {counted: true});
    if (found) edit(body, path, new Draft(found.schema, '', found.notes), data, '');
  }, inspect), {main: true});
  const discover = button(t.discover, () => attempt(trouble, () => beforeDiscovery(body, path, data, trouble), discover));
  body.replaceChildren(el('p', {}, t.how), readingForm(path, data, flag === 'reading') ?? '', trouble,
    el('div', {class: 'choice'}, el('section', {class: 'card'}, el('h2', {}, t.discoverTitle), el('p', {}, t.discoverHint), el('div', {class: 'row end'}, discover)),
      el('section', {class: 'card'}, el('h2', {}, t.inspectTitle), el('p', {}, t.inspectHint), el('div', {class: 'row end'}, inspect))));
  return flag === 'reading' ? body.querySelector('.reading select, .reading input') : null;
}

export async function columnsStep({content}, {subject, flag}) {
  if (isDatabase(subject)) return databaseStep(content, subject);
  if (isFiles(subject)) return filesStep(content, namesOf(subject));
  const data = await get('data', {path: subject});
  if (data.kind === 'images') return imagesStep(content, subject, data);
  if (data.kind === 'package') return linkedStep(content, subject, flag);
  const body = el('div');
  content.append(...stepHead(subject, t.title, t.intro), body);
  const {schema} = await get('schema', {path: subject});
  return schema && Array.isArray(schema.fields) ? edit(body, subject, new Draft(schema, JSON.stringify(schema)), data, flag) : choose(body, subject, data, flag);
}
