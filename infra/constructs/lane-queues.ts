import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { Lane } from '../../shared/queue/index.ts'
import { advisedVisibility, type DeploymentSettings } from '../settings/index.ts'

export interface LaneQueuesProps {
  readonly lane: Lane
  readonly settings: DeploymentSettings
}

/** SQS’ longest: dead letters must outlive the messages of their queue, whose age they keep. */
const DEAD_LETTERS_DAYS = 14

/**
 * One lane: a standard queue, fair by the MessageGroupId that the relay sends (the cluster), and its dead letters. Not FIFO: its
 * deduplication would drop a change that follows a processed one.
 */
export class LaneQueues extends Construct {
  readonly queue: Queue
  readonly deadLetters: Queue
  readonly lane: Lane

  constructor(scope: Construct, id: string, { lane, settings }: LaneQueuesProps) {
    super(scope, id)
    this.lane = lane
    this.deadLetters = new Queue(this, 'DeadLetters', {
      retentionPeriod: Duration.days(DEAD_LETTERS_DAYS),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const visibility = settings.visibilityTimeout || advisedVisibility(settings, lane)
    this.queue = new Queue(this, 'Queue', {
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
