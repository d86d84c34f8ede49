// Columns: the schema of a table, line by line. What was read from the records is NOT PRIVATE until each line is accepted.
import {texts, say} from './texts.js';
import {el, get, post, button, labelled, ticked, attempt, announce, failure, later, go, Refused} from './tools.js';
import {roleOf, factsOf, fieldForm} from './field.js';
import {whileWaiting, faultCounter} from './waiting.js';
import {imagesStep} from './images.js';
import {linkedStep} from './linked.js';
import {isDatabase, databaseStep, readingForm} from './reading.js';

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
    this.taken = new Set(); // proposals, from 1
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

  waiting() {
    return this.schema.fields.filter((field) => isInspected(this.schema, field)).length;
  }

  accept(i) {
    this.change((schema) => {
      delete schema.fields[i].semblance.origin;
      if (Object.keys(schema.fields[i].semblance).length === 0) delete schema.fields[i].semblance;
    });
  }

  // What an inspection says of a column; of null: of the file.
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

function columnTable(draft) {
  const body = el('tbody');
  const open = new Set();
  let count = AT_ONCE;
  const more = button('', () => { count += AT_ONCE; draw(); });

  function change(i, f) {
    draft.change((schema) => f(schema.fields[i], schema));
  }

  function rowOf(field, i) {
    const editing = open.has(i);
    const toggle = button(editing ? t.close : t.edit, () => {
      if (editing) open.delete(i); else open.add(i);
      draw();
      body.querySelector(`[data-edit="${i}"]`)?.focus();
    }, {label: say(editing ? t.closeLabel : t.editLabel, field)});
    toggle.dataset.edit = i;
    toggle.setAttribute('aria-expanded', editing);
    const state = isInspected(draft.schema, field)
      ? el('td', {}, el('span', {class: 'tag warn'}, texts.notPrivate), ' ', button(t.accept, () => {
        draft.accept(i);
        announce(say(t.accepted, field));
        (body.querySelector('[data-accept]') || toggle).focus();
      }, {label: say(t.acceptLabel, field)}))
      : el('td', {}, roleOf(draft.schema, field) === 'ignore' ? t.notUsed : el('span', {class: 'tag good'}, t.declared));
    if (isInspected(draft.schema, field)) state.querySelector('button').dataset.accept = i;
    const row = el('tr', {}, el('th', {scope: 'row'}, field.name), el('td', {}, texts.field.types[field.type || 'any'] || field.type),
      el('td', {}, texts.field.roles[roleOf(draft.schema, field)] || ''), el('td', {}, factsOf(draft.schema, field), draft.notesOf(field).map((line) => el('p', {class: 'note'}, line))), state, el('td', {}, toggle));
    return editing ? [row, el('tr', {class: 'editor'}, el('td', {colspan: 6}, fieldForm(draft.schema, field, (f) => change(i, f))))] : [row];
  }

  function draw() {
    const fields = draft.schema.fields;
    body.replaceChildren(...fields.slice(0, count).flatMap(rowOf));
    more.textContent = say(t.more, {count: Math.min(AT_ONCE, fields.length - count)});
    more.hidden = fields.length <= count;
  }
  draw();
  const heads = [t.name, t.type, t.role, t.facts, t.state, t.change];
  const node = el('div', {}, el('div', {class: 'tablebox'}, el('table', {class: 'stack'},
    el('thead', {}, el('tr', {}, heads.map((one) => el('th', {scope: 'col'}, one)))), body)), more);
  return {node, draw};
}

// ---- proposals, rules, the file ----

