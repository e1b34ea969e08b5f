import { byId, element, setRows, setText } from './dom.js'
import { showTasks } from './tasks.js'
import { clockText, counted, durationText, numberText } from './texts.js'

/** Shows what is so now. */
export function showFigures(reading) {
  showTiles(reading)
  showTasks(reading.tasks)
  const { clusters, hidden } = reading
  setRows(byId('clusters'), clusters.map(rowOf))
  clusters.forEach(({ state, failures }, index) => {
    const { cells } = byId('clusters').rows[index]
    cells[1].classList.toggle('is-bad', state === 'unreachable')
    cells[6].classList.toggle('is-bad', failures > 0)
  })
  setText(byId('clusters-note'), hidden > 0 ? `${counted(hidden, 'cluster')} more, none of them worse.` : '')
}

function showTiles({ writes, written, waiting, pending, p50, p99, guards, deadLetters, clusters }) {
  const slowest = clusters.length > 1 ? 'of the slowest cluster' : 'from a change to its slices'
  setTile('writes', numberText(writes), `${counted(written, 'slice')} since the start`)
  setTile('waiting', numberText(waiting), `${numberText(pending)} not yet in the queue`)
  setTile('p50', durationText(p50), slowest)
  setTile('p99', durationText(p99), slowest)
  for (const { name, label, count, sinceStart } of guards) {
    if (byId(`guard-${name}`) === null) addTile(`guard-${name}`, label)
    setTile(`guard-${name}`, numberText(count), sinceStart ? 'since the start' : '', count)
  }
  setTile('letters', deadLetters === undefined ? '–' : numberText(deadLetters), '', deadLetters)
}

/** Adds a tile before that of the dead letters. */
const addTile = (id, label) =>
  byId('letters').parentElement.before(
    element(
      'div',
      {},
      element('dt', {}, label[0].toUpperCase() + label.slice(1)),
      element('dd', { id }),
      element('dd', { id: `${id}-note` }),
    ),
  )

/** @param bad above 0: it stands out */
function setTile(id, text, note, bad = 0) {
  setText(byId(id), text)
  setText(byId(`${id}-note`), note)
  byId(id).parentElement.classList.toggle('is-bad', bad > 0)
}

const rowOf = ({ name, state, waiting, writes, p50, p99, failures, lastChangeAt, lastSyncAt }) => [
  name,
  state,
  numberText(waiting),
  numberText(writes),
  durationText(p50),
  durationText(p99),
  numberText(failures),
  lastChangeAt === undefined ? '–' : clockText(lastChangeAt),
  lastSyncAt === undefined ? '–' : clockText(lastSyncAt),
]
