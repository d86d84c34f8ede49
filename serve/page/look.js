// SPDX-License-Identifier: Apache-2.0
// Result: what a run made. Synthetic rows are public; real ones are NOT PRIVATE and hidden until the user asks for them.
import {texts, say} from './texts.js';
import {compare} from './compare.js';
import {histogram} from './histogram.js';
import {realImages} from './images.js';
import {el, get, post, getBytes, postForBytes, button, labelled, attempt, adviceList, place, resultAddress, rootOf, runParts, csvRows, cellTable, actions, stepHead} from './tools.js';

const t = texts.look;
const SHOWN = 20; // rows
const SHOWN_COLUMNS = 12; // histograms

// The public files of a run, as links.
function fileLinks(run, files) {
  const name = (file) => (file.endsWith('.certificate.json') ? t.certificate : file === 'report.html' ? t.page : file === 'model.safetensors' ? t.model
    : file === 'preview.png' ? t.preview : file.startsWith('synthetic/') ? file.slice(10) : file.endsWith('.schema.json') || file === 'schema.json' ? t.schema
      : file === 'synthetic.parquet' ? t.parquet : t.table);
  const shown = files.map((one) => one.name).filter((file) => !file.includes('NOT-PRIVATE') && !/^(rows|images)-/.test(file));
  return el('details', {open: run.kind !== 'table'}, el('summary', {}, t.save), el('div', {class: 'row'}, shown.map((file) => el('a', {class: 'button', href: resultAddress(run.run, file, true), download: ''}, name(file)))));
}

const readJson = async (run, name) => JSON.parse(new TextDecoder().decode(await getBytes('result', {run, name})));

// The schema says how a table is written.
function writing(schema) {
  const dialect = schema?.dialect || {};
  return {delimiter: dialect.delimiter || ',', quote: dialect.quoteChar || '"', encoding: schema?.encoding || 'utf-8', header: dialect.header !== false,
    comment: dialect.commentChar || null};
}

function rowsOf(bytes, how) {
  let text = new TextDecoder(how.encoding).decode(bytes);
  while (how.comment && text.startsWith(how.comment) && text.includes('\n')) text = text.slice(text.indexOf('\n') + 1); // lines above the table
  const rows = csvRows(text, how.delimiter, how.quote, SHOWN + 1);
  return how.header || rows.length === 0 ? rows : [rows[0].map((_, i) => String(i + 1)), ...rows];
}

// Rows that meet a condition, drawn from the model.
// persons: a model of histories draws whole persons
function moreRows(run, how, persons) {
  const trouble = el('div'), shown = el('div');
  const where = el('input', {type: 'text', spellcheck: 'false'});
  const count = el('input', {type: 'number', min: 1, max: 1000000, value: 1000});
  const draw = button(t.more, () => attempt(trouble, async () => {
    const {name} = await post('sample', {run, where: where.value.split(';').map((one) => one.trim()).filter(Boolean).join('\n'), rows: Number(count.value)});
    const rows = rowsOf(await getBytes('result', {run, name, head: 1}), how);
    shown.replaceChildren(cellTable(rows, t.moreTitle), el('div', {class: 'row'}, el('a', {class: 'button', href: resultAddress(run, name, true), download: ''}, t.moreSave)));
  }, draw));
  return el('details', {}, el('summary', {}, t.moreTitle), el('p', {}, t.moreHint),
    el('div', {class: 'grid'}, persons ? labelled(t.wherePersons, where, t.wherePersonsHint) : labelled(t.where, where, t.whereHint), labelled(t.count, count)), el('div', {class: 'row'}, draw), trouble, shown);
}

// Tables for valid intervals, drawn from the releases: one file with a column "replicate".
function replicates(run) {
  const trouble = el('div'), shown = el('div', {role: 'status'});
  const count = el('input', {type: 'number', min: 2, max: 100, value: 20});
  const draw = button(t.replicates, () => attempt(trouble, async () => {
    const {name} = await post('sample', {run, replicates: Number(count.value)});
    shown.replaceChildren(el('div', {class: 'row'}, el('a', {class: 'button', href: resultAddress(run, name, true), download: ''}, t.replicatesSave)));
  }, draw));
  return el('details', {}, el('summary', {}, t.replicatesTitle), el('p', {}, t.replicatesHint),
    el('div', {class: 'grid'}, labelled(t.replicatesCount, count)), el('div', {class: 'row'}, draw), trouble, shown);
}

