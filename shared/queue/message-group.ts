import { createHash } from 'node:crypto'

/** SQS allows 1 to 128 ASCII letters, digits and punctuation marks. */
const VALID_GROUP_ID = /^[\x21-\x7e]{1,128}$/

/**
 * Returns the `MessageGroupId` of a cluster's messages. On a standard queue it makes the queue fair: a
 * cluster with a large backlog does not delay the others. Names that SQS would refuse (long EKS ARNs, spaces)
 * are hashed.
 */
export function messageGroupId(cluster: string): string {
  if (VALID_GROUP_ID.test(cluster)) return cluster
  return `sha256:${createHash('sha256').update(cluster).digest('hex')}`
}
