import { announce, announceFigures } from './announcer.js'
import { showCharts } from './charts.js'
import { choiceOf, connectForm, offerServices, showChoice, showClusters } from './choice.js'
import { byId, setText } from './dom.js'
import { clearEvents, showEvents } from './events.js'
import { showFigures } from './figures.js'
import { showSlices } from './slices.js'
import { openStream } from './stream.js'
import { counted } from './texts.js'

const MOST_SAMPLES = 120
const MOST_EVENTS = 200

/** All that is known; the page shows it unless it is paused. */
const state = { samples: [], events: [], more: 0, reading: undefined, choice: undefined, picture: undefined }
let isPaused = false
let isLive
let close = () => undefined

const HANDLERS = {
  welcome({ mode, managedBy, shadow, clusters, samples, events }) {
    const shadowed = shadow ? ', a shadow that writes nothing' : ''
    setText(
      byId('about'),
      `mode ${mode}, managed by ${managedBy}, ${counted(clusters.length, 'cluster')}${shadowed}`,
    )
    showClusters(clusters)
    showChoice(state.choice)
    Object.assign(state, { samples, events, more: 0, isNew: true })
  },
  figures(reading) {
    state.reading = reading
    state.samples = [...state.samples, reading].slice(-MOST_SAMPLES)
    state.more = 0
    announceFigures(reading)
  },
  events({ events, more }) {
    state.events = [...state.events, ...events].slice(-MOST_EVENTS)
    state.more = more
  },
  slices(picture) {
    state.picture = picture
  },
}

function show() {
  if (isPaused) return
  if (state.reading !== undefined) showFigures(state.reading)
  showCharts(state.samples)
  showSlices(state.choice, state.picture)
  // Numbers of another process say nothing of events that are shown.
  if (state.isNew) clearEvents()
  state.isNew = false
  showEvents(state.events, state.more)
  offerServices(state.events)
}

function showConnection(connection, why) {
  const node = byId('connection')
  node.dataset.state = connection
  setText(node, connection === 'live' ? 'live' : why)
  const wasLive = isLive
  isLive = connection === 'live'
  if (wasLive !== undefined && wasLive !== isLive)
    announce(isLive ? 'Connected again' : `Not connected: ${why}`)
}

function open() {
  close()
  state.choice = choiceOf(location.hash)
  state.picture = undefined
  const query = new URLSearchParams(state.choice)
  close = openStream(query, {
    onMessage(name, data) {
      HANDLERS[name](data)
      show()
    },
    onState: showConnection,
  })
  showChoice(state.choice)
}

byId('pause').addEventListener('click', () => {
  isPaused = !isPaused
  byId('pause').setAttribute('aria-pressed', isPaused)
  show()
})
addEventListener('hashchange', open)
addEventListener('resize', show)
// Whoever has no mouse scrolls them with the arrow keys.
for (const region of document.querySelectorAll('.scroll')) region.tabIndex = 0
connectForm()
open()
