import { randomUUID } from 'node:crypto'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import { decodeContent, encodeContent } from './content.ts'
import { type ChunkRange, createChunks } from './dynamodb-chunks.ts'
import { createHeads } from './dynamodb-heads.ts'
import type { Head } from './dynamodb-items.ts'
import type { Publication, PublicationStore } from './publication-store.ts'

interface DynamoDbStoreOptions {
  readonly client: DynamoDBClient
  /** Partition key `key` (S), sort key `part` (S), time to live on `expiresAt`. */
  readonly tableName: string
  /** Content of a head or a chunk at most; default 350 kB, below DynamoDB's 400 kB an item. */
  readonly maxContentBytes?: number
  /** Default: the system's. */
  readonly now?: () => number
}

const MAX_CONTENT_BYTES = 350_000
/** Maximum number of attempts of a read whose chunks are replaced meanwhile. */
const LOAD_ATTEMPTS = 10

/** A publication that cannot be read: its chunks are replaced faster than they are read. */
class PublicationReadError extends Error {
  override readonly name = 'PublicationReadError'
  readonly retryable = true
}

/**
 * Creates a store of publications in DynamoDB. A key has one item, its head, with the version and the
 * compressed content; content that is too large for it stands in chunks beside it, which are written before
 * the head that names them and taken away after the head that no longer does.
 */
export function createDynamoDbPublicationStore({
  client,
  tableName,
  maxContentBytes = MAX_CONTENT_BYTES,
  now = Date.now,
}: DynamoDbStoreOptions): PublicationStore {
  const chunks = createChunks(client, tableName)
  const heads = createHeads(client, tableName, now)

  async function contentOf(partition: KeyText, { content, version, chunked }: Head) {
    if (chunked === undefined) return content
    return await chunks.read(partition, { version, ...chunked })
  }

  async function load(key: ServiceKey): Promise<Publication | undefined> {
    const partition = keyText(key)
    let lacking: string | undefined
    for (let attempt = 0; attempt < LOAD_ATTEMPTS; attempt++) {
      const head = await heads.read(partition)
      if (head === undefined) return undefined
      const content = await contentOf(partition, head)
      if (content === undefined) {
        // A chunk is missing. Chunks go after the head that names them: a newer one stands there by now, or
        // they are lost, as in a backup that was restored. Everything is published again then.
        if (lacking === head.chunked?.id) return { version: head.version, views: [], pending: [] }
        lacking = head.chunked?.id
        continue
      }
      const { views, pending } = await decodeContent(content)
      return { version: head.version, views, pending: head.isSent ? [] : pending }
    }
    throw new PublicationReadError(
      `failed to read the publication of ${partition}: its chunks were replaced ${LOAD_ATTEMPTS} times while they were read`,
    )
  }

  return {
    load,
    version: async (key) => (await heads.read(keyText(key), true))?.version,
    async save(key, { version, views, pending }, previous) {
      const partition = keyText(key)
      const content = await encodeContent({ views, pending })
      const state = { version, isLive: views.length > 0, isSent: pending.length === 0 }
      if (content.length <= maxContentBytes) {
        const { written, replacedChunks } = await heads.put(key, { ...state, content }, previous)
        if (replacedChunks) await chunks.removeBefore(partition, { version })
        return written
      }
      const count = Math.ceil(content.length / maxContentBytes)
      const range: ChunkRange = { version, id: randomUUID(), count }
      await chunks.write(partition, range, content)
      const chunked = { id: range.id, count }
      const { written } = await heads.put(key, { ...state, chunked }, previous)
      if (written) await chunks.removeBefore(partition, range)
      else await chunks.remove(partition, range)
      return written
    },
    markSent: heads.markSent,
    keys: heads.keys,
  }
}
