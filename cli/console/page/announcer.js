import { byId, setText } from './dom.js'
import { counted } from './texts.js'

/** Milliseconds between two announcements: a screen reader says each of them. */
const APART_MS = 5_000
const MOST_TOGETHER = 5

const before = new Map()
let waiting = []
let lastAt = Number.NEGATIVE_INFINITY

/** Has a screen reader say it, together with what else comes until then. */
export function announce(text) {
  waiting.push(text)
  if (waiting.length === 1) setTimeout(say, Math.max(0, lastAt + APART_MS - Date.now()))
}

function say() {
  setText(byId('announcements'), waiting.slice(-MOST_TOGETHER).join('. '))
  waiting = []
  lastAt = Date.now()
}

/** Says what an operator would have to see: nothing of what goes on all the time. */
export function announceFigures({ clusters, guards, deadLetters }) {
  for (const { name, state } of clusters)
    onChange(`cluster ${name}`, state, () => `Cluster ${name} is ${state}`)
  for (const { name, label, count } of guards) onChange(`guard ${name}`, count, () => `${label}: ${count}`)
  if (deadLetters !== undefined) onChange('letters', deadLetters, () => counted(deadLetters, 'dead letter'))
}

function onChange(name, value, text) {
  const last = before.get(name)
  before.set(name, value)
  if (last !== undefined && last !== value) announce(text())
}
