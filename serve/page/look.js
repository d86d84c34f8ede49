// Look: what a run made. Synthetic rows are public; real ones are NOT PRIVATE, and stay hidden until they are asked for.
import {texts, say} from './texts.js';
import {compare} from './compare.js';
import {realImages} from './images.js';
import {el, get, post, getBytes, postForBytes, button, labelled, attempt, adviceList, place, resultAddress, rootOf, runParts, csvRows, cellTable} from './tools.js';

const t = texts.look;
const SHOWN = 20; // rows

// What a run left, as links; what is not public is asked for elsewhere.
function fileLinks(run, files) {
  const name = (file) => (file.endsWith('.certificate.json') ? t.certificate : file === 'report.html' ? t.page : file === 'model.safetensors' ? t.model
    : file === 'preview.png' ? t.preview : file.startsWith('synthetic/') ? file.slice(10) : file.endsWith('.schema.json') || file === 'schema.json' ? t.schema
      : file === 'synthetic.parquet' ? t.parquet : t.table);
  const shown = files.map((one) => one.name).filter((file) => !file.includes('NOT-PRIVATE') && !/^(rows|images)-/.test(file));
  return el('div', {class: 'row'}, shown.map((file) => el('a', {class: 'button', href: resultAddress(run, file, true), download: ''}, name(file))),
    el('a', {class: 'button', href: place('ledgers', run)}, t.verify));
}

const readJson = async (run, name) => JSON.parse(new TextDecoder().decode(await getBytes('result', {run, name})));

// How a table is written, as its schema says.
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

// Rows that hold a condition, drawn anew from the model.
// persons: the model is one of histories, of which whole persons are drawn
function moreRows(run, how, persons) {
  const trouble = el('div'), shown = el('div');
  const where = el('input', {type: 'text', spellcheck: 'false'});
  const count = el('input', {type: 'number', min: 1, max: 1000000, value: 1000});
  const draw = button(t.more, () => attempt(trouble, async () => {
    const {name} = await post('sample', {run, where: where.value.split(';').map((one) => one.trim()).filter(Boolean).join('\n'), rows: Number(count.value)});
    const rows = rowsOf(await getBytes('result', {run, name, head: 1}), how);
    shown.replaceChildren(cellTable(rows, t.moreTitle), el('div', {class: 'row'}, el('a', {class: 'button', href: resultAddress(run, name, true), download: ''}, t.moreSave)));
  }, draw));
  return el('section', {}, el('h2', {}, t.moreTitle), el('p', {}, t.moreHint),
    el('div', {class: 'grid'}, persons ? labelled(t.wherePersons, where, t.wherePersonsHint) : labelled(t.where, where, t.whereHint), labelled(t.count, count)), el('div', {class: 'row'}, draw), trouble, shown);
}

function realRows(input, how) {
  const box = el('section', {class: 'real-rows'});
  function hide() {
    box.replaceChildren(el('h2', {}, t.real), el('div', {class: 'row'}, ask, el('span', {}, t.realHint)), trouble);
  }
  const trouble = el('div');
  const ask = button(t.real, () => attempt(trouble, async () => {
    const rows = rowsOf(await postForBytes('real-rows', {path: input, label: 'NOT PRIVATE'}), how);
    box.replaceChildren(el('h2', {}, t.realTitle), el('p', {class: 'not-private'}, t.realBanner), cellTable(rows, t.realTitle),
      el('div', {class: 'row'}, button(t.hide, hide)));
  }, ask));
  hide();
  return box;
}

function above(run, files) {
  const {number, input} = runParts(run.run);
  return [el('p', {}, say(t.of, {number, input, epsilon: run.epsilon})),
    el('div', {class: 'row'},
      el('a', {class: 'button main', href: resultAddress(run.run, 'report.html'), target: '_blank', rel: 'noopener noreferrer'}, t.report),
      el('span', {}, t.reportHint)),
    run.advice ? el('section', {}, el('h2', {}, t.said), adviceList(run.advice)) : '',
    el('h2', {}, t.save), fileLinks(run.run, files)];
}

