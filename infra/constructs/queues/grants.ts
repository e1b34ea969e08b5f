import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { allowKey, KEY_WRITES } from '../encryption.ts'
import type { KeyQueue } from './key-queue.ts'

/** Grants sending to a queue, and the use of its key where it has one. */
export function grantSend(queue: IQueue, grantee: IGrantable): Grant {
  allowKey(grantee, queue.encryptionMasterKey, { service: 'sqs', actions: KEY_WRITES })
  return queue.grant(grantee, 'sqs:SendMessage')
}

/** Grants reading and deleting the dead letters of a queue, and sending them to it again. */
export function grantDeadLetters({ queue, deadLetters }: KeyQueue, grantee: IGrantable): Grant {
  return deadLetters
    .grant(
      grantee,
      'sqs:ReceiveMessage',
      'sqs:DeleteMessage',
      'sqs:ChangeMessageVisibility',
      'sqs:GetQueueAttributes',
      'sqs:ListDeadLetterSourceQueues',
    )
    .combine(grantSend(queue, grantee))
    .combine(queue.grant(grantee, 'sqs:GetQueueUrl', 'sqs:GetQueueAttributes'))
}
