import type { DeadLetterCount, StatusDocument } from '../../../local/index.ts'
import { type OperatorCommands, operatorTasks } from '../../../operator-tasks/index.ts'
import { terminalOf } from '../../../terminal/index.ts'
import { UsageError } from '../../../usage.ts'
import { type WatchView, watchLines } from './watch-lines.ts'

interface WatchReaderOptions {
  readonly status: () => StatusDocument
  /** Clusters that cannot be reached for now. */
  readonly unreachable: () => readonly string[]
  readonly letters: Pick<DeadLetterCount, 'read'>
  readonly commands: OperatorCommands
}

/** What the screen shows of a run, but for what the screen itself remembers. */
type WatchReading = Pick<WatchView, 'status' | 'unreachable' | 'tasks'>

/** Creates what reads a run for its screen. Dead letters are shown once the queues have reported them. */
export function createWatchReader({
  status,
  unreachable,
  letters,
  commands,
}: WatchReaderOptions): () => WatchReading {
  let deadLetters: number | undefined
  return () => {
    void letters.read().then((count) => {
      deadLetters = count
    })
    const document = status()
    return {
      status: document,
      unreachable: unreachable(),
      tasks: operatorTasks(document, deadLetters, commands),
    }
  }
}

/** A terminal that shows the state of a run, redrawn each second. */
interface WatchScreen {
  /** Takes a line of the log: below the table while that is shown. */
  log(line: string): void
  /** Shows the table from now on. */
  show(read: () => WatchReading): void
  /** Gives the terminal back as it was. */
  close(): void
}

/**
 * `output` shows the table, `errors` gets the log before and after, and all along where it is another place.
 */
interface WatchStreams {
  readonly output: NodeJS.WriteStream
  readonly errors: NodeJS.WriteStream
}

const INTERVAL_MS = 1_000
/** Maximum number of stored log lines and seconds of writes. */
const MAX_STORED = 60
/** The other screen of a terminal, without a cursor; and back. */
const ENTER = '\u001b[?1049h\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?1049l'
/** To the first line, over what is there; and all that is left below. */
const HOME = '\u001b[H'
const CLEAR_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'

/** @throws UsageError where the output is no terminal */
export function openWatchScreen(
  { output, errors }: WatchStreams = { output: process.stdout, errors: process.stderr },
): WatchScreen {
  if (!output.isTTY)
    throw new UsageError(
      '--watch needs a terminal: without one, ask for the same with sliceflow status --relay',
    )
  const terminal = terminalOf(output)
  const log: string[] = []
  const writes = createWriteRates()
  let timer: NodeJS.Timeout | undefined
  const close = (): void => {
    if (timer === undefined) return
    clearInterval(timer)
    timer = undefined
    process.off('exit', close)
    output.write(LEAVE)
  }
  return {
    log(line) {
      log.push(line.trimEnd())
      if (log.length > MAX_STORED) log.shift()
      if (timer === undefined || !errors.isTTY) errors.write(line)
    },
    show(read) {
      const draw = (): void => {
        const reading = read()
        const view = { ...reading, writes: writes.after(reading.status), log, now: Date.now() }
        const lines = watchLines(view, terminal).map((line) => `${line}${CLEAR_LINE}`)
        output.write(`${HOME}${lines.join('\n')}${CLEAR_BELOW}`)
      }
      timer = setInterval(draw, INTERVAL_MS)
      // The cursor is restored in every case.
      process.on('exit', close)
      output.write(ENTER)
      draw()
    },
    close,
  }
}

interface WriteRates {
  /** Returns by cluster how many slices were written between each two calls, the latest last. */
  after(status: StatusDocument): ReadonlyMap<string, readonly number[]>
}

function createWriteRates(): WriteRates {
  const totals = new Map<string, number>()
  const rates = new Map<string, readonly number[]>()
  return {
    after({ clusters }) {
      for (const { name, writes } of clusters) {
        const before = totals.get(name)
        if (before !== undefined)
          rates.set(name, [...(rates.get(name) ?? []), writes - before].slice(-MAX_STORED))
        totals.set(name, writes)
      }
      return rates
    },
  }
}
