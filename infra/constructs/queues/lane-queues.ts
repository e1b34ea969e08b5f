import type { Construct } from 'constructs'
import type { Lane } from '../../../shared/queue/index.ts'
import { advisedVisibility } from '../../settings/index.ts'
import { KeyQueue, type KeyQueueProps } from './key-queue.ts'

export interface LaneQueuesProps extends Omit<KeyQueueProps, 'visibility'> {
  readonly lane: Lane
}

/** The queues of one lane. */
export class LaneQueues extends KeyQueue {
  readonly lane: Lane

  constructor(scope: Construct, id: string, { lane, ...props }: LaneQueuesProps) {
    const { settings } = props
    super(scope, id, {
      ...props,
      visibility: settings.visibilityTimeout || advisedVisibility(settings, lane),
    })
    this.lane = lane
  }
}
