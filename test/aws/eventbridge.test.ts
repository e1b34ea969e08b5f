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
import { describe } from 'vitest'
import {
  type BusUnderTest,
  describeEventBus,
} from '../../functions/view-publisher/event-bus/contract.fixtures.ts'
import { createEventBridgeBus } from '../../functions/view-publisher/event-bus/event-bus.ts'
import { emulatorConfig, emulatorEndpoint, HOW_TO_RUN } from './endpoint.ts'

/** Opens a bus with a rule that sends all of our events to a queue, from which the test reads them. */
async function openBus(): Promise<BusUnderTest> {
  const events = new EventBridgeClient(emulatorConfig)
  const queues = new SQSClient(emulatorConfig)
  const name = `views-${randomUUID()}`
  await events.send(new CreateEventBusCommand({ Name: name }))
  const { QueueUrl } = await queues.send(new CreateQueueCommand({ QueueName: name }))
  const { Attributes } = await queues.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  )
  const EventPattern = JSON.stringify({ source: ['sliceflow'] })
  await events.send(new PutRuleCommand({ Name: name, EventBusName: name, EventPattern }))
  const Targets = [{ Id: 'queue', Arn: Attributes?.QueueArn }]
  await events.send(new PutTargetsCommand({ Rule: name, EventBusName: name, Targets }))
  const found = new Map<string, { source: string; detailType: string; detail: string }>()

  async function receive(): Promise<void> {
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 })
    for (const { Body = '' } of (await queues.send(command)).Messages ?? []) {
      const { id, source, 'detail-type': detailType, detail } = JSON.parse(Body)
      found.set(id, { source, detailType, detail: JSON.stringify(detail) })
    }
  }
  return {
    bus: createEventBridgeBus(events, name),
    async received(atLeast) {
      while (found.size < atLeast) await receive()
      await receive()
      return [...found.values()]
    },
    async close() {
      events.destroy()
      queues.destroy()
    },
  }
}

describe.skipIf(emulatorEndpoint === undefined)(`EventBridge ${HOW_TO_RUN}`, () => {
  describeEventBus('of EventBridge', openBus, { limitsSize: false })
})
