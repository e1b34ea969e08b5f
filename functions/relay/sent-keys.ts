import { type KeyText, keyText, type ServiceKey } from '../../shared/changes/index.ts'
import { encodeMessage, type KeyMessage, LANES, type Lane } from '../../shared/queue/index.ts'
import { AGES, type Recorder } from '../../shared/recording/index.ts'

/** Records keys that the queue has accepted, with what each of them stands for. */
export interface SentKeys {
  /** @param about the kind whose objects changed, or why the keys are swept */
  changed(lane: Lane, about: string, keys: readonly ServiceKey[]): void
  sent(lane: Lane, messages: readonly KeyMessage[]): void
}

/** What the queue has not accepted yet. What nobody need look at in the end counts with the key's next change. */
interface Waiting {
  readonly about: Set<string>
  count: number
  /** When the latest of them came. */
  readonly moments: number[]
}

/** @param now milliseconds of a clock that never goes back */
export function createSentKeys(recorder: Recorder, now = () => performance.now()): SentKeys {
  const waiting = Object.fromEntries(LANES.map((lane) => [lane, new Map()])) as Record<
    Lane,
    Map<KeyText, Waiting>
  >
  return {
    changed(lane, about, keys) {
      for (const key of keys) {
        if (!recorder.records(key)) continue
        const entry = waiting[lane].get(keyText(key)) ?? { about: new Set(), count: 0, moments: [] }
        entry.about.add(about)
        entry.count++
        entry.moments.push(now())
        if (entry.moments.length > AGES) entry.moments.shift()
        waiting[lane].set(keyText(key), entry)
      }
    },
    sent(lane, messages) {
      for (const message of messages) {
        if (!recorder.records(message)) continue
        const { about, count, moments } = waiting[lane].get(keyText(message)) ?? NOTHING
        waiting[lane].delete(keyText(message))
        const bytes = Buffer.byteLength(encodeMessage(message))
        const { cluster, namespace, service, triggerTime: trigger } = message
        recorder.sent({
          cluster,
          namespace,
          service,
          about: [...about],
          count,
          ...(moments.length > 0 && { ages: moments.map((moment) => Math.round(now() - moment)) }),
          bytes,
          lane,
          ...(trigger && { trigger }),
        })
      }
    },
  }
}

/** Of a key that the queue had refused, or that was put into the lane by nobody's change. */
const NOTHING = { about: [], count: 0, moments: [] } as const
