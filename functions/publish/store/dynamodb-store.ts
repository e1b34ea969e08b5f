import { randomUUID } from 'node:crypto'
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateScan,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import { decodeContent, encodeContent } from './content.ts'
import { type ChunkRange, createChunks } from './dynamodb-chunks.ts'
import { type Head, headItem, headOf, PART, PARTITION } from './dynamodb-items.ts'
import type { Publication, PublicationStore } from './publication-store.ts'

export interface DynamoDbStoreOptions {
  readonly client: DynamoDBClient
  /** Partition key `key` (S), sort key `part` (S), time to live on `expiresAt`. */
  readonly tableName: string
  /** Content of a head or a chunk at most; default 350 kB, below DynamoDB's 400 kB an item. */
  readonly maxContentBytes?: number
  /** Default: the system's. */
  readonly now?: () => number
}

const MAX_CONTENT_BYTES = 350_000
/** A key without views is forgotten after a week: by then no event of it is on its way any more. */
const FORGET_AFTER_SECONDS = 7 * 24 * 3600
/** A reader whose chunks are replaced under its eyes begins anew this often. */
const LOAD_ATTEMPTS = 10

/** A publication that cannot be read: its chunks are replaced faster than they are read. */
export class PublicationReadError extends Error {
  override readonly name = 'PublicationReadError'
  readonly retryable = true
}

/**
 * Publications in DynamoDB. A key has one item, its head, with the version and the compressed content; content that is
 * too large for it stands in chunks beside it, which are written before the head that names them and taken away after
 * the head that no longer does.
 */
export function createDynamoDbPublicationStore({
  client,
  tableName,
  maxContentBytes = MAX_CONTENT_BYTES,
  now = Date.now,
}: DynamoDbStoreOptions): PublicationStore {
  const chunks = createChunks(client, tableName)

  async function readHead(partition: KeyText, versionOnly = false): Promise<Head | undefined> {
    const { Item } = await client.send(
      new GetItemCommand({
        TableName: tableName,
        Key: { ...PARTITION(partition), ...PART('head') },
        ConsistentRead: true,
        ...(versionOnly && {
          ProjectionExpression: '#version',
          ExpressionAttributeNames: { '#version': 'version' },
        }),
      }),
    )
    return Item === undefined ? undefined : headOf(Item)
  }

  async function contentOf(partition: KeyText, { content, version, chunked }: Head) {
    if (chunked === undefined) return content
    return await chunks.read(partition, { version, ...chunked })
  }

  async function load(key: ServiceKey): Promise<Publication | undefined> {
    const partition = keyText(key)
    for (let attempt = 0; attempt < LOAD_ATTEMPTS; attempt++) {
      const head = await readHead(partition)
      if (head === undefined) return undefined
      const content = await contentOf(partition, head)
      // A chunk is missing: a newer head stands there by now.
      if (content === undefined) continue
      const { views, pending } = await decodeContent(content)
      return { version: head.version, views, pending: head.isSent ? [] : pending }
    }
    throw new PublicationReadError(
      `failed to read the publication of ${partition}: its chunks were replaced ${LOAD_ATTEMPTS} times while they were read`,
    )
  }

  /** Whether the head was written, and whether the one before it had chunks. */
  async function putHead(
    key: ServiceKey,
    head: Head,
    previous: number | undefined,
  ): Promise<{ written: boolean; replacedChunks: boolean }> {
    const isLast = !head.isLive
    const expiresAt = isLast ? Math.floor(now() / 1000) + FORGET_AFTER_SECONDS : undefined
    const command = new PutItemCommand({
      TableName: tableName,
      Item: headItem(key, head, expiresAt),
      ReturnValues: 'ALL_OLD',
      ...(previous === undefined
        ? {
            ConditionExpression: 'attribute_not_exists(#version)',
            ExpressionAttributeNames: { '#version': 'version' },
          }
        : {
            ConditionExpression: '#version = :previous',
            ExpressionAttributeNames: { '#version': 'version' },
            ExpressionAttributeValues: { ':previous': { N: String(previous) } },
          }),
    })
    const answer = await unlessRefused(client.send(command))
    const old = answer?.Attributes
    return {
      written: answer !== undefined,
      replacedChunks: old !== undefined && headOf(old).chunked !== undefined,
    }
  }

  return {
    load,
    version: async (key) => (await readHead(keyText(key), true))?.version,
    async save(key, { version, views, pending }, previous) {
      const partition = keyText(key)
      const content = await encodeContent({ views, pending })
      const state = { version, isLive: views.length > 0, isSent: pending.length === 0 }
      if (content.length <= maxContentBytes) {
        const { written, replacedChunks } = await putHead(key, { ...state, content }, previous)
        if (replacedChunks) await chunks.removeBefore(partition, { version })
        return written
      }
      const count = Math.ceil(content.length / maxContentBytes)
      const range: ChunkRange = { version, id: randomUUID(), count }
      await chunks.write(partition, range, content)
      const chunked = { id: range.id, count }
      const { written } = await putHead(key, { ...state, chunked }, previous)
      if (written) await chunks.removeBefore(partition, range)
      else await chunks.remove(partition, range)
      return written
    },
    async markSent(key, version) {
      const command = new UpdateItemCommand({
        TableName: tableName,
        Key: { ...PARTITION(keyText(key)), ...PART('head') },
        UpdateExpression: 'SET sent = :sent',
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':sent': { BOOL: true }, ':version': { N: String(version) } },
      })
      return (await unlessRefused(client.send(command))) !== undefined
    },
    async *keys() {
      const pages = paginateScan(
        { client },
        {
          TableName: tableName,
          FilterExpression: 'part = :head AND (live = :true OR sent = :false)',
          ExpressionAttributeValues: {
            ':head': { S: 'head' },
            ':true': { BOOL: true },
            ':false': { BOOL: false },
          },
          ProjectionExpression: '#cluster, #namespace, #service',
          ExpressionAttributeNames: {
            '#cluster': 'cluster',
            '#namespace': 'namespace',
            '#service': 'service',
          },
        },
      )
      for await (const { Items = [] } of pages) {
        for (const { cluster, namespace, service } of Items) {
          yield { cluster: cluster?.S ?? '', namespace: namespace?.S ?? '', service: service?.S ?? '' }
        }
      }
    },
  }
}

/** undefined where the condition of a write did not hold. */
async function unlessRefused<T>(writing: Promise<T>): Promise<T | undefined> {
  try {
    return await writing
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined
    throw error
  }
}
