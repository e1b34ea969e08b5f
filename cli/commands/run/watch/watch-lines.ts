import { failureWords } from '../../../../shared/queue/consumer/index.ts'
import { printable } from '../../../../shared/telemetry/index.ts'
import type { ClusterStatus, StatusDocument } from '../../../local/index.ts'
import type { OperatorTasks } from '../../../operator-tasks/index.ts'
import {
  ageText,
  bar,
  counted,
  durationText,
  columns as inColumns,
  type Style,
  sparkline,
  styledWord,
  type Terminal,
  truncated,
} from '../../../terminal/index.ts'

/** State of a run as the screen shows it. */
export interface WatchView {
  readonly status: StatusDocument
  /** The clusters that cannot be reached for now. */
  readonly unreachable: readonly string[]
  /** What waits for a person. */
  readonly tasks: OperatorTasks
  /** Slices written in each of the last seconds, by cluster. */
  readonly writes: ReadonlyMap<string, readonly number[]>
  /** The newest lines of the log, the last one last. */
  readonly log: readonly string[]
  /** Current time in milliseconds. */
  readonly now: number
}

type State = 'following' | 'listing' | 'out of reach'

interface Row {
  readonly cluster: ClusterStatus
  readonly state: State
}

const STATE_STYLES: Readonly<Record<State, Style | undefined>> = {
  'out of reach': 'red',
  listing: 'yellow',
  following: undefined,
}
const HEADER = ['CLUSTER', 'STATE', 'WAITING', 'P50', 'P99', 'WRITES', 'FAILURES']
const NAME_WIDTH = 18
const WAITING_WIDTH = 8
/** Columns from which there is room for the writes of the last seconds. */
const WIDE = 110
const SPARK_WIDTH = 30
/** Most lines of the log; and the lines around the table. */
const LOG_LINES = 8
const FRAME_LINES = 5
/** Milliseconds for which a failure is shown. */
const RECENT_MS = 300_000

/**
 * Draws the screen of `run --watch`, as wide and as high as the terminal at most; clusters in trouble come
 * first.
 */
export function watchLines(view: WatchView, terminal: Terminal): string[] {
  const { status, now, log } = view
  const rows = status.clusters.map((cluster) => ({ cluster, state: stateOf(cluster, view) }))
  const sorted = rows.toSorted((one, other) => rank(one) - rank(other))
  const logged = log.slice(-Math.min(LOG_LINES, Math.max(0, terminal.rows - FRAME_LINES - 3)))
  const waiting = taskLines(view.tasks, terminal)
  const room = Math.max(1, terminal.rows - FRAME_LINES - logged.length - waiting.length)
  const shown = sorted.length <= room ? sorted : sorted.slice(0, room - 1)
  const ofSets = (status.clusterSets ?? []).map((set) => ({ ...set, name: `cluster set ${set.name}` }))
  const named = [...shown.map(({ cluster }) => cluster), ...ofSets]
  const failures = named.flatMap((one) => failureLine(one, now)).slice(0, room - shown.length)
  const cut = (line: string): string => truncated(printable(line), terminal.columns)
  const [header = '', ...lines] = tableOf(shown, view, terminal.columns >= WIDE).map(cut)
  const more = sorted.length - shown.length
  return [
    terminal.style('bold', cut(title(view, rows))),
    '',
    terminal.style('bold', header),
    ...lines.map((line, index) => withState(line, shown[index], header.indexOf('STATE'), terminal)),
    ...(more > 0 ? [cut(`and ${counted(more, 'cluster')} more`)] : []),
    ...waiting.map((line) => terminal.style('yellow', line)),
    ...failures.map((line) => terminal.style('red', cut(line))),
    '',
    ...logged.map(cut),
  ]
}

const rank = ({ state }: Row): number => Object.keys(STATE_STYLES).indexOf(state)

function stateOf({ name, syncedAt }: ClusterStatus, { unreachable }: WatchView): State {
  if (unreachable.includes(name)) return 'out of reach'
  return syncedAt === undefined ? 'listing' : 'following'
}

function title({ status, now }: WatchView, rows: readonly Row[]): string {
  const following = rows.filter(({ state }) => state === 'following').length
  return `sliceflow run: following ${following} of ${counted(rows.length, 'cluster')}, up for ${ageText(status.startedAt, now)} (Ctrl-C ends it)`
}

function tableOf(rows: readonly Row[], { writes }: WatchView, isWide: boolean): string[] {
  const most = Math.max(0, ...rows.map(({ cluster }) => cluster.waiting))
  const cells = rows.map(({ cluster, state }) => {
    const { name, waiting, lag, failures } = cluster
    const drawn = bar(waiting, most, WAITING_WIDTH)
    return [
      truncated(name, NAME_WIDTH),
      state,
      `${drawn}${drawn && ' '}${waiting}`,
      delayText(lag?.p50),
      delayText(lag?.p99),
      String(cluster.writes),
      String(failures),
      ...(isWide ? [sparkline((writes.get(name) ?? []).slice(-SPARK_WIDTH), SPARK_WIDTH)] : []),
    ]
  })
  return inColumns([[...HEADER, ...(isWide ? ['WRITES A SECOND'] : [])], ...cells])
}

const delayText = (seconds: number | undefined): string =>
  seconds === undefined ? '-' : durationText(seconds * 1_000)

/**
 * Writes the tasks that need a person, each with its command, in a third of the screen at most. A long
 * command is wrapped, not truncated, so that it can be copied.
 */
function taskLines({ tasks, more }: OperatorTasks, { columns: width, rows }: Terminal): string[] {
  const room = Math.floor((rows - FRAME_LINES) / 3)
  const all = tasks.map(({ text, command }) => linesOfTask(printable(text), printable(command), width))
  const fitting: string[][] = []
  let used = 0
  for (const lines of all) {
    used += lines.length
    const isLast = fitting.length + 1 === all.length && more === 0
    // A line says how many more there are.
    if (used + (isLast ? 0 : 1) > room) break
    fitting.push(lines)
  }
  const left = tasks.length - fitting.length + more
  const rest = left > 0 && room > 0 ? [truncated(`and ${left} more that wait for you`, width)] : []
  return [...fitting.flat(), ...rest]
}

function linesOfTask(text: string, command: string, width: number): string[] {
  const line = `${text}: ${command}`
  if (line.length <= width) return [line]
  const parts = Array.from({ length: Math.ceil(command.length / width) }, (_, index) =>
    command.slice(index * width, (index + 1) * width),
  )
  return [truncated(`${text}:`, width), ...parts]
}

function failureLine(
  { name, lastFailure }: Pick<ClusterStatus, 'name' | 'lastFailure'>,
  now: number,
): string[] {
  if (lastFailure === undefined || now - Date.parse(lastFailure.at) > RECENT_MS) return []
  const { at, class: failureClass, message } = lastFailure
  return [`${name}: ${failureWords(failureClass)}, ${ageText(at, now)} ago: ${message}`]
}

function withState(line: string, row: Row | undefined, from: number, terminal: Terminal): string {
  if (row === undefined) return line
  return styledWord(line, { word: row.state, from, style: STATE_STYLES[row.state] }, terminal)
}
