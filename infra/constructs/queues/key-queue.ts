import { Annotations, ArnFormat, Duration, Names, RemovalPolicy, Stack } from 'aws-cdk-lib'
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { type IQueue, Queue, QueueEncryption, type QueueProps, RedrivePermission } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { Lane } from '../../../shared/queue/index.ts'
import { DeploymentError, type DeploymentSettings, visibilityOf } from '../../settings/index.ts'
import { allowKey, KEY_WRITES } from '../encryption.ts'

/** A queue that is there, with its dead letters, in place of those that are made. */
export interface ExistingQueue {
  readonly queue: IQueue
  readonly deadLetters: IQueue
}

/** Overrides of a queue that is made, or a queue in place of it. */
export interface QueueOverrides {
  /** Over ours; what settings and other props say is refused. */
  readonly queueProps?: OwnQueueProps | undefined
  readonly existing?: ExistingQueue | undefined
}

interface KeyQueueProps extends QueueOverrides {
  readonly settings: DeploymentSettings
  /** Visibility timeout in seconds: at least 6 × the time limit of the function that reads the queue. */
  readonly visibility: number
  /** Default: a key of SQS’ own, which costs nothing. */
  readonly encryptionKey?: IKey | undefined
}

/** SQS’ longest: dead letters must outlive the messages of their queue, whose age they keep. */
const DEAD_LETTERS_DAYS = 14
/** SQS’ limit. */
const MAX_NAME_LENGTH = 80

/** Props that are set in another way than by `queueProps`, each with that way. */
const SAID_ELSEWHERE = {
  visibilityTimeout: 'it follows from the setting functionTimeout',
  retentionPeriod: 'use the setting queueRetention',
  deadLetterQueue: 'use the setting maxReceiveCount, or existingQueues',
  encryptionMasterKey: 'use encryptionKey, which dead letters, topics and logs get, too',
  encryption: 'use encryptionKey',
  fifo: 'a FIFO queue drops a change that follows a processed one; leave it out',
  contentBasedDeduplication: 'it applies to FIFO queues only; leave it out',
  deduplicationScope: 'it applies to FIFO queues only; leave it out',
  fifoThroughputLimit: 'it applies to FIFO queues only; leave it out',
} as const satisfies Readonly<Partial<Record<keyof QueueProps, string>>>

/** Props of a queue that may be overridden. */
export type OwnQueueProps = Omit<QueueProps, keyof typeof SAID_ELSEWHERE>

/**
 * A queue of keys and its dead letters: a standard queue, fair by the MessageGroupId that the relay sends
 * (the cluster). Not FIFO: its deduplication would drop a change that follows a processed one.
 */
export class KeyQueue extends Construct {
  readonly queue: IQueue
  readonly deadLetters: IQueue

  constructor(scope: Construct, id: string, props: KeyQueueProps) {
    super(scope, id)
    checkOverrides(id, props)
    const { queue, deadLetters } = props.existing ?? this.createQueues(props)
    this.queue = queue
    this.deadLetters = deadLetters
    if (props.existing !== undefined) checkExisting(this, props.existing, props)
  }

  private createQueues({
    settings,
    visibility,
    encryptionKey,
    queueProps = {},
  }: KeyQueueProps): ExistingQueue {
    // Both queues name each other: one of them needs a name that CloudFormation does not have to find first.
    const queueName = queueProps.queueName ?? Names.uniqueResourceName(this, { maxLength: MAX_NAME_LENGTH })
    const queueArn = Stack.of(this).formatArn({
      service: 'sqs',
      resource: queueName,
      arnFormat: ArnFormat.NO_RESOURCE_NAME,
    })
    const encrypted = encryptionKey
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }
      : { encryption: QueueEncryption.SQS_MANAGED }
    const deadLetters = new Queue(this, 'DeadLetters', {
      retentionPeriod: Duration.days(DEAD_LETTERS_DAYS),
      ...encrypted,
      enforceSSL: true,
      redriveAllowPolicy: {
        redrivePermission: RedrivePermission.BY_QUEUE,
        sourceQueues: [Queue.fromQueueArn(this, 'Source', queueArn)],
      },
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const queue = new Queue(this, 'Queue', {
      visibilityTimeout: Duration.seconds(visibility),
      retentionPeriod: Duration.seconds(settings.queueRetention),
      receiveMessageWaitTime: Duration.seconds(20),
      ...encrypted,
      enforceSSL: true,
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: settings.maxReceiveCount },
      removalPolicy: RemovalPolicy.DESTROY,
      ...queueProps,
      queueName,
    })
    return { queue, deadLetters }
  }
}

function checkOverrides(id: string, { queueProps, existing }: KeyQueueProps): void {
  if (queueProps === undefined) return
  if (existing !== undefined)
    throw new DeploymentError(
      `queueProps: the queue ${id} is one of existingQueues, and none is made; leave out one of them`,
    )
  for (const [name, instead] of Object.entries(SAID_ELSEWHERE))
    if (queueProps[name as keyof OwnQueueProps] !== undefined)
      throw new DeploymentError(`queueProps: ${name} cannot be set there; ${instead}`)
}

/** Warns of the settings of an imported queue, which are not known at synth, and refuses wrong known ones. */
function checkExisting(
  scope: KeyQueue,
  { queue, deadLetters }: ExistingQueue,
  { settings: { maxReceiveCount }, visibility }: KeyQueueProps,
): void {
  const { id } = scope.node
  if (queue.fifo || deadLetters.fifo)
    throw new DeploymentError(
      `existingQueues: ${id} is a FIFO queue, which drops a change that follows a processed one; give standard queues`,
    )
  if (!(queue instanceof Queue)) {
    Annotations.of(scope).addWarningV2(
      `sliceflow:existing-queue:${id}`,
      `existingQueues: the settings of ${id} cannot be seen here. See that it has a visibility timeout of ${visibility} s or more, and gives up to its dead letters after ${maxReceiveCount} receives (the setting maxReceiveCount), which the function must know.`,
    )
    return
  }
  const redrive = queue.deadLetterQueue
  if (redrive?.maxReceiveCount !== maxReceiveCount || redrive.queue !== deadLetters)
    throw new DeploymentError(
      `existingQueues: ${id} must give up after maxReceiveCount receives, ${maxReceiveCount}, to its deadLetters; set its deadLetterQueue, or the setting, so`,
    )
}

interface LaneQueuesProps extends Omit<KeyQueueProps, 'visibility'> {
  readonly lane: Lane
}

export class LaneQueues extends KeyQueue {
  readonly lane: Lane

  constructor(scope: Construct, id: string, { lane, ...props }: LaneQueuesProps) {
    super(scope, id, { ...props, visibility: visibilityOf(props.settings, lane) })
    this.lane = lane
  }
}

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
