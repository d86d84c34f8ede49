// SPDX-License-Identifier: Apache-2.0
// Linked tables: several files that are inspected together, and the package that describes them, table by table. What was read from the
// records is NOT PRIVATE until each line is accepted. The library takes the proposals that are ticked.
import {texts, say} from './texts.js';
import {el, get, post, button, ticked, attempt, announce, failure, stepHead, headRow, tableBox, actions, go, rootOf} from './tools.js';
import {Draft, columnTable, fileBox, inOurWords, isInspected} from './draft.js';
import {memberOf} from './field.js';
import {whileWaiting, faultCounter} from './waiting.js';

const t = texts.linked, c = texts.columns;

export const isFiles = (subject) => subject.includes('\n'); // the names of several files, a line each
export const namesOf = (subject) => subject.split('\n');

const keysOf = (schema) => [schema.primaryKey].flat().filter(Boolean);
const foreignOf = (schema, field) => (schema.foreignKeys || []).find((one) => [one.fields].flat().includes(field.name));
const refersTo = (schema) => (schema.foreignKeys || []).map((one) => say(t.key, {field: [one.fields].flat().join(', '), table: one.reference?.resource || ''}));
const isPublic = (resource) => resource.semblance?.public === true;

// ---- the package that is worked on ----

class PackageDraft extends Draft {
  constructor(...all) {
    super(...all);
    this.taken = new Set(); // numbers of proposals
  }

  resources() {
    return this.schema.resources;
  }

  proposals() {
    return this.schema.semblance?.proposals || [];
  }

  waitingFields() {
    return this.resources().filter((one) => !isPublic(one)).flatMap(({schema}) => schema.fields.filter((field) => isInspected(schema, field)));
  }

  // Notes on the package: keys, and why. Those on a column are next to it.
  keyNotes() {
    const ofColumns = this.resources().flatMap(({name, schema}) => (schema.fields || []).map((field) => `${name}.${field.name}: `));
    return this.notes.filter((line) => !ofColumns.some((one) => line.startsWith(one)));
  }

  isChanged() {
    return JSON.stringify(this.schema) !== this.kept;
  }
}

// One table of the package, as the table of columns wants a draft.
class TableDraft {
  constructor(whole, i) {
    Object.assign(this, {whole, i, histograms: new Map()});
  }

  get resource() {
    return this.whole.resources()[this.i];
  }

  get schema() {
    return this.resource.schema;
  }

  change(f) {
    this.whole.change(() => f(this.schema));
  }

  accept(fields) {
    this.whole.accept(fields);
  }

  histogramOf() {
    return null;
  }

  notesOf(field) {
    const of = `${this.resource.name}.${field.name}: `;
    return this.whole.notes.filter((line) => line.startsWith(of)).map((line) => inOurWords(line.slice(of.length)));
  }

  // What a key is follows from the links; it cannot be edited. Null: it is none.
  keyFacts(field) {
    const foreign = foreignOf(this.schema, field), to = foreign?.reference?.resource || '';
    if (keysOf(this.schema).includes(field.name)) return t.isKey;
    return foreign && !isPublic(this.whole.resources().find((one) => one.name === to) || {}) ? say(t.foreign, {table: to}) : null;
  }
}

// ---- tables ----

const publicFields = ({name, schema}) => tableBox(el('table', {}, headRow([t.name, t.type]),
  el('tbody', {}, (schema.fields || []).map((field) => el('tr', {}, el('th', {scope: 'row'}, field.name), el('td', {}, texts.field.types[field.type || 'any'] || field.type))))), name);

function tableCard(draft, i, open) {
  const resource = draft.resources()[i], lookup = isPublic(resource), facts = el('p', {class: 'quiet'});
  const columns = lookup ? null : columnTable(new TableDraft(draft, i));
  const draw = () => {
    const {schema} = draft.resources()[i];
    facts.textContent = lookup ? t.publicHint : [say(t.columns, {count: schema.fields.length}), ...refersTo(schema)].join('. ') + '.';
    columns?.draw();
  };
  draw();
  const inside = el('details', {open: open && !lookup}, el('summary', {}, t.show), columns ? columns.node : publicFields(resource));
  const node = el('section', {class: 'card', 'data-table': resource.name}, el('h2', {}, resource.name, ' ', el('span', {class: 'tag'}, lookup ? t.isPublic : [resource.path].flat().join(', '))), facts, inside);
  const show = (name, member) => {
    inside.open = true;
    return columns?.show(name, member);
  };
  return {node, draw, show};
}

// ---- proposals ----

function proposalBox(draft) {
  const list = el('ul', {class: 'plain'}), node = el('section');
  const draw = () => {
    const all = draft.proposals();
    node.hidden = all.length === 0;
    list.replaceChildren(...all.map((one, i) => el('li', {}, ticked(inOurWords(one.words), draft.taken.has(i + 1), (value) => (value ? draft.taken.add(i + 1) : draft.taken.delete(i + 1))))));
  };
  node.append(el('h2', {}, c.proposals, ' ', el('span', {class: 'tag warn'}, texts.notPrivate)), el('p', {}, t.proposalsHint),
    el('div', {class: 'row'}, button(t.tickAll, () => { draft.proposals().forEach((_, i) => draft.taken.add(i + 1)); draw(); })), list);
  draw();
  return {node, draw};
}

