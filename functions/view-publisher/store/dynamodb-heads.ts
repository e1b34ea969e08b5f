import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateScan,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import { type Head, headItem, headOf, PART, PARTITION } from './dynamodb-items.ts'
import type { PublicationStore } from './publication-store.ts'

/**
 * A key without views is forgotten a week after its outbox was emptied: by then no event of it is on its way
 * any more.
 */
const FORGET_AFTER_SECONDS = 7 * 24 * 3600

/** Reads and writes the head items of publications, each write on condition of the version that is there. */
interface Heads extends Pick<PublicationStore, 'markSent' | 'keys'> {
  /** @param versionOnly default false */
  read(partition: KeyText, versionOnly?: boolean): Promise<Head | undefined>
  /** Writes a head; returns whether it was written, and whether the one before it had chunks. */
  put(
    key: ServiceKey,
    head: Head,
    previous: number | undefined,
  ): Promise<{ written: boolean; replacedChunks: boolean }>
}

/** @param now milliseconds since the epoch */
export function createHeads(client: DynamoDBClient, tableName: string, now: () => number): Heads {
  const expiryOf = ({ isLive }: Pick<Head, 'isLive'>): number | undefined =>
    isLive ? undefined : Math.floor(now() / 1000) + FORGET_AFTER_SECONDS

  return {
    async read(partition: KeyText, versionOnly = false): Promise<Head | undefined> {
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
    },
    async put(
      key: ServiceKey,
      head: Head,
      previous: number | undefined,
    ): Promise<{ written: boolean; replacedChunks: boolean }> {
      const command = new PutItemCommand({
        TableName: tableName,
        Item: headItem(key, head, head.isSent ? expiryOf(head) : undefined),
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
    },
    async markSent(key, { version, views }) {
      const expiresAt = expiryOf({ isLive: views.length > 0 })
      const command = new UpdateItemCommand({
        TableName: tableName,
        Key: { ...PARTITION(keyText(key)), ...PART('head') },
        UpdateExpression: `SET sent = :sent${expiresAt === undefined ? '' : ', expiresAt = :expiresAt'}`,
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: {
          ':sent': { BOOL: true },
          ':version': { N: String(version) },
          ...(expiresAt !== undefined && { ':expiresAt': { N: String(expiresAt) } }),
        },
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

/** Returns undefined if the condition of a write did not hold. */
async function unlessRefused<T>(writing: Promise<T>): Promise<T | undefined> {
  try {
    return await writing
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined
    throw error
  }
}
