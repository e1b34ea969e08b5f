import { randomUUID } from 'node:crypto'
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { describe, expect, it } from 'vitest'
import { createEventBridgeBus, createEventBusSink } from '../../functions/discover/event-bus/index.ts'
import type { ViewObject } from '../../shared/views/index.ts'
import { emulatorConfig, emulatorEndpoint, HOW_TO_RUN } from './endpoint.ts'

describe.skipIf(emulatorEndpoint === undefined)(`EventBridge ${HOW_TO_RUN}`, () => {
  it('takes the events of a delivery, and a rule sends them on to a queue', async () => {
    const events = new EventBridgeClient(emulatorConfig)
    const queues = new SQSClient(emulatorConfig)
    const name = `views-${randomUUID()}`
    await events.send(new CreateEventBusCommand({ Name: name }))
    const { QueueUrl } = await queues.send(new CreateQueueCommand({ QueueName: name }))
    const { Attributes } = await queues.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
    )
    const EventPattern = JSON.stringify({
      source: ['sliceflow'],
      detail: { object: { kind: ['EndpointView'] } },
    })
    await events.send(new PutRuleCommand({ Name: name, EventBusName: name, EventPattern }))
    const Targets = [{ Id: 'queue', Arn: Attributes?.QueueArn }]
    await events.send(new PutTargetsCommand({ Rule: name, EventBusName: name, Targets }))

    const view = (kind: string, index: number): ViewObject => ({
      apiVersion: 'op.view.dcontroller.io/v1alpha1',
      kind,
      metadata: { name: `cart-${index}`, namespace: 'shop' },
    })
    const views = Array.from({ length: 25 }, (_, index) => view(index < 24 ? 'EndpointView' : 'Other', index))
    await createEventBusSink({ bus: createEventBridgeBus(events, name) }).deliver({
      key: { cluster: 'a', namespace: 'shop', service: 'cart' },
      operator: 'op',
      version: 7,
      deltas: views.map((object) => ({ type: 'Added', object }) as const),
      views,
      signal: new AbortController().signal,
    })

    const seen = new Set<string>()
    while (seen.size < 24) {
      const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 })
      for (const { Body = '' } of (await queues.send(command)).Messages ?? []) {
        const { 'detail-type': detailType, source, detail } = JSON.parse(Body)
        expect({ detailType, source }).toEqual({ detailType: 'View Object Added', source: 'sliceflow' })
        expect(detail).toMatchObject({ v: 1, cluster: 'a', service: 'cart', version: 7 })
        seen.add(detail.object.metadata.name)
      }
    }
    expect(seen).toEqual(new Set(views.slice(0, 24).map(({ metadata }) => metadata.name)))
    events.destroy()
    queues.destroy()
  })
})
