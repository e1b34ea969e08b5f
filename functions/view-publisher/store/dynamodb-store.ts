import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandOutput,
  PutItemCommand,
  paginateScan,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { type KeyText, keyText, parseKeyText } from '../../../shared/changes/index.ts'
import { decodeContent, encodeContent } from './content.ts'
import type { PublicationKey, PublicationStore } from './publication-store.ts'

interface DynamoDbStoreOptions {
  readonly client: DynamoDBClient
  /** Partition key `key` (S), sort key `sink` (S), time to live on `expiresAt`. */
  readonly tableName: string
  /** Maximum size of the content of a publication; default 380 kB, below DynamoDB's 400 kB an item. */
  readonly maxContentBytes?: number
  /** Default: the system's. */
  readonly now?: () => number
}

const MAX_CONTENT_BYTES = 380_000
/** A key without views is deleted a week after its outbox was emptied: no event of it is under way then. */
const FORGET_AFTER_SECONDS = 7 * 24 * 3600

/** The views of a Service are larger than an item of DynamoDB may be. */
class PublicationSizeError extends Error {
  override readonly name = 'PublicationSizeError'
  readonly retryable = false
}

/**
 * Creates a store of publications in DynamoDB: a Service has one item for each sink, with the version and
 * the compressed content. Each write is on condition of the version that is there.
 */
export function createDynamoDbPublicationStore({
  client,
  tableName: TableName,
  maxContentBytes = MAX_CONTENT_BYTES,
  now = Date.now,
}: DynamoDbStoreOptions): PublicationStore {
  /** @returns in seconds since 1970; undefined: never */
  const expiryOf = (views: readonly unknown[]): number | undefined =>
    views.length > 0 ? undefined : Math.floor(now() / 1000) + FORGET_AFTER_SECONDS

  const read = (key: PublicationKey, projection = {}): Promise<GetItemCommandOutput> =>
    client.send(new GetItemCommand({ TableName, Key: itemKey(key), ConsistentRead: true, ...projection }))

  return {
    async load(key) {
      const { Item: item } = await read(key)
      const version = versionOf(item)
      if (version === undefined) return undefined
      // Of a damaged one everything is published again.
      const content = await decodeContent(item?.content?.B ?? new Uint8Array()).catch(() => NO_CONTENT)
      return { ...content, version, pending: item?.sent?.BOOL ? [] : content.pending }
    },
    async version(key) {
      const onlyVersion = { ProjectionExpression: '#version', ExpressionAttributeNames: VERSION }
      return versionOf((await read(key, onlyVersion)).Item)
    },
    async save(key, { version, ...next }, previous) {
      const { views, pending } = next
      const content = await encodeContent(next)
      if (content.length > maxContentBytes)
        throw new PublicationSizeError(
          `failed to publish the views of ${keyText(key)}: with their changes they take ${content.length} bytes, and ${maxContentBytes} are stored at most`,
        )
      const isSent = pending.length === 0
      return isTaken(
        client.send(
          new PutItemCommand({
            TableName,
            Item: {
              ...itemKey(key),
              version: { N: String(version) },
              live: { BOOL: views.length > 0 },
              sent: { BOOL: isSent },
              content: { B: content },
              ...expiry(isSent ? expiryOf(views) : undefined),
            },
            ...(previous === undefined
              ? { ConditionExpression: 'attribute_not_exists(#version)', ExpressionAttributeNames: VERSION }
              : {
                  ConditionExpression: '#version = :previous',
                  ExpressionAttributeNames: VERSION,
                  ExpressionAttributeValues: { ':previous': { N: String(previous) } },
                }),
          }),
        ),
      )
    },
    async markSent(key, { version, views }) {
      const { expiresAt } = expiry(expiryOf(views))
      return isTaken(
        client.send(
          new UpdateItemCommand({
            TableName,
            Key: itemKey(key),
            UpdateExpression: `SET sent = :sent${expiresAt === undefined ? '' : ', expiresAt = :expiresAt'}`,
            ConditionExpression: '#version = :version',
            ExpressionAttributeNames: VERSION,
            ExpressionAttributeValues: {
              ':sent': { BOOL: true },
              ':version': { N: String(version) },
              ...(expiresAt && { ':expiresAt': expiresAt }),
            },
          }),
        ),
      )
    },
    async *keys() {
      const pages = paginateScan(
        { client },
        {
          TableName,
          FilterExpression: 'live = :true OR sent = :false',
          ExpressionAttributeValues: { ':true': { BOOL: true }, ':false': { BOOL: false } },
          ProjectionExpression: '#key',
          ExpressionAttributeNames: { '#key': 'key' },
        },
      )
      // A scan has the items of a Service one after the other.
      let previous: string | undefined
      for await (const { Items = [] } of pages)
        for (const { key: { S: text = '' } = {} } of Items) {
          if (text !== previous) yield parseKeyText(text as KeyText)
          previous = text
        }
    },
  }
}

const VERSION = { '#version': 'version' }
const NO_CONTENT = { views: [], pending: [] }

/** Returns undefined without an item, and for one without a version, which a write replaces. */
const versionOf = (item: GetItemCommandOutput['Item']): number | undefined =>
  item?.version?.N === undefined ? undefined : Number(item.version.N)

const itemKey = (key: PublicationKey): Record<'key' | 'sink', AttributeValue> => ({
  key: { S: keyText(key) },
  sink: { S: key.sink },
})

const expiry = (expiresAt: number | undefined): { readonly expiresAt?: AttributeValue } =>
  expiresAt === undefined ? {} : { expiresAt: { N: String(expiresAt) } }

/** Returns false if the condition of a write did not hold. */
async function isTaken(writing: Promise<unknown>): Promise<boolean> {
  try {
    await writing
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}
