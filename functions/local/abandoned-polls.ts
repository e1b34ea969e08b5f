import { setImmediate as nextTurn } from 'node:timers/promises'
import type { buildApp } from 'fauxqs'
import * as z from 'zod/mini'

const pollSchema = z.object({ QueueUrl: z.string() })
const answerSchema = z.object({
  Messages: z.array(z.object({ ReceiptHandle: z.string() })).check(z.minLength(1)),
})

/**
 * Makes fauxqs give back what it takes for a long poll whose client has gone. It would otherwise keep those
 * messages invisible for the whole visibility timeout: a consumer that restarts would miss them for minutes.
 */
export function giveBackAbandonedPolls(app: ReturnType<typeof buildApp>): void {
  app.addHook('onSend', async ({ headers, raw: { socket }, body }, _reply, payload) => {
    if (headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage') return payload
    const answer = answerSchema.safeParse(typeof payload === 'string' ? JSON.parse(payload) : undefined)
    if (!answer.success) return payload
    // The end of the connection may be waiting in the same turn as the message that ended the poll.
    await nextTurn()
    if (socket.destroyed || socket.readableEnded) {
      await makeVisible(app, pollSchema.parse(body).QueueUrl, answer.data.Messages)
    }
    return payload
  })
}

async function makeVisible(
  app: ReturnType<typeof buildApp>,
  QueueUrl: string,
  messages: readonly { readonly ReceiptHandle: string }[],
): Promise<void> {
  const Entries = messages.map(({ ReceiptHandle }, index) => ({
    Id: `${index}`,
    ReceiptHandle,
    VisibilityTimeout: 0,
  }))
  await app.inject({
    method: 'POST',
    url: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'AmazonSQS.ChangeMessageVisibilityBatch',
    },
    payload: JSON.stringify({ QueueUrl, Entries }),
  })
}