function realRows(input, how) {
  const trouble = el('div'), shown = el('div');
  const hide = () => shown.replaceChildren(el('div', {class: 'row'}, ask, el('span', {}, t.realHint)), trouble);
  const ask = button(t.real, () => attempt(trouble, async () => {
    const rows = rowsOf(await postForBytes('real-rows', {path: input, label: 'NOT PRIVATE'}), how);
    shown.replaceChildren(el('p', {class: 'not-private'}, t.realBanner), cellTable(rows, t.realTitle), el('div', {class: 'row'}, button(t.hide, hide)));
  }, ask));
  hide();
  return el('details', {class: 'real-rows'}, el('summary', {}, t.realTitle), shown);
}

// A histogram of each column as the report has it, with intervals where the method gives them.
// table: of linked tables
async function columnPictures(run, table) {
  const pictures = await readJson(run.run, 'pictures.json');
  const none = pictures.no_intervals, columns = (table ? pictures.tables?.find((one) => one.name === table) : pictures)?.columns;
  if (!columns) return el('div');
  const grid = el('div', {class: 'histograms'});
  const more = button(say(t.moreColumns, {count: columns.length}), () => draw(columns.length));
  function draw(count) {
    grid.replaceChildren(...columns.slice(0, count).map((column) => {
      const {labels, synthetic: shares, low, high} = column.histogram;
      return el('figure', {'data-column': column.name}, el('figcaption', {}, column.name), histogram({name: column.name, labels, shares, low, high}, texts.histogram.synthetic),
        el('p', {class: 'ends'}, el('span', {}, labels[0]), el('span', {}, labels.at(-1))));
    }));
    more.hidden = columns.length <= count;
  }
  draw(SHOWN_COLUMNS);
  return el('section', {}, el(table ? 'h3' : 'h2', {}, t.columns), el('p', {class: 'quiet'}, t.columnsHint, ' ', none ? say(t.noIntervals, {why: none}) : t.intervals), grid, more);
}

const above = (run) => (run.advice ? el('section', {}, el('h2', {}, t.said), adviceList(run.advice)) : '');

// saved: the file that the run was made for; '': several
function below(run, saved) {
  return actions(el('a', {class: 'button', href: resultAddress(run.run, 'report.html'), target: '_blank', rel: 'noopener noreferrer'}, t.report),
    el('a', {class: saved ? 'button' : 'button main', href: place('ledgers', run.run)}, t.verify),
    saved ? el('a', {class: 'button main', href: resultAddress(run.run, saved, true), download: ''}, t.saveMain) : null);
}

async function lookAtTable(content, run, files, alive) {
  const {input} = runParts(run.run);
  const {schema} = await get('schema', {path: input}).catch(() => ({schema: null}));
  const how = writing(schema);
  const certificate = await readJson(run.run, `${run.records}.certificate.json`);
  // Parquet is not read here: rows of the same model are shown instead.
  const shown = run.records === 'synthetic.csv' ? run.records : 'rows-1.csv';
  const rows = rowsOf(await getBytes('result', {run: run.run, name: shown, head: 1}), how);
  const pictures = el('div');
  content.append(above(run), pictures, el('h2', {}, t.rows), el('p', {class: 'quiet'}, say(shown === run.records ? t.rowsHint : t.rowsOfModel, {count: Math.max(0, rows.length - 1)})), cellTable(rows, t.rows),
    moreRows(run.run, how, certificate.method === 'histories'), replicates(run.run), await compare(run, alive), /\.(csv|tsv)$/.test(input) ? realRows(input, how) : '', fileLinks(run, files), below(run, run.records));
  await attempt(pictures, async () => pictures.replaceChildren(await columnPictures(run)));
}