async function lookAtTable(content, run, files, alive) {
  const {input} = runParts(run.run);
  const {schema} = await get('schema', {path: input}).catch(() => ({schema: null}));
  const how = writing(schema);
  const {method} = await readJson(run.run, `${run.records}.certificate.json`);
  content.append(...above(run, files));
  // Parquet is not read here: rows of the same model are shown instead.
  const shown = run.records === 'synthetic.csv' ? run.records : 'rows-1.csv';
  const rows = rowsOf(await getBytes('result', {run: run.run, name: shown, head: 1}), how);
  content.append(el('h2', {}, t.rows), el('p', {}, say(shown === run.records ? t.rowsHint : t.rowsOfModel, {count: Math.max(0, rows.length - 1)})), cellTable(rows, t.rows),
    moreRows(run.run, how, method === 'histories'), await compare(run, alive), /\.(csv|tsv)$/.test(input) ? realRows(input, how) : '');
}

// More of the model, in a folder of its own: fields to be said, and what is shown of the answer.
function moreOf(run, words, fields, question, show) {
  const trouble = el('div'), shown = el('div', {role: 'status'});
  const draw = button(words.draw, () => attempt(trouble, async () => {
    const {name, files} = await post('sample', {run, ...question()});
    shown.replaceChildren(show(name), el('div', {class: 'row'}, files.map((file) => el('a', {class: 'button', href: resultAddress(run, `${name}/${file}`, true), download: ''}, file))));
  }, draw));
  return el('section', {}, el('h2', {}, words.title), el('p', {}, t.moreHint), el('div', {class: 'grid'}, fields), el('div', {class: 'row'}, draw), trouble, shown);
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
  content.append(...above(run, files), run.format === 'png' ? el('p', {}, say(t.pngHere, {folder: `${run.run}/synthetic`})) : '',
    el('h2', {}, t.images), el('p', {}, t.imagesHint), el('img', {class: 'preview', src: resultAddress(run.run, 'preview.png'), alt: t.imagesAlt}),
    moreImages(run.run, names), await compare(run, alive), realImages(run.input));
}

async function lookAtLinked(content, run, files, alive) {
  content.append(...above(run, files));
  const {resources} = await readJson(run.run, 'synthetic/datapackage.json');
  const {facts} = await get('data', {path: run.input});
  for (const {name} of files.filter((one) => /^synthetic\/.*\.csv$/.test(one.name))) {
    const title = name.slice(10, -4), resource = resources.find((one) => one.name === title);
    const rows = rowsOf(await getBytes('result', {run: run.run, name, head: 1}), writing({...resource, ...resource?.schema}));
    content.append(el('h2', {}, title), cellTable(rows.slice(0, 11), title));
  }
  content.append(morePersons(run.run, rootOf(facts.resources)), await compare(run, alive));
}

async function lookAt(content, run, alive) {
  const {files} = await get('results', {run: run.run});
  files.sort((a, b) => /^synthetic\.(csv|parquet)$/.test(b.name) - /^synthetic\.(csv|parquet)$/.test(a.name)); // what was wanted comes first
  const title = content.querySelector('h1');
  if (run.kind !== 'table') title.textContent = run.kind === 'images' ? t.titleImages : t.titleLinked;
  return {table: lookAtTable, images: lookAtImages, package: lookAtLinked}[run.kind](content, run, files, alive);
}

export async function lookStep({content, alive}, {subject}) {
  content.append(el('h1', {}, t.title));
  const {runs} = await get('runs', subject ? {run: subject} : {});
  if (subject && runs[0].state === 'done') return lookAt(content, runs[0], alive);
  if (subject) return content.append(el('p', {}, t.notYet, ' ', el('a', {href: place('run', subject)}, t.toRun)));
  const done = runs.filter((run) => run.state === 'done').reverse();
  content.append(el('h2', {}, t.which), done.length === 0 ? el('p', {}, t.none) : el('ul', {}, done.slice(0, 100).map((run) =>
    el('li', {}, el('a', {href: place('look', run.run)}, say(t.of, {number: runParts(run.run).number, input: run.input, epsilon: run.epsilon}))))));
}
