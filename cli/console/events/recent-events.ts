import type { ServiceKey } from '../../../shared/changes/index.ts'
import { clusterSetOf } from '../../../shared/cluster-sets/index.ts'
import { CircuitOpenError } from '../../../shared/kubernetes/index.ts'
import { failureWords } from '../../../shared/queue/consumer/index.ts'
import { SliceFightError } from '../../../shared/reconciler/index.ts'
import { endpointChanges, type Recorder, type SliceWrite } from '../../../shared/recording/index.ts'
import { printable, redactSecrets } from '../../../shared/telemetry/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { eventsOfWrite, summarizeEvents } from '../../history/index.ts'
import type { LocalObserver } from '../../local/index.ts'
import { truncated } from '../../terminal/index.ts'

interface ConsoleEvent {
  /** Grows by one with each. */
  readonly id: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly kind: 'write' | 'gone' | 'held' | 'fight' | 'failed' | 'dead letter' | 'synced'
  /** Absent where a dead letter names none, and of a Service of a cluster set, which its text names. */
  readonly cluster?: string
  readonly namespace?: string
  readonly service?: string
  /** Absent: it is a Service. */
  readonly ownerKind?: string
  /** One line, of what prints. */
  readonly text: string
}

type Waiting = () => Omit<ConsoleEvent, 'id'>
type Subject = Partial<ServiceKey>

/** Maximum number of events per update; further ones are only counted. */
const MAX_BETWEEN = 50
const MAX_LATEST = 200
const MAX_CHARACTERS = 300

/** A bounded number of recent events. @param now milliseconds since the epoch; default `Date.now` */
export function createRecentEvents(now: () => number = Date.now) {
  const latest: ConsoleEvent[] = []
  /** Texts are made when they are taken, and not where slices are written. */
  let waiting: Waiting[] = []
  let more = 0
  let lastId = 0

  function add(of: Subject, kind: ConsoleEvent['kind'], text: () => string): void {
    if (waiting.length >= MAX_BETWEEN) more++
    else {
      const at = now()
      waiting.push(() => ({ at, kind, ...described(of, text()) }))
    }
  }

  return {
    /** Events that were taken last, the oldest first. */
    latest: latest as readonly ConsoleEvent[],
    recorder: {
      records: () => true,
      saw: () => undefined,
      wrote: (key, write) => {
        const at = now()
        add(key, kindOf(write), () => describeWrite(write, at))
      },
      gone: (key, slice) => add(key, 'gone', () => `slice ${slice} was deleted by another client`),
      failed: () => undefined,
      sent: () => undefined,
    } satisfies Recorder,
    observer: {
      onFailed(key, error) {
        // It was not tried: the table of clusters shows it.
        if (error instanceof CircuitOpenError) return
        const kind = error instanceof SliceFightError ? 'fight' : 'failed'
        add(key, kind, () => errorMessage(error))
      },
      onDeadLetter: ({ key, failureClass, reason }) =>
        add(key ?? {}, 'dead letter', () => `given up, as ${failureWords(failureClass)}: ${reason}`),
      onSynced: (cluster) => add({ cluster }, 'synced', () => 'every kind was listed'),
    } satisfies LocalObserver,
    /** Takes in what has happened since the last call; `more` happened beside these. */
    take() {
      const events = waiting.flatMap(attempted).map((event) => ({ id: ++lastId, ...event }))
      const taken = { events, more: more + waiting.length - events.length }
      waiting = []
      more = 0
      latest.push(...events)
      latest.splice(0, latest.length - MAX_LATEST)
      return taken
    },
  }
}

/** Says what an event is about: by fields, or in its text where it is a cluster set's. */
function described(
  { cluster, namespace, service, ownerKind }: Subject,
  text: string,
): Pick<ConsoleEvent, 'cluster' | 'namespace' | 'service' | 'ownerKind' | 'text'> {
  const set = cluster === undefined ? undefined : clusterSetOf({ cluster })
  if (set !== undefined) {
    const name = service === undefined ? '' : `, Service ${namespace}/${service}`
    return { text: shown(`cluster set ${set}${name}: ${text}`) }
  }
  return { cluster, ...(service !== undefined && { namespace, service, ownerKind }), text: shown(text) }
}

function kindOf({ reasons: { hold, fights } }: SliceWrite): ConsoleEvent['kind'] {
  if (hold === 'held') return 'held'
  return fights === undefined ? 'write' : 'fight'
}

/** Skips events that cannot be described, such as one of an invalid slice, so that writers never fail. */
function attempted(make: Waiting): Omit<ConsoleEvent, 'id'> | [] {
  try {
    return make()
  } catch {
    return []
  }
}

/** Sanitizes a text from outside: removes secrets and truncates it. */
const shown = (text: string): string => truncated(printable(redactSecrets(text)), MAX_CHARACTERS)

const DONE = { create: 'made', update: 'written', delete: 'deleted' } as const

/**
 * Describes a write in one line, with the words of `sliceflow history`: what went, changed and came, and why.
 * @param at when it was answered, in milliseconds since the epoch
 */
function describeWrite({ action, before, after, reasons }: SliceWrite, at: number): string {
  const slice = after ?? before
  const { went, ...rest } = endpointChanges(before?.endpoints ?? [], after?.endpoints ?? [])
  const events = eventsOfWrite(
    {
      ...rest,
      went:
        slice === undefined
          ? []
          : went.map((endpoint) => ({ endpoint, ...reasons.removalCauseOf(endpoint, slice) })),
      pods: {},
    },
    [],
  )
  const parts = [summarizeEvents(events) || 'the same endpoints', ...notesOf(reasons, at)]
  return `slice ${slice?.metadata?.name} ${DONE[action]}: ${parts.join('; ')}`
}

function notesOf({ hold, fights, message }: SliceWrite['reasons'], at: number): string[] {
  const sinceSent = at - Date.parse(message?.sentAt ?? '')
  return [
    ...(hold === 'held' ? ['the plan is held, as it removes too much'] : []),
    ...(hold === 'released' || hold === 'expired' ? ['the plan had been held'] : []),
    ...(fights ? [`left alone, as another client keeps editing them: ${fights.join(', ')}`] : []),
    ...(sinceSent >= 0 ? [`${sinceSent} ms after its key was sent`] : []),
  ]
}
