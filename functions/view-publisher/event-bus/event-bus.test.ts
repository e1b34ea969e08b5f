import type { EventBridgeClient, PutEventsCommandOutput } from '@aws-sdk/client-eventbridge'
import { expect, it } from 'vitest'
import { createEventBridgeBus } from './event-bus.ts'

it('takes only those events for put to which the answer gives an id', async () => {
  const answer: Partial<PutEventsCommandOutput> = {
    Entries: [{ EventId: 'a' }, { ErrorCode: 'ThrottlingException', ErrorMessage: 'slow down' }],
  }
  const client = { send: async () => answer } as unknown as EventBridgeClient
  const event = { source: 'sliceflow', detailType: 'View Object Added', detail: '{}', time: new Date(0) }
  const { signal } = new AbortController()
  expect(await createEventBridgeBus(client, 'default').put([event, event, event], signal)).toEqual([
    undefined,
    { code: 'ThrottlingException', message: 'slow down' },
    { code: 'NotInTheAnswer', message: '' },
  ])
})
