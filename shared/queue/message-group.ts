import { createHash } from 'node:crypto'
import type { Change } from '../changes/index.ts'

/** SQS allows 1 to 128 ASCII letters, digits and punctuation marks. */
const VALID_GROUP_ID = /^[\x21-\x7e]{1,128}$/

/**
 * Returns the `MessageGroupId` of a message: its cluster and, of a key that stands for several, the one that
 * changed. On a standard queue it makes the queue fair: a cluster with a large backlog does not delay the
 * others. Names that SQS would refuse (long EKS ARNs, spaces) are hashed.
 */
export function messageGroupId({ cluster, from }: Pick<Change, 'cluster' | 'from'>): string {
  const name = from === undefined ? cluster : `${cluster}/${from}`
  if (VALID_GROUP_ID.test(name)) return name
  return `sha256:${createHash('sha256').update(name).digest('hex')}`
}
