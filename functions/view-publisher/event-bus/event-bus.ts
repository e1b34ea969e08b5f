import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'

/** An event as a bus takes it. */
export interface BusEvent {
  readonly source: string
  readonly detailType: string
  /** JSON. */
  readonly detail: string
  readonly time: Date
}

/** An event that was not taken, and the reason. */
export interface BusFailure {
  readonly code: string
  readonly message: string
}

/** The part of an event bus that is needed here. */
export interface EventBus {
  readonly name: string
  /**
   * Puts at most 10 events, of less than 256 KB together; rejects where the request failed as a whole.
   * Resolves to why an event was not taken, or undefined, for each.
   */
  put(events: readonly BusEvent[], signal: AbortSignal): Promise<readonly (BusFailure | undefined)[]>
}

/** EventBridge's limits of a request: 10 entries, and 256 KB, less what it adds itself. */
export const MAX_ENTRIES = 10
export const MAX_REQUEST_BYTES = 250_000

/** Computes the size of an event as EventBridge does: 14 bytes for the time, and the texts in UTF-8. */
export const sizeOf = ({ source, detailType, detail }: BusEvent): number =>
  14 + Buffer.byteLength(source) + Buffer.byteLength(detailType) + Buffer.byteLength(detail)

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
        const {
          EventId,
          ErrorCode: code = 'NotInTheAnswer',
          ErrorMessage: message = '',
        } = Entries[index] ?? {}
        return EventId === undefined ? { code, message } : undefined
      })
    },
  }
}
