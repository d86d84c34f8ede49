// Data: the demo, a data set of the folder, a file that is dropped here.
import {texts, say} from './texts.js';
import {el, get, post, upload, button, labelled, attempt, announce, sizeText, stepHead, headRow, tableBox, go, Refused} from './tools.js';
import {whileWaiting} from './waiting.js';

const t = texts.open;
const AT_ONCE = 100; // data sets that are drawn
const MOST_BYTES = 16 * 2 ** 30; // of a file that is dropped, as the server has it
const SPREADSHEET = /\.(xlsx?|xlsm|xlsb|ods|numbers)$/i;

// All data sets of the folder in one list.
function setsOf(found) {
  const kinds = [['tables', 'table'], ['packages', 'package'], ['images', 'images'], ['databases', 'database']];
  return kinds.flatMap(([list, kind]) => found[list].map((one) => ({...one, kind}))).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function setList(sets) {
  if (sets.length === 0) return el('p', {}, t.none);
  const body = el('tbody');
  const more = button(t.more, () => draw(body.rows.length + AT_ONCE));
  const filter = el('input', {type: 'search', oninput: () => draw(AT_ONCE)});
  function draw(count) {
    const fitting = sets.filter((one) => one.path.toLowerCase().includes(filter.value.toLowerCase()));
    body.replaceChildren(...fitting.slice(0, count).map((one) => el('tr', {},
      el('th', {scope: 'row'}, one.path), el('td', {}, t.kinds[one.kind]),
      el('td', {}, button(t.openOne, () => go('columns', one.path), {label: say(t.openLabel, one)})))));
    more.hidden = fitting.length <= count;
  }
  draw(AT_ONCE);
  return el('div', {}, sets.length > 10 ? labelled(t.filter, filter) : null,
    tableBox(el('table', {}, headRow([t.table, t.kind, t.action]), body), t.tables), more);
}

// A data set whose name does not show what it is: a folder, or a file of another ending.
function byPath(trouble) {
  const path = el('input', {type: 'text', spellcheck: 'false'});
  const kind = el('select', {}, ['', 'table', 'images', 'package'].map((value) => el('option', {value}, value ? t.kinds[value] : t.byName)));
  const open = button(t.openOne, () => attempt(trouble, async () => {
    if (kind.value) await post('data', {path: path.value.trim(), kind: kind.value});
    go('columns', path.value.trim());
  }, open), {label: t.byPath});
  return el('details', {}, el('summary', {}, t.byPath), el('div', {class: 'grid'}, labelled(t.path, path, t.pathHint), labelled(t.kind, kind)), el('div', {class: 'row'}, open));
}

function dropping(trouble, hasDemo) {
  const note = el('div');
  async function take(file) {
    if (!file) return;
    const words = say(t.receiving, {name: file.name});
    announce(words);
    const kept = await attempt(trouble, () => {
      if (SPREADSHEET.test(file.name)) throw new Refused(say(t.spreadsheet, {name: file.name}));
      if (file.size > MOST_BYTES) throw new Refused(say(t.tooLarge, {most: sizeText(MOST_BYTES)}));
      return whileWaiting(note, words, (signal) => upload(file.name, file, signal));
    });
    choose.value = '';
    if (kept) go('columns', kept.path);
  }
  const choose = el('input', {type: 'file', accept: '.csv,.tsv,.gz,.parquet,.json,.ndjson,.jsonl,.sqlite,.sqlite3,.db,.duckdb,.bin,.idx,.xlsx,.xls,.ods', onchange: (event) => take(event.target.files[0])});
  const demo = button(t.demo, () => attempt(trouble, async () => go('columns', (await post('demo')).path), demo));
  const box = el('div', {class: 'drop',
    ondragover: (event) => { event.preventDefault(); box.classList.add('over'); },
    ondragleave: () => box.classList.remove('over'),
    ondrop: (event) => { event.preventDefault(); box.classList.remove('over'); take(event.dataTransfer.files[0]); }},
  labelled(t.choose, choose, t.dropHint), note, hasDemo ? el('div', {class: 'row'}, demo, el('span', {class: 'quiet'}, t.demoHint)) : null);
  return el('section', {}, el('h2', {}, t.drop), trouble, box);
}

export async function openStep({content, about}) {
  const trouble = el('div');
  content.append(...stepHead('', t.title, say(t.intro, about)));
  const found = await get('files');
  content.append(el('h2', {}, t.tables), setList(setsOf(found)), byPath(trouble), dropping(trouble, found.demo));
}
