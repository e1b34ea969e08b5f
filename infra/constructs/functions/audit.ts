import { ScheduleExpression, type ScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import type { Construct } from 'constructs'
import { SLOT_SECONDS } from '../../../functions/audit/index.ts'
import { clustersEnvironment, queuesEnvironment, settingsEnvironment } from '../environment.ts'
import { grantSend } from '../queues/key-queue.ts'
import { type FunctionParts, SliceflowFunction } from './function.ts'
import { callOnSchedule } from './schedule.ts'

const SLOT_MINUTES = SLOT_SECONDS / 60
/** The middle of each slot of `functions/audit/slots.ts`: no call falls between two slots. */
const ONCE_A_SLOT = ScheduleExpression.cron({ minute: `${SLOT_MINUTES / 2}/${SLOT_MINUTES}` })

/** The function that sends the keys of an audit's slot to the sweep lane, and its schedule. */
export class AuditFunction extends SliceflowFunction {
  readonly scheduleGroup: ScheduleGroup

  constructor(scope: Construct, id: string, { code, lanes, clusters, surroundings }: FunctionParts) {
    super(scope, id, {
      surroundings,
      description: 'Sliceflow: the full audit, sends every key in its turn to the sweep lane',
      code,
      environment: {
        ...settingsEnvironment(surroundings.settings),
        ...clustersEnvironment(clusters),
        ...queuesEnvironment(lanes),
      },
    })
    grantSend(lanes.sweep.queue, this.role)
    this.scheduleGroup = callOnSchedule(this, {
      expression: ONCE_A_SLOT,
      intervalSeconds: SLOT_SECONDS,
      description: 'Sliceflow: a slot of the full audit',
    })
  }
}
