import type { Construct } from 'constructs'
import type { Lane } from '../../shared/queue/index.ts'
import { advisedVisibility, type DeploymentSettings } from '../settings/index.ts'
import { KeyQueue } from './key-queue.ts'

export interface LaneQueuesProps {
  readonly lane: Lane
  readonly settings: DeploymentSettings
}

/** The queues of one lane. */
export class LaneQueues extends KeyQueue {
  readonly lane: Lane

  constructor(scope: Construct, id: string, { lane, settings }: LaneQueuesProps) {
    super(scope, id, {
      settings,
      visibility: settings.visibilityTimeout || advisedVisibility(settings, lane),
    })
    this.lane = lane
  }
}
