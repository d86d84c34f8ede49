// Columns: the schema of a table, line by line. What was read from the records is NOT PRIVATE until each line is accepted.
import {texts, say} from './texts.js';
import {el, get, post, button, labelled, attempt, announce, failure, later, stepHead, headRow, tableBox, actions, go, Refused} from './tools.js';
import {roleOf, factsOf, fieldForm} from './field.js';
import {histogram, firstRows} from './histogram.js';
import {personQuestion, takeProposal} from './persons.js';
import {whileWaiting, faultCounter} from './waiting.js';
import {imagesStep} from './images.js';
import {linkedStep} from './linked.js';
import {isDatabase, databaseStep, readingForm, beforeDiscovery, writtenAs} from './reading.js';

const t = texts.columns;
const AT_ONCE = 100; // columns that are drawn

// The program's advice names members of the schema's file; here they are fields of a form.
const inOurWords = (line) => t.noteWords.reduce((text, [theirs, ours]) => text.replace(theirs, ours), line);

const copy = (value) => JSON.parse(JSON.stringify(value));
// A line that is not accepted yet keeps the list of the facts that were read from the records.
const isInspected = (schema, field) => /^(inspected|guessed)/.test(schema.semblance?.origin?.how) && field.semblance?.origin !== undefined;

// The schema that is worked on: every change is kept, so that it can be undone.
class Draft {
  constructor(schema, kept, notes = '') {
    this.schema = schema;
    this.kept = kept; // JSON text of the one on disk; '': none
    this.notes = notes.split('\n').filter((line) => line !== '' && !line.startsWith('proposal ')); // of an inspection
    this.before = [];
    this.histograms = new Map(); // by name: the field, as text, and its bars
    this.onchange = () => {};
  }

  change(f) {
    this.before.push(copy(this.schema));
    f(this.schema);
    this.onchange();
  }

  undo() {
    if (this.before.length === 0) return;
    this.schema = this.before.pop();
    this.onchange();
  }

  waitingFields() {
    return this.schema.fields.filter((field) => isInspected(this.schema, field));
  }

  accept(fields) {
    this.change(() => fields.forEach((field) => {
      delete field.semblance.origin;
      if (Object.keys(field.semblance).length === 0) delete field.semblance;
    }));
  }

  // Accepting a line and persons do not change its bars; other bounds do.
  static barsOf(field) {
    return JSON.stringify(field, (key, value) => (key === 'origin' || key === 'per' ? undefined : value)).replace(',"semblance":{}', '');
  }

  keepHistograms({rows, columns}) {
    this.histogramRows = rows;
    const now = new Map(this.schema.fields.map((field) => [field.name, Draft.barsOf(field)]));
    this.histograms = new Map(columns.map((one) => [one.name, {...one, of: now.get(one.name)}]));
    this.onchange();
  }

  histogramOf(field) {
    const found = this.histograms.get(field.name);
    return found && found.of === Draft.barsOf(field) ? found : null;
  }

  // Notes of an inspection on a column; for null: on the file.
  notesOf(field) {
    const of = (one) => one.name + ': ';
    if (field) return this.notes.filter((line) => line.startsWith(of(field))).map((line) => inOurWords(line.slice(of(field).length)));
    return this.notes.filter((line) => !this.schema.fields.some((one) => line.startsWith(of(one))));
  }

  // Names of columns that differ from those on disk.
  changes() {
    if (!this.kept) return null;
    const old = JSON.parse(this.kept);
    const names = this.schema.fields.filter((field, i) => JSON.stringify(field) !== JSON.stringify(old.fields[i])).map((field) => field.name);
    return names.length === 0 && JSON.stringify(old) !== JSON.stringify(this.schema) ? [texts.columns.rules] : names;
  }
}

// ---- the table of columns ----

function approval(draft, field, i, body, toggle) {
  if (!isInspected(draft.schema, field)) return roleOf(draft.schema, field) === 'ignore' ? t.notUsed : el('span', {class: 'tag good'}, t.declared);
  const accept = button(t.accept, () => {
    draft.accept([field]);
    announce(say(t.accepted, field));
    (body.querySelector('[data-accept]') || toggle).focus();
  }, {label: say(t.acceptLabel, field)});
  accept.dataset.accept = i;
  return [el('span', {class: 'tag warn'}, texts.notPrivate), ' ', accept];
}

