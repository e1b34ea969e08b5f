import type { FunctionProps } from 'aws-cdk-lib/aws-lambda'
import { CALLS_A_POLLER } from '../../../shared/costs/index.ts'
import { DeploymentError, type DeploymentSettings } from '../../settings/index.ts'

/** Props that are set in another way than by `functionProps`, each with that way. */
const SAID_ELSEWHERE = {
  code: 'use bundles',
  handler: 'use bundles',
  runtime: 'the bundles are made for the one that is set; leave it out',
  role: 'each function has one that may do what it needs; use functionProps.initialPolicy or sliceflow.reconcile.role',
  timeout: 'use the setting functionTimeout, from which visibility timeouts follow',
  tracing: 'use the setting tracing',
  logGroup: 'use the setting logRetention and encryptionKey',
  logRetention: 'use the setting logRetention',
  vpc: 'use vpc and functionsInVpc, which the relay gets, too',
  vpcSubnets: 'use vpcSubnets of the deployment',
  securityGroups: 'use securityGroups of the deployment',
} as const satisfies Readonly<Partial<Record<keyof FunctionProps, string>>>

/** Props of a function that may be overridden. */
export type FunctionOverrides = Partial<Omit<FunctionProps, keyof typeof SAID_ELSEWHERE>>

/** Ours, which only a setting may change. */
const OUR_VARIABLE = /^SLICEFLOW_/

/**
 * Checks what is to be other than ours in functions, by their names.
 * @throws DeploymentError for what cannot be, with what to use instead
 */
export function checkFunctions(
  all: Readonly<Record<string, FunctionOverrides | undefined>>,
  settings: DeploymentSettings,
): void {
  for (const [name, one] of Object.entries(all)) checkProps(name, one ?? {})
  checkReserved(all.reconcile ?? {}, settings)
}

function checkProps(name: string, { environment = {}, ...props }: FunctionOverrides): void {
  for (const [prop, instead] of Object.entries(SAID_ELSEWHERE))
    if (props[prop as keyof typeof props] !== undefined)
      throw new DeploymentError(`functionProps.${name}: ${prop} cannot be set there; ${instead}`)
  const ours = Object.keys(environment).find((variable) => OUR_VARIABLE.test(variable))
  if (ours !== undefined)
    throw new DeploymentError(`functionProps.${name}: the variable ${ours} is set from settings; use those`)
}

/** Refuses a concurrency below that of both lanes: throttled messages count as received. */
function checkReserved(
  { reservedConcurrentExecutions: reserved }: FunctionOverrides,
  settings: DeploymentSettings,
): void {
  const { maximumPollers, maximumConcurrency, sweepMaximumConcurrency } = settings
  const live = maximumPollers > 0 ? maximumPollers * CALLS_A_POLLER : maximumConcurrency
  const calls = live + sweepMaximumConcurrency
  if (reserved !== undefined && reserved < calls)
    throw new DeploymentError(
      `functionProps.reconcile: reservedConcurrentExecutions ${reserved} is below the ${calls} calls that both lanes make at once, and messages that are throttled would go to the dead letters; reserve ${calls} or more, or lower maximumConcurrency`,
    )
}
