// SPDX-License-Identifier: Apache-2.0
// A schema that is worked on: what was changed, what was read from the records and waits to be accepted, and the table of its columns.
import {texts, say} from './texts.js';
import {el, button, labelled, announce, failure, headRow, tableBox} from './tools.js';
import {roleOf, factsOf, fieldForm} from './field.js';
import {histogram, firstRows} from './histogram.js';

const t = texts.columns;
const AT_ONCE = 100; // columns that are drawn

// The program's advice names members of the schema's file; here they are fields of a form.
export const inOurWords = (line) => t.noteWords.reduce((text, [theirs, ours]) => text.replace(theirs, ours), line);

export const copy = (value) => JSON.parse(JSON.stringify(value));
// A line that is not accepted yet keeps the list of the facts that were read from the records.
export const isInspected = (schema, field) => /^(inspected|guessed)/.test(schema.semblance?.origin?.how) && field.semblance?.origin !== undefined;

// The schema that is worked on: every change is kept, so that it can be undone.
export class Draft {
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

export function columnTable(draft) {
  const body = el('tbody'), head = el('thead'), open = new Set();
  let count = AT_ONCE;
  const more = button('', () => { count += AT_ONCE; draw(); });
  const change = (i, f) => draft.change((schema) => f(schema.fields[i], schema));
  const toggleOf = (i) => body.querySelector(`[data-edit="${i}"]`);

  function rowOf(field, i) {
    const editing = open.has(i), role = roleOf(draft.schema, field), bars = draft.histogramOf(field), key = draft.keyFacts?.(field) ?? null;
    const toggle = button(editing ? t.close : t.edit, () => {
      if (editing) open.delete(i); else open.add(i);
      draw();
      toggleOf(i)?.focus();
    }, {label: say(editing ? t.closeLabel : t.editLabel, field)});
    toggle.dataset.edit = i;
    toggle.setAttribute('aria-expanded', editing);
    const type = key ? t.isKey : role === 'column' || role === 'label' ? texts.field.types[field.type || 'any'] || field.type : texts.field.roles[role];
    const row = el('tr', {}, el('th', {scope: 'row'}, field.name, el('span', {class: 'sub'}, type)),
      el('td', {}, role === 'label' ? el('p', {class: 'flush'}, el('span', {class: 'tag'}, texts.field.roles.label)) : null, key ?? factsOf(draft.schema, field), draft.notesOf(field).map((line) => el('p', {class: 'note'}, line))),
      draft.histograms.size ? el('td', {class: 'real-rows'}, bars ? [el('span', {class: 'tag warn phone'}, texts.notPrivate), histogram(bars, texts.histogram.real)] : null) : null,
      el('td', {}, key ? '' : approval(draft, field, i, body, toggle)), el('td', {}, key ? '' : toggle));
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

  // Opens the form of a column; its control for a member, or its first one; null where there is no such column.
  function show(name, member = '') {
    const i = draft.schema.fields.findIndex((field) => field.name === name);
    if (i < 0) return null;
    open.add(i);
    count = Math.max(count, i + 1);
    draw();
    const form = toggleOf(i).closest('tr').nextElementSibling;
    const control = form.querySelector(`[data-member="${member}"]`) ?? form.querySelector('select, input');
    if (control.closest('details')) control.closest('details').open = true;
    control.scrollIntoView({block: 'center'});
    return control;
  }

  draw();
  return {node: el('div', {}, tableBox(el('table', {class: 'stack'}, head, body), t.title), more), draw, show};
}

// ---- the file ----

// list: what the file must have
export function fileBox(draft, list = 'fields') {
  const trouble = el('div');
  const box = el('textarea', {rows: 16, spellcheck: 'false'});
  const use = button(t.jsonApply, () => {
    trouble.replaceChildren();
    try {
      const schema = JSON.parse(box.value);
      if (!Array.isArray(schema[list])) throw new SyntaxError(list);
      draft.change(() => (draft.schema = schema));
    } catch (error) {
      trouble.replaceChildren(failure(new Error(say(t.jsonBad, {why: error.message}))));
    }
  });
  const node = el('details', {ontoggle: () => draw()}, el('summary', {}, t.json), labelled(t.json, box, t.jsonHint), use, trouble);
  const draw = () => { if (node.open) box.value = JSON.stringify(draft.schema, null, 2); };
  return {node, draw};
}