function columnTable(draft) {
  const body = el('tbody'), head = el('thead'), open = new Set();
  let count = AT_ONCE;
  const more = button('', () => { count += AT_ONCE; draw(); });
  const change = (i, f) => draft.change((schema) => f(schema.fields[i], schema));
  const toggleOf = (i) => body.querySelector(`[data-edit="${i}"]`);

  function rowOf(field, i) {
    const editing = open.has(i), role = roleOf(draft.schema, field), bars = draft.histogramOf(field);
    const toggle = button(editing ? t.close : t.edit, () => {
      if (editing) open.delete(i); else open.add(i);
      draw();
      toggleOf(i)?.focus();
    }, {label: say(editing ? t.closeLabel : t.editLabel, field)});
    toggle.dataset.edit = i;
    toggle.setAttribute('aria-expanded', editing);
    const type = role === 'column' || role === 'label' ? texts.field.types[field.type || 'any'] || field.type : texts.field.roles[role];
    const row = el('tr', {}, el('th', {scope: 'row'}, field.name, el('span', {class: 'sub'}, type)),
      el('td', {}, role === 'label' ? el('p', {class: 'flush'}, el('span', {class: 'tag'}, texts.field.roles.label)) : null, factsOf(draft.schema, field), draft.notesOf(field).map((line) => el('p', {class: 'note'}, line))),
      draft.histograms.size ? el('td', {class: 'real-rows'}, bars ? [el('span', {class: 'tag warn phone'}, texts.notPrivate), histogram(bars, texts.histogram.real)] : null) : null,
      el('td', {}, approval(draft, field, i, body, toggle)), el('td', {}, toggle));
    return editing ? [row, el('tr', {class: 'editor'}, el('td', {colspan: draft.histograms.size ? 5 : 4}, fieldForm(draft.schema, field, (f) => change(i, f))))] : [row];
  }

  function draw() {
    const fields = draft.schema.fields, bars = el('th', {scope: 'col', class: 'real-rows'}, t.histogram, ' ', el('span', {class: 'tag warn'}, texts.notPrivate), firstRows(draft.histogramRows));
    head.replaceChildren(...headRow([t.name, t.facts, t.state, t.change]).childNodes);
    if (draft.histograms.size) head.rows[0].cells[1].after(bars);
    body.replaceChildren(...fields.slice(0, count).flatMap(rowOf));
    more.textContent = say(t.more, {count: Math.min(AT_ONCE, fields.length - count)});
    more.hidden = fields.length <= count;
  }

  // Opens the form of a column; its first control, or null where there is no such column.
  function show(name) {
    const i = draft.schema.fields.findIndex((field) => field.name === name);
    if (i < 0) return null;
    open.add(i);
    count = Math.max(count, i + 1);
    draw();
    const control = toggleOf(i).closest('tr').nextElementSibling.querySelector('select, input');
    control.scrollIntoView({block: 'center'});
    return control;
  }

  draw();
  return {node: el('div', {}, tableBox(el('table', {class: 'stack'}, head, body), t.title), more), draw, show};
}

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

// ---- proposals, rules, the file ----

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

function fileBox(draft) {
  const trouble = el('div');
  const box = el('textarea', {rows: 16, spellcheck: 'false'});
  const use = button(t.jsonApply, () => {
    trouble.replaceChildren();
    try {
      const schema = JSON.parse(box.value);
      if (!Array.isArray(schema.fields)) throw new SyntaxError('fields');
      draft.change(() => (draft.schema = schema));
    } catch (error) {
      trouble.replaceChildren(failure(new Error(say(t.jsonBad, {why: error.message}))));
    }
  });
  const node = el('details', {ontoggle: () => draw()}, el('summary', {}, t.json), labelled(t.json, box, t.jsonHint), use, trouble);
  const draw = () => { if (node.open) box.value = JSON.stringify(draft.schema, null, 2); };
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
    return draft.schema.fields.some((field) => field.name === name) ? button(say(texts.mend.column, {name}), () => parts.columns.show(name).focus()) : null;
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
  const data = await get('data', {path: subject});
  if (data.kind === 'images') return imagesStep(content, subject, data);
  if (data.kind === 'package') return linkedStep(content, subject, data);
  const body = el('div');
  content.append(...stepHead(subject, t.title, t.intro), body);
  const {schema} = await get('schema', {path: subject});
  return schema && Array.isArray(schema.fields) ? edit(body, subject, new Draft(schema, JSON.stringify(schema)), data, flag) : choose(body, subject, data, flag);
}
