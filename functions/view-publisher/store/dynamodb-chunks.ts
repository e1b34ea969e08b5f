import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
} from '@aws-sdk/client-dynamodb'
import pLimit from 'p-limit'
import type { KeyText } from '../../../shared/changes/index.ts'
import { PART, PARTITION } from './dynamodb-items.ts'

/** The chunks of one content. */
export interface ChunkRange {
  readonly version: number
  /** Distinguishes the contents of two workers that made the same version. */
  readonly id: string
  readonly count: number
}

interface Chunks {
  write(key: KeyText, range: ChunkRange, content: Uint8Array): Promise<void>
  /** Reads chunks; returns undefined if one of them is gone. */
  read(key: KeyText, range: ChunkRange): Promise<Uint8Array | undefined>
  remove(key: KeyText, range: ChunkRange): Promise<void>
  /**
   * Removes the chunks of older versions than this one, and others' of the same. No head will ever name them:
   * a head that is still to be written follows this version, and so has a later one.
   */
  removeBefore(key: KeyText, kept: Pick<ChunkRange, 'version'> & Partial<ChunkRange>): Promise<void>
}

/** Requests of one content in flight at once. */
const CONCURRENCY = 4
/** Milliseconds since 1970 have 13 digits; padded, texts are in the order of numbers. */
const VERSION_DIGITS = 16

export function createChunks(client: DynamoDBClient, tableName: string): Chunks {
  const limit = pLimit(CONCURRENCY)
  const parts = ({ version, id, count }: ChunkRange): string[] =>
    Array.from(
      { length: count },
      (_, index) => `${prefixOf(version)}#${id}#${String(index).padStart(4, '0')}`,
    )
  const deletePart = (key: KeyText, part: string): Promise<unknown> =>
    limit(() =>
      client.send(new DeleteItemCommand({ TableName: tableName, Key: { ...PARTITION(key), ...PART(part) } })),
    )

  return {
    async write(key, range, content) {
      const size = Math.ceil(content.length / range.count)
      const writes = parts(range).map((part, index) =>
        limit(() => {
          const B = content.subarray(index * size, (index + 1) * size)
          const Item = { ...PARTITION(key), ...PART(part), content: { B } }
          return client.send(new PutItemCommand({ TableName: tableName, Item }))
        }),
      )
      await Promise.all(writes)
    },
    async read(key, range) {
      const reads = parts(range).map((part) =>
        limit(async () => {
          const Key = { ...PARTITION(key), ...PART(part) }
          const command = new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true })
          return (await client.send(command)).Item?.content?.B
        }),
      )
      const found = await Promise.all(reads)
      const whole = found.filter((chunk) => chunk !== undefined)
      return whole.length === range.count ? Buffer.concat(whole) : undefined
    },
    async remove(key, range) {
      await Promise.all(parts(range).map((part) => deletePart(key, part)))
    },
    async removeBefore(key, { version, id }) {
      const pages = paginateQuery(
        { client },
        {
          TableName: tableName,
          KeyConditionExpression: '#key = :key AND part BETWEEN :first AND :last',
          ProjectionExpression: 'part',
          ExpressionAttributeNames: { '#key': 'key' },
          ExpressionAttributeValues: {
            ':key': { S: key },
            ':first': { S: 'chunk#' },
            ':last': { S: `${prefixOf(version)}$` },
          },
        },
      )
      for await (const { Items = [] } of pages) {
        const old = Items.flatMap(({ part }) => part?.S ?? []).filter(
          (part) => id === undefined || !part.startsWith(`${prefixOf(version)}#${id}#`),
        )
        await Promise.all(old.map((part) => deletePart(key, part)))
      }
    },
  }
}

const prefixOf = (version: number): string => `chunk#${String(version).padStart(VERSION_DIGITS, '0')}`
