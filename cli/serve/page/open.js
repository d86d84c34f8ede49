// Open: the demo, a table of the folder, a file that is dropped here.
import {texts, say} from './texts.js';
import {el, get, post, upload, button, labelled, attempt, announce, sizeText, go} from './tools.js';

const t = texts.open;
const AT_ONCE = 100; // tables that are drawn

function demo(trouble) {
  const start = button(t.demo, () => attempt(trouble, async () => go('columns', (await post('demo')).path), start), {main: true});
  return el('section', {}, el('div', {class: 'row'}, start, el('span', {}, t.demoHint, ' ', t.demoWhere)));
}

function tableList(tables) {
  if (tables.length === 0) return el('p', {}, t.none);
  const body = el('tbody');
  const more = button(t.more, () => draw(body.rows.length + AT_ONCE));
  const filter = el('input', {type: 'search', oninput: () => draw(AT_ONCE)});
  function draw(count) {
    const fitting = tables.filter((one) => one.path.toLowerCase().includes(filter.value.toLowerCase()));
    body.replaceChildren(...fitting.slice(0, count).map((one) => el('tr', {},
      el('th', {scope: 'row'}, one.path),
      el('td', {class: 'number'}, sizeText(one.size)),
      el('td', {}, button(t.openOne, () => go('columns', one.path), {label: say(t.openLabel, one)})))));
    more.hidden = fitting.length <= count;
  }
  draw(AT_ONCE);
  return el('div', {}, tables.length > 10 ? labelled(t.filter, filter) : null,
    el('div', {class: 'tablebox'}, el('table', {},
      el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, t.table), el('th', {scope: 'col', class: 'number'}, t.size), el('th', {scope: 'col'}, t.action))), body)),
    more);
}

function dropping(trouble) {
  const note = el('p', {class: 'quiet'});
  async function take(file) {
    if (!file) return;
    note.textContent = say(t.receiving, {name: file.name});
    announce(note.textContent);
    const kept = await attempt(trouble, () => upload(file.name, file));
    note.textContent = '';
    if (kept) go('columns', kept.path);
  }
  const choose = el('input', {type: 'file', accept: '.csv,.tsv,.gz,.parquet', onchange: (event) => take(event.target.files[0])});
  const box = el('div', {class: 'drop',
    ondragover: (event) => { event.preventDefault(); box.classList.add('over'); },
    ondragleave: () => box.classList.remove('over'),
    ondrop: (event) => { event.preventDefault(); box.classList.remove('over'); take(event.dataTransfer.files[0]); }},
  el('p', {}, t.dropHint), labelled(t.choose, choose), note);
  return el('section', {}, el('h2', {}, t.drop), box);
}

export async function openStep({content, about}) {
  const trouble = el('div');
  content.append(el('h1', {}, t.title), el('p', {}, say(t.intro, about)), trouble);
  const found = await get('files');
  content.append(found.demo ? demo(trouble) : '', el('h2', {}, t.tables), tableList(found.tables), dropping(trouble), el('p', {class: 'quiet'}, t.another));
}
