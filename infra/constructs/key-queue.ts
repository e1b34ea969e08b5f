import { ArnFormat, Duration, Names, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { DeploymentSettings } from '../settings/index.ts'

export interface KeyQueueProps {
  readonly settings: DeploymentSettings
  /** Of the queue, in seconds: at least 6 × the time limit of the function that reads it. */
  readonly visibility: number
}

/** SQS’ longest: dead letters must outlive the messages of their queue, whose age they keep. */
const DEAD_LETTERS_DAYS = 14
/** SQS’ limit. */
const MAX_NAME_LENGTH = 80

/**
 * A queue of keys and its dead letters: a standard queue, fair by the MessageGroupId that the relay sends
 * (the cluster). Not FIFO: its deduplication would drop a change that follows a processed one.
 */
export class KeyQueue extends Construct {
  readonly queue: Queue
  readonly deadLetters: Queue

  constructor(scope: Construct, id: string, { settings, visibility }: KeyQueueProps) {
    super(scope, id)
    // Both queues name each other: one of them needs a name that CloudFormation does not have to find first.
    const queueName = Names.uniqueResourceName(this, { maxLength: MAX_NAME_LENGTH })
    const queueArn = Stack.of(this).formatArn({
      service: 'sqs',
      resource: queueName,
      arnFormat: ArnFormat.NO_RESOURCE_NAME,
    })
    this.deadLetters = new Queue(this, 'DeadLetters', {
      retentionPeriod: Duration.days(DEAD_LETTERS_DAYS),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      redriveAllowPolicy: {
        redrivePermission: RedrivePermission.BY_QUEUE,
        sourceQueues: [Queue.fromQueueArn(this, 'Source', queueArn)],
      },
      removalPolicy: RemovalPolicy.DESTROY,
    })
    this.queue = new Queue(this, 'Queue', {
      queueName,
      visibilityTimeout: Duration.seconds(visibility),
      retentionPeriod: Duration.seconds(settings.queueRetention),
      receiveMessageWaitTime: Duration.seconds(20),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: settings.maxReceiveCount },
      removalPolicy: RemovalPolicy.DESTROY,
    })
  }
}
