import { gzipSync } from 'node:zlib'
import { DynamoDBClient, type PutItemCommand, type UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ViewObject } from '../../../shared/views/index.ts'
import { createDynamoDbPublicationStore } from './dynamodb-store.ts'

const SERVICE = { cluster: 'a', namespace: 'shop', service: 'cart' }
const KEY = { ...SERVICE, sink: 'event bus default' }
const NOW = 1_800_000_000
const IN_A_WEEK = { N: String(NOW + 7 * 24 * 3600) }
const VIEW: ViewObject = {
  apiVersion: 'op.view.dcontroller.io/v1alpha1',
  kind: 'EndpointView',
  metadata: { name: 'v', namespace: 'shop' },
}
const DELETED = { type: 'Deleted', object: VIEW, old: VIEW } as const

describe('the item of a key without views', () => {
  let expiries: unknown[]
  beforeEach(() => {
    expiries = []
  })
  const send = async ({ input }: PutItemCommand | UpdateItemCommand): Promise<object> => {
    const item = 'Item' in input ? input.Item?.expiresAt : undefined
    const values = 'UpdateExpression' in input ? input.ExpressionAttributeValues : undefined
    expiries.push(item ?? values?.[':expiresAt'])
    return {}
  }
  const store = createDynamoDbPublicationStore({
    client: { send: send as unknown } as DynamoDBClient,
    tableName: 'views',
    now: () => NOW * 1000,
  })

  it('stays until its outbox is sent, and for a week after that', async () => {
    await store.save(KEY, { version: 2, views: [], pending: [DELETED] }, 1)
    await store.markSent(KEY, { version: 2, views: [] })
    expect(expiries).toEqual([undefined, IN_A_WEEK])
  })

  it('goes after a week where nothing is to be sent, and stays where there are views', async () => {
    await store.save(KEY, { version: 2, views: [], pending: [] }, 1)
    await store.save(KEY, { version: 3, views: [VIEW], pending: [{ type: 'Added', object: VIEW }] }, 2)
    await store.markSent(KEY, { version: 3, views: [VIEW] })
    expect(expiries).toEqual([IN_A_WEEK, undefined, undefined])
  })
})

describe('a damaged publication', () => {
  const storeOf = (item: object) => {
    const send = async (): Promise<object> => ({ Item: { version: { N: '7' }, ...item } })
    const client = { send: send as unknown } as DynamoDBClient
    return createDynamoDbPublicationStore({ client, tableName: 'views' })
  }

  it.each([
    ['is no archive', Buffer.from('views')],
    ['is no JSON', gzipSync('[')],
    ['has another form', gzipSync(JSON.stringify({ views: {}, pending: [] }))],
    ['names no changes', gzipSync(JSON.stringify({ views: [VIEW] }))],
    ['lacks what it names', gzipSync(JSON.stringify({ views: [], pending: [['Added', 0]] }))],
  ])('whose content %s has no views, so that all are published again', async (_, B) => {
    expect(await storeOf({ content: { B } }).load(KEY)).toEqual({ version: 7, views: [], pending: [] })
  })
})

describe('an item without a version', () => {
  it('is no publication, and is replaced', async () => {
    const sent: unknown[] = []
    const send = async (command: { readonly input: object }): Promise<object> => {
      sent.push('ConditionExpression' in command.input && command.input.ConditionExpression)
      return { Item: { key: { S: 'a/shop/cart' }, live: { BOOL: true } } }
    }
    const client = { send: send as unknown } as DynamoDBClient
    const store = createDynamoDbPublicationStore({ client, tableName: 'views' })
    expect([await store.load(KEY), await store.version(KEY)]).toEqual([undefined, undefined])
    await store.save(KEY, { version: 1, views: [], pending: [] }, undefined)
    expect(sent.at(-1)).toBe('attribute_not_exists(#version)')
  })
})

it('a sweep takes the names of a key from what no item is without', async () => {
  const send = async ({ input }: { readonly input: object }): Promise<object> =>
    'FilterExpression' in input
      ? { Items: [{ key: { S: 'arn:aws:eks:eu-west-1:1:cluster/a/shop/cart' } }] }
      : {}
  const client = Object.assign(Object.create(DynamoDBClient.prototype), { send })
  const keys: unknown[] = []
  for await (const key of createDynamoDbPublicationStore({ client, tableName: 'views' }).keys())
    keys.push(key)
  expect(keys).toEqual([{ ...SERVICE, cluster: 'arn:aws:eks:eu-west-1:1:cluster/a' }])
})

describe('a publication that is too large for an item', () => {
  it('is an error that another attempt does not mend, and nothing is written', async () => {
    const written: unknown[] = []
    const send = async (command: unknown): Promise<object> => ({ $: written.push(command) })
    const client = { send: send as unknown } as DynamoDBClient
    const store = createDynamoDbPublicationStore({ client, tableName: 'views', maxContentBytes: 50 })
    const saving = store.save(KEY, { version: 1, views: [VIEW], pending: [] }, undefined)
    await expect(saving).rejects.toMatchObject({
      message: expect.stringContaining('failed to publish the views of a/shop/cart'),
      retryable: false,
    })
    expect(written).toEqual([])
  })
})
