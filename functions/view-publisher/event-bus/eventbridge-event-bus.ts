import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { EventBus } from './event-bus.ts'

/** @param busName name or ARN of a bus */
export function createEventBridgeBus(client: EventBridgeClient, busName: string): EventBus {
  return {
    name: busName,
    async put(events, signal) {
      const command = new PutEventsCommand({
        Entries: events.map(({ source, detailType, detail, time }) => ({
          EventBusName: busName,
          Source: source,
          DetailType: detailType,
          Detail: detail,
          Time: time,
        })),
      })
      const { Entries = [] } = await client.send(command, { abortSignal: signal })
      return events.map((_, index) => {
        const { ErrorCode: code, ErrorMessage: message = '' } = Entries[index] ?? {}
        return code === undefined ? undefined : { code, message }
      })
    },
  }
}
