import type { KeyMessage, Lane } from '../queue/index.ts'
import { keyAttributes, type Span, type Tracing } from './tracing.ts'

export type SendTraces = ReturnType<typeof createSendTraces>

/**
 * Traces of one lane's changes in a relay: from the watch event to the message that the queue has accepted. A
 * message that is not sent is not reported: its change is sent again in another message.
 */
export function createSendTraces(tracing: Tracing, lane: Lane) {
  const spans = new WeakMap<KeyMessage, readonly [change: Span, send: Span]>()
  return {
    /**
     * Starts the trace of a message before it is sent, and adds the trace's context to the message.
     * @param waitedMs milliseconds since the watch event of its first change
     * @returns the unchanged message if its trace is not exported
     */
    sending(message: KeyMessage, waitedMs: number): KeyMessage {
      const { triggerTime } = message
      const change = tracing.start('change', {
        startTime: Date.now() - waitedMs,
        attributes: {
          ...keyAttributes(message),
          ...(triggerTime !== undefined && { 'sliceflow.trigger_time': triggerTime }),
        },
      })
      if (change === undefined) return message
      const send = change.child(`send ${lane}`, {
        kind: 'producer',
        attributes: {
          'messaging.system': 'aws_sqs',
          'messaging.operation.type': 'send',
          'messaging.destination.name': lane,
        },
      })
      const traced = { ...message, traceparents: [send.traceparent] }
      spans.set(traced, [change, send])
      return traced
    },
    /** Ends the trace of a message from `sending` that the queue has accepted. */
    sent(message: KeyMessage): void {
      const [change, send] = spans.get(message) ?? []
      send?.end()
      change?.end()
    },
  }
}