// ---- the step ----

async function keep(path, draft) {
  if (!draft.isChanged() && draft.proposals().length === 0) return;
  await post('package', {path, package: draft.schema, take: draft.proposals().length ? [...draft.taken].sort((a, b) => a - b).join(',') || 'none' : undefined});
  announce(say(c.saved, {file: path}));
}

function edit(body, path, draft, flag) {
  const trouble = el('div'), banner = el('div'), left = el('span', {role: 'status'}), counter = draft.kept ? faultCounter(() => ({path})) : el('div');
  const tables = draft.resources().map((_, i) => tableCard(draft, i, draft.waitingFields().length > 0)), parts = [...tables, proposalBox(draft), fileBox(draft, 'resources')];
  const [proposals, file] = parts.slice(-2);
  const undo = button(c.undo, () => draft.undo());
  const acceptAll = button('', () => {
    draft.accept(draft.waitingFields());
    announce(c.allAccepted);
    save.focus();
  });
  // "column 'x'" is in some table; the message names the table where it matters.
  const find = (name, table) => draft.resources().findIndex((one) => !isPublic(one) && (!table || one.name === table) && one.schema.fields.some((field) => field.name === name));
  const mend = (error) => {
    const name = error.message.match(/(?:column|field) '([^']+)'/)?.[1], i = find(name, error.message.match(/table '([^']+)'/)?.[1]);
    return i < 0 ? null : button(say(texts.mend.column, {name}), () => tables[i].show(name, memberOf(error.message)).focus());
  };
  const save = button('', () => attempt(trouble, async () => {
    await keep(path, draft);
    go('budget', path);
  }, save, mend), {main: true});
  const made = draft.resources().map((one) => one.name).join();
  const draw = () => {
    if (draft.resources().map((one) => one.name).join() !== made) return edit(body, path, draft, ''); // other tables
    const open = draft.waitingFields().length, changed = draft.isChanged();
    parts.forEach((part) => part.draw());
    left.textContent = open ? say(open === 1 ? c.leftOne : c.left, {count: open}) : changed ? c.all : '';
    left.className = open ? 'bad' : 'good';
    acceptAll.textContent = open === 1 ? c.acceptAllOne : say(c.acceptAll, {count: open});
    acceptAll.hidden = banner.hidden = open === 0;
    save.textContent = changed || draft.proposals().length ? c.save : t.go;
    save.disabled = open > 0;
    counter.hidden = changed;
    undo.disabled = draft.before.length === 0;
    return null;
  };
  draft.onchange = draw;
  banner.append(el('p', {class: 'not-private'}, c.inspected), el('p', {}, c.acceptMeans));
  const notes = draft.keyNotes();
  body.replaceChildren(banner, notes.length ? el('section', {}, el('h2', {}, t.keys, ' ', el('span', {class: 'tag warn'}, texts.notPrivate)), notes.map((line) => el('p', {class: 'note'}, line))) : '',
    ...tables.map((one) => one.node), el('div', {class: 'row end'}, acceptAll), proposals.node, counter, file.node, trouble,
    actions(el('p', {class: 'state'}, left), undo, save));
  draw();
  const name = flag.startsWith('column=') ? flag.slice(7) : '', at = find(name);
  return at < 0 ? null : tables[at].show(name);
}

// A name that is not taken, beside the files.
function freeName(names, packages, resources) {
  const folder = names[0].slice(0, names[0].lastIndexOf('/') + 1), root = rootOf(resources), taken = packages.map((one) => one.path);
  for (let i = 0; ; i++) {
    const name = folder + (i === 0 ? '' : i === 1 ? `${root}.` : `${root}-${i}.`) + 'datapackage.json';
    if (!taken.includes(name)) return name;
  }
}

// Several files that have no package yet.
export function filesStep(content, names) {
  const body = el('div'), trouble = el('div');
  const inspect = button(c.inspect, () => attempt(trouble, async () => {
    const found = await whileWaiting(trouble, t.inspecting, (signal) => post('inspect', {paths: names}, signal), {counted: true});
    if (!found) return;
    const {packages} = await get('files');
    edit(body, freeName(names, packages, found.package.resources), new PackageDraft(found.package, '', found.notes), '');
  }, inspect), {main: true});
  content.append(...stepHead(names.join(', '), t.title, t.filesIntro), body);
  body.append(el('p', {}, t.how), el('p', {}, c.inspectHint), trouble, actions(inspect));
}

export async function linkedStep(content, path, flag) {
  const body = el('div');
  content.append(...stepHead(path, t.title, t.intro), body);
  const found = await get('package', {path});
  if (!found.package.resources.every((one) => Array.isArray(one.schema?.fields))) return body.append(failure(new Error(t.noFields)));
  return edit(body, path, new PackageDraft(found.package, JSON.stringify(found.package)), flag);
}
