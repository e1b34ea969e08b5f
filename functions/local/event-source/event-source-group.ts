import type { Message } from '@aws-sdk/client-sqs'
import { MalformedMessageError, messageGroupId, parseMessage } from '../../../shared/queue/index.ts'

/** Group of messages that name no cluster: their senders share one place in line. */
const NO_CLUSTER = ''

/**
 * Returns the message group of a message, which is that of the cluster that changed, as the server says, or
 * else as the body does.
 * Whoever may send to the queue may choose it, and so take the places of as many clusters as they name.
 */
export function groupOf({ Attributes, Body = '' }: Message): string {
  const told = Attributes?.MessageGroupId
  if (told !== undefined) return told
  try {
    return messageGroupId(parseMessage(Body))
  } catch (err) {
    if (err instanceof MalformedMessageError) return NO_CLUSTER
    throw err
  }
}
