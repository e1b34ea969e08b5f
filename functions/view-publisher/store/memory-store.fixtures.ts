import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import { decodeContent, encodeContent } from './content.ts'
import type { PublicationStore } from './publication-store.ts'

interface Stored {
  readonly key: ServiceKey
  readonly version: number
  readonly content: Uint8Array
  readonly isLive: boolean
  isSent: boolean
}

/** Stores publications in memory, as bytes, so that callers share no object with it. */
export function createMemoryPublicationStore(): PublicationStore {
  const publications = new Map<KeyText, Stored>()
  return {
    async load(key) {
      const stored = publications.get(keyText(key))
      if (stored === undefined) return undefined
      const { version, isSent } = stored
      const content = await decodeContent(stored.content)
      return { ...content, version, pending: isSent ? [] : content.pending }
    },
    version: async (key) => publications.get(keyText(key))?.version,
    async save({ cluster, namespace, service }, { version, ...next }, previous) {
      const { views, pending } = next
      const key = { cluster, namespace, service }
      const content = await encodeContent(next)
      // From here on nothing waits: the comparison and the write are one step.
      if (publications.get(keyText(key))?.version !== previous) return false
      const isSent = pending.length === 0
      publications.set(keyText(key), { key, version, content, isLive: views.length > 0, isSent })
      return true
    },
    async markSent(key, { version }) {
      const stored = publications.get(keyText(key))
      if (stored?.version !== version) return false
      stored.isSent = true
      return true
    },
    async *keys() {
      for (const { key, isLive, isSent } of publications.values()) if (isLive || !isSent) yield key
    },
  }
}
