import { linkTo, ownerText } from './choice.js'
import { byId, element, setText } from './dom.js'
import { clockText, counted } from './texts.js'

/** Lines that are kept on the page. */
const MOST_LINES = 100
const BAD = new Set(['gone', 'held', 'fight', 'failed', 'dead letter'])

let shown = 0

/**
 * Adds those that are new, the latest at the top.
 * @param events the oldest first
 * @param more happened beside them
 */
export function showEvents(events, more) {
  const list = byId('events')
  const fresh = events.filter(({ id }) => id > shown)
  list.prepend(...fresh.map(lineOf).reverse())
  while (list.children.length > MOST_LINES) list.lastElementChild.remove()
  shown = events.at(-1)?.id ?? shown
  const note = more > 0 ? ` ${counted(more, 'event')} more in the last second.` : ''
  if (list.children.length > 0) setText(byId('events-note'), `The latest comes first.${note}`)
}

/** Begins again. */
export function clearEvents() {
  byId('events').replaceChildren()
  shown = 0
}

function lineOf({ at, kind, text, ...of }) {
  const { cluster, service } = of
  const subject = service === undefined ? (cluster ?? '') : `${cluster} ${ownerText(of)}`
  const named = service === undefined ? subject : element('a', { href: linkTo(of) }, subject)
  const attributes = BAD.has(kind) ? { class: 'is-bad' } : {}
  const time = element('time', { datetime: new Date(at).toISOString() }, clockText(at))
  return element('li', attributes, time, element('span', { class: 'kind' }, kind), named, ` ${text}`)
}
