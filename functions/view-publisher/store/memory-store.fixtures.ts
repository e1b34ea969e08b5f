import { keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import { decodeContent, encodeContent } from './content.ts'
import type { PublicationKey, PublicationStore } from './publication-store.ts'

interface Stored {
  readonly key: ServiceKey
  readonly version: number
  readonly content: Uint8Array
  readonly isLive: boolean
  isSent: boolean
}

/** Stores publications in memory, as bytes, so that callers share no object with it. */
export function createMemoryPublicationStore(): PublicationStore {
  const publications = new Map<string, Stored>()
  const idOf = (key: PublicationKey): string => `${keyText(key)} ${key.sink}`
  return {
    async load(key) {
      const stored = publications.get(idOf(key))
      if (stored === undefined) return undefined
      const { version, isSent } = stored
      const content = await decodeContent(stored.content)
      return { ...content, version, pending: isSent ? [] : content.pending }
    },
    version: async (key) => publications.get(idOf(key))?.version,
    async save(id, { version, ...next }, previous) {
      const { views, pending } = next
      const { sink: _, ...key } = id
      const content = await encodeContent(next)
      // From here on nothing waits: the comparison and the write are one step.
      if (publications.get(idOf(id))?.version !== previous) return false
      const isSent = pending.length === 0
      publications.set(idOf(id), { key, version, content, isLive: views.length > 0, isSent })
      return true
    },
    async markSent(key, { version }) {
      const stored = publications.get(idOf(key))
      if (stored?.version !== version) return false
      stored.isSent = true
      return true
    },
    async *keys() {
      const published = [...publications.values()].filter(({ isLive, isSent }) => isLive || !isSent)
      yield* new Map(published.map(({ key }) => [keyText(key), key])).values()
    },
  }
}