// More of the model, in a folder of its own: fields of the question, and what is shown of the answer.
function moreOf(run, words, fields, question, show) {
  const trouble = el('div'), shown = el('div', {role: 'status'});
  const draw = button(words.draw, () => attempt(trouble, async () => {
    const {name, files} = await post('sample', {run, ...question()});
    shown.replaceChildren(show(name), el('div', {class: 'row'}, files.map((file) => el('a', {class: 'button', href: resultAddress(run, `${name}/${file}`, true), download: ''}, file))));
  }, draw));
  return el('details', {}, el('summary', {}, words.title), el('p', {}, t.moreHint), el('div', {class: 'grid'}, fields), el('div', {class: 'row'}, draw), trouble, shown);
}

function moreImages(run, names) {
  const count = el('input', {type: 'number', min: 1, max: 100000, value: 100});
  const of = el('select', {}, [el('option', {value: ''}, t.anyClass), names.map((name) => el('option', {value: name}, name))]);
  return moreOf(run, t.moreImages, [labelled(t.count, count), names.length ? labelled(t.ofClass, of) : null],
    () => ({rows: Number(count.value), where: of.value === '' ? undefined : `label=${of.value}`}),
    (name) => el('img', {class: 'preview', src: resultAddress(run, `${name}.png`), alt: t.imagesAlt}));
}

function morePersons(run, table) {
  const words = {draw: t.morePersons.draw, title: say(t.morePersons.title, {table})};
  const count = el('input', {type: 'number', min: 1, max: 100000, value: 1000});
  return moreOf(run, words, [labelled(say(t.persons, {table}), count)], () => ({rows: Number(count.value)}), () => '');
}

async function lookAtImages(content, run, files, alive) {
  const {facts} = await get('data', {path: run.input});
  const names = facts ? Array.from({length: facts.classes}, (_, i) => facts.names[i] || String(i)) : [];
  content.append(above(run), run.format === 'png' ? el('p', {}, say(t.pngHere, {folder: `${run.run}/synthetic`})) : '',
    el('h2', {}, t.images), el('p', {}, t.imagesHint), el('img', {class: 'preview', src: resultAddress(run.run, 'preview.png'), alt: t.imagesAlt}),
    moreImages(run.run, names), await compare(run, alive), realImages(run.input), fileLinks(run, files), below(run, ''));
}

async function lookAtLinked(content, run, files, alive) {
  content.append(above(run));
  const {resources} = await readJson(run.run, 'synthetic/datapackage.json');
  const {facts} = await get('data', {path: run.input});
  for (const {name} of files.filter((one) => /^synthetic\/.*\.csv$/.test(one.name))) {
    const title = name.slice(10, -4), resource = resources.find((one) => one.name === title);
    const rows = rowsOf(await getBytes('result', {run: run.run, name, head: 1}), writing({...resource, ...resource?.schema}));
    const pictures = el('div');
    content.append(el('h2', {}, title), cellTable(rows.slice(0, 11), title), pictures);
    await attempt(pictures, async () => pictures.replaceChildren(await columnPictures(run, title)));
  }
  content.append(morePersons(run.run, rootOf(facts.resources)), await compare(run, alive), fileLinks(run, files), below(run, ''));
}

async function lookAt(content, run, alive) {
  const {files} = await get('results', {run: run.run});
  files.sort((a, b) => /^synthetic\.(csv|parquet)$/.test(b.name) - /^synthetic\.(csv|parquet)$/.test(a.name)); // the table comes first
  return {table: lookAtTable, images: lookAtImages, package: lookAtLinked}[run.kind](content, run, files, alive);
}

const ofRun = (run) => say(t.of, {number: runParts(run.run).number, input: run.input, epsilon: run.epsilon});

export async function lookStep({content, alive}, {subject}) {
  const {runs} = await get('runs', subject ? {run: subject} : {});
  const [run] = subject ? runs : [];
  content.append(...stepHead(run ? ofRun(run) : '', {images: t.titleImages, package: t.titleLinked}[run?.kind] || t.title, t.intro));
  if (run?.state === 'done') return lookAt(content, run, alive);
  if (run) return content.append(el('p', {}, t.notYet, ' ', el('a', {href: place('run', subject)}, t.toRun)));
  const done = runs.filter((one) => one.state === 'done').reverse();
  content.append(el('h2', {}, t.which), done.length === 0 ? el('p', {}, t.none) : el('ul', {}, done.slice(0, 100).map((one) => el('li', {}, el('a', {href: place('look', one.run)}, ofRun(one))))));
  return null;
}
