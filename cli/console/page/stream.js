/**
 * In milliseconds: a stream that is silent for so long is dead.
 * Figures come each second, or some seconds later where a queue does not answer.
 */
const SILENT_MS = 10_000
const RETRY_MS = 2_000

/**
 * Keeps a stream open, whatever becomes of it.
 * @param query what is asked for
 * @param onMessage told the name of each message, and its data
 * @param onState told `live`, or `lost` and why
 * @returns what ends it
 */
export function openStream(query, { onMessage, onState }) {
  let source
  let retry
  let lastAt = 0

  function connect() {
    lastAt = Date.now()
    source = new EventSource(`events?${query}`)
    for (const name of ['welcome', 'figures', 'events', 'slices'])
      source.addEventListener(name, ({ data }) => {
        lastAt = Date.now()
        onState('live')
        onMessage(name, JSON.parse(data))
      })
    source.onerror = () => void lose()
  }

  /** Tries again itself: not every browser does after every failure. */
  async function lose() {
    source.close()
    clearTimeout(retry)
    retry = setTimeout(connect, RETRY_MS)
    lastAt = Number.POSITIVE_INFINITY
    onState('lost', await reason())
  }

  const watchdog = setInterval(() => {
    if (Date.now() - lastAt > SILENT_MS) void lose()
  }, 1_000)
  connect()

  return () => {
    source.close()
    clearTimeout(retry)
    clearInterval(watchdog)
  }
}

/** Why there is no stream, as far as the page itself can be had. */
async function reason() {
  try {
    const { ok, status } = await fetch('./', { method: 'HEAD' })
    if (ok) return 'the stream was cut off, or too many pages are open'
    return status === 403
      ? 'Sliceflow was started again: open the URL that it printed'
      : `refused (${status})`
  } catch {
    return 'Sliceflow does not answer'
  }
}
