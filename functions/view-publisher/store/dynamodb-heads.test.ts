import type {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ViewObject } from '../../../shared/views/index.ts'
import { createDynamoDbPublicationStore } from './index.ts'

const KEY = { cluster: 'a', namespace: 'shop', service: 'cart' }
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

describe('a publication whose chunks are lost, as in a restored backup', () => {
  it('counts as one without views, so that all of them are published again', async () => {
    const head = { version: { N: '7' }, live: { BOOL: true }, sent: { BOOL: false }, chunksId: { S: 'x' } }
    const send = async ({ input }: GetItemCommand): Promise<object> =>
      input.Key?.part?.S === 'head' ? { Item: { ...head, chunks: { N: '2' } } } : {}
    const client = { send: send as unknown } as DynamoDBClient
    const lost = createDynamoDbPublicationStore({ client, tableName: 'views' })
    expect(await lost.load(KEY)).toEqual({ version: 7, views: [], pending: [] })
  })
})
