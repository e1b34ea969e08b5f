import {
  createEmfMetrics,
  DEPLOYMENT_DIMENSION,
  type EmfMetrics,
  type EmfOptions,
} from '../../shared/telemetry/index.ts'
import { type Environment, VARIABLES } from './environment.ts'

/** Opens the metrics of a function or the relay, each with the dimension of its deployment. */
export function openDeployedMetrics(
  environment: Environment,
  { write }: { readonly write?: EmfOptions['write'] | undefined },
): EmfMetrics {
  const deployment = environment[VARIABLES.deployment]
  return createEmfMetrics({
    ...(write && { write }),
    ...(deployment !== undefined && { dimensions: { [DEPLOYMENT_DIMENSION]: deployment } }),
  })
}
