import { Duration } from 'aws-cdk-lib'
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler'
import type { Construct } from 'constructs'
import { CANARY_GRANT } from '../../../functions/canary/index.ts'
import { DeploymentError, type DeploymentSettings } from '../../settings/index.ts'
import { clustersEnvironment, settingsEnvironment } from '../environment.ts'
import { type FunctionParts, SliceflowFunction } from './function.ts'
import { callOnSchedule } from './schedule.ts'

/** Changes the canary's Service of each cluster every minute, and measures when a slice shows it. */
export class CanaryFunction extends SliceflowFunction {
  constructor(scope: Construct, id: string, { code, clusters, surroundings }: FunctionParts) {
    super(scope, id, {
      surroundings,
      description: 'Sliceflow: the canary, changes a Service of its own and measures when a slice shows it',
      code,
      handler: 'index.canary',
      environment: { ...settingsEnvironment(surroundings.settings), ...clustersEnvironment(clusters) },
    })
    const minute = Duration.minutes(1)
    callOnSchedule(this, {
      expression: ScheduleExpression.rate(minute),
      intervalSeconds: minute.toSeconds(),
      description: 'Sliceflow: a change of the canary',
    })
  }
}

/**
 * Returns the settings with what the canary needs: its Service may name addresses for documentation.
 * @throws DeploymentError where nothing would publish them
 */
export function withCanary(settings: DeploymentSettings): DeploymentSettings {
  if (settings.shadow)
    throw new DeploymentError(
      'canary: with shadow nothing is written that it could see; leave out one of them',
    )
  if (settings.mode !== 'custom')
    throw new DeploymentError(
      'canary: its Service has no selector, which mode replace passes over; leave it out, or set mode custom',
    )
  const { allowedAddresses } = settings
  const granted = allowedAddresses === 'none' ? CANARY_GRANT : `${allowedAddresses},${CANARY_GRANT}`
  return { ...settings, allowedAddresses: granted }
}
