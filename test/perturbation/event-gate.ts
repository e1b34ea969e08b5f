import { Transform } from 'node:stream'

/** Lets the events of watches through, holds them back, or loses them. */
export interface EventGate {
  /** Returns the stream that the events of a watch of this collection pass through. */
  through(plural: string): Transform
  /** Holds events of these collections back, as a server does that lags; default: of all. */
  hold(plurals?: ReadonlySet<string>): void
  /**
   * Loses events. `open` then ends the watches that lost some with 410, as a server does whose history is
   * gone.
   */
  lose(): void
  /** Passes on what was held, in its order, and from now on everything at once. */
  open(): void
  readonly held: number
  /** Events lost on watches that got their 410. */
  readonly lost: number
  /** Objects that came and went while events were lost. */
  readonly unseen: number
}

interface Watch {
  readonly plural: string
  readonly waiting: string[]
  lost: number
  release(): void
}

const EXPIRED = JSON.stringify({
  type: 'ERROR',
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: 'too old resource version',
    reason: 'Expired',
    code: 410,
  },
})

export function createEventGate(): EventGate {
  const watches = new Set<Watch>()
  const came = new Set<string>()
  let mode: 'open' | 'held' | 'lossy' = 'open'
  let heldPlurals: ReadonlySet<string> | undefined
  let held = 0
  let lost = 0
  let unseen = 0

  function take(watch: Watch, line: string, pass: (line: string) => void): void {
    if (mode === 'lossy') lose(watch, line)
    else if (mode === 'open' || heldPlurals?.has(watch.plural) === false) pass(line)
    else {
      watch.waiting.push(line)
      if (!isBookmark(line)) held++
    }
  }

  function lose(watch: Watch, line: string): void {
    if (isBookmark(line)) return
    watch.lost++
    const { type, object } = JSON.parse(line)
    if (type === 'ADDED') came.add(object.metadata.uid)
    if (type === 'DELETED' && came.delete(object.metadata.uid)) unseen++
  }

  return {
    through(plural) {
      let rest = ''
      const stream = new Transform({
        decodeStrings: false,
        transform(chunk: Buffer, _encoding, done) {
          const lines = (rest + chunk.toString('utf8')).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) if (line !== '') take(watch, line, pass)
          done()
        },
      })
      const pass = (line: string): void => void stream.push(`${line}\n`)
      const watch: Watch = {
        plural,
        waiting: [],
        lost: 0,
        release() {
          for (const line of watch.waiting.splice(0)) pass(line)
          if (watch.lost === 0) return
          lost += watch.lost
          watch.lost = 0
          pass(EXPIRED)
        },
      }
      watches.add(watch)
      stream.on('close', () => watches.delete(watch))
      return stream
    },
    hold(plurals) {
      mode = 'held'
      heldPlurals = plurals
    },
    lose() {
      mode = 'lossy'
      came.clear()
    },
    open() {
      mode = 'open'
      for (const watch of watches) watch.release()
    },
    get held() {
      return held
    },
    get lost() {
      return lost
    },
    get unseen() {
      return unseen
    },
  }
}

const isBookmark = (line: string): boolean => line.startsWith('{"type":"BOOKMARK"')
