import { type KeyText, keyText, type ServiceKey } from '../../shared/changes/index.ts'
import { encodeMessage, type KeyMessage, LANES, type Lane } from '../../shared/queue/index.ts'
import type { Recorder } from '../../shared/recording/index.ts'

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
}

export function createSentKeys(recorder: Recorder): SentKeys {
  const waiting = Object.fromEntries(LANES.map((lane) => [lane, new Map()])) as Record<
    Lane,
    Map<KeyText, Waiting>
  >
  return {
    changed(lane, about, keys) {
      for (const key of keys) {
        if (!recorder.records(key)) continue
        const entry = waiting[lane].get(keyText(key)) ?? { about: new Set(), count: 0 }
        entry.about.add(about)
        entry.count++
        waiting[lane].set(keyText(key), entry)
      }
    },
    sent(lane, messages) {
      for (const message of messages) {
        if (!recorder.records(message)) continue
        const { about, count } = waiting[lane].get(keyText(message)) ?? { about: [], count: 0 }
        waiting[lane].delete(keyText(message))
        const bytes = Buffer.byteLength(encodeMessage(message))
        const { cluster, namespace, service, triggerTime: trigger } = message
        recorder.sent({
          cluster,
          namespace,
          service,
          about: [...about],
          count,
          bytes,
          lane,
          ...(trigger && { trigger }),
        })
      }
    },
  }
}