function proposalList(draft) {
  const all = draft.schema.semblance?.proposals || [];
  if (all.length === 0) return null;
  return el('section', {}, el('h2', {}, t.proposals, ' ', el('span', {class: 'tag warn'}, texts.notPrivate)), el('p', {}, t.proposalsHint),
    all.map((one, i) => el('div', {}, ticked(one.words, draft.taken.has(i + 1), (on) => (on ? draft.taken.add(i + 1) : draft.taken.delete(i + 1))))));
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

// How the file is written, as the schema says.
function writtenAs({dialect = {}, encoding = 'utf-8', fields}) {
  const delimiter = dialect.delimiter || ',';
  const header = dialect.header === false ? t.noHeader : dialect.commentChar ? say(t.headerBehind, {sign: dialect.commentChar}) : say(t.header, {line: (dialect.headerRows || [1])[0]});
  return say(t.written, {delimiter: t.signs[delimiter] || delimiter, encoding, header, count: fields.length});
}

// ---- the step ----

function edit(content, path, draft) {
  const trouble = el('div');
  const changed = el('p', {class: 'quiet', role: 'status'});
  const left = el('p', {role: 'status'});
  const columns = columnTable(draft), rules = ruleBox(draft, path), file = fileBox(draft);
  const undo = button(t.undo, () => draft.undo());
  const save = button(t.save, () => attempt(trouble, async () => {
    await keep(path, draft);
    go('budget', path);
  }, save), {main: true});
  draft.onchange = () => {
    columns.draw();
    rules.draw();
    file.draw();
    drawState();
  };
  function drawState() {
    const names = draft.changes(), open = draft.waiting();
    changed.textContent = names === null ? t.newSchema : names.length ? say(t.changed, {names: names.slice(0, 20).join(', ')}) : t.unchanged;
    left.textContent = open ? say(open === 1 ? t.leftOne : t.left, {count: open}) : t.all;
    left.className = open ? 'bad' : 'good';
    save.disabled = open > 0;
    undo.disabled = draft.before.length === 0;
  }
  drawState();
  const banner = draft.waiting() ? el('div', {}, el('p', {class: 'not-private'}, t.inspected), el('p', {}, t.acceptMeans),
    draft.notesOf(null).map((line) => el('p', {class: 'note'}, line))) : null;
  const body = el('div', {}, el('p', {class: 'quiet'}, writtenAs(draft.schema)), banner, columns.node, proposalList(draft), rules.node, file.node, changed, left, el('div', {class: 'row'}, save, undo), trouble);
  content.replaceChildren(...content.querySelectorAll('h1, .lead'), body);
}

async function keep(path, draft) {
  const body = {path, schema: draft.schema};
  if (draft.schema.semblance?.proposals) body.take = [...draft.taken].join(',') || 'none';
  const {schema} = await post('schema', body);
  draft.kept = JSON.stringify(schema);
  announce(say(t.saved, {file: path}));
}

function choose(content, path, data) {
  const trouble = el('div');
  const inspect = button(t.inspect, () => attempt(trouble, async () => {
    const found = await whileWaiting(trouble, t.inspecting, (signal) => post('inspect', {path}, signal), {counted: true});
    if (found) edit(content, path, new Draft(found.schema, '', found.notes));
  }, inspect));
  const discover = button(t.discover, () => go('budget', path, 'discover'), {main: true});
  content.append(el('div', {}, readingForm(path, data), el('p', {}, t.how),
    el('div', {class: 'card'}, el('p', {}, t.discoverHint), discover), el('div', {class: 'card'}, el('p', {}, t.inspectHint), inspect), trouble));
}

export async function columnsStep({content}, {subject}) {
  if (isDatabase(subject)) return databaseStep(content, subject);
  const data = await get('data', {path: subject});
  if (data.kind === 'images') return imagesStep(content, subject, data);
  if (data.kind === 'package') return linkedStep(content, subject, data);
  return tableStep(content, subject, data);
}

async function tableStep(content, subject, data) {
  content.append(el('h1', {}, t.title), el('p', {class: 'lead'}, say(t.of, {path: subject})), el('p', {class: 'lead'}, t.intro));
  const {schema} = await get('schema', {path: subject});
  if (schema && Array.isArray(schema.fields)) edit(content, subject, new Draft(schema, JSON.stringify(schema)));
  else choose(content, subject, data);
}
