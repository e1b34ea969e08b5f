import type {
  CapacityProviderStrategy,
  ContainerDefinitionOptions,
  FargateTaskDefinition,
  ICluster,
} from 'aws-cdk-lib/aws-ecs'
import { AwsLogDriverMode, LogDrivers } from 'aws-cdk-lib/aws-ecs'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { DeploymentError } from '../../settings/index.ts'

/** Parts of the relays that are other than ours. */
export interface RelayOverrides {
  /** ECS cluster that is there; its VPC is that of the relays, where none is given. Default: one is made. */
  readonly cluster?: ICluster
  /**
   * `FARGATE`, `FARGATE_SPOT`, or both by their weights; default `FARGATE`. AWS may end a relay on Spot at
   * any time, and the next one starts within minutes: use it with the setting `relayStandby`.
   */
  readonly capacityProviderStrategies?: readonly CapacityProviderStrategy[]
  /**
   * Containers beside each relay, by their names, such as a collector for the setting `traces`. One that ends
   * does not end the relay (`essential` is false), and logs where the relay does, unless they say otherwise.
   */
  readonly sidecars?: Readonly<Record<string, ContainerDefinitionOptions>>
}

export const RELAY_CONTAINER = 'relay'

const FARGATE: readonly string[] = ['FARGATE', 'FARGATE_SPOT']

/** @throws DeploymentError for what cannot be */
export function checkRelay(
  { cluster, capacityProviderStrategies, sidecars = {} }: RelayOverrides,
  vpcId?: string,
): void {
  if (capacityProviderStrategies?.length === 0)
    throw new DeploymentError('relayProps.capacityProviderStrategies: is empty; leave it out')
  for (const { capacityProvider } of capacityProviderStrategies ?? [])
    if (!FARGATE.includes(capacityProvider))
      throw new DeploymentError(
        `relayProps.capacityProviderStrategies: ${capacityProvider} is not one of ${FARGATE.join(', ')}, on which relays run`,
      )
  if (sidecars[RELAY_CONTAINER] !== undefined)
    throw new DeploymentError('relayProps.sidecars: relay is the relay’s own container; use another name')
  if (cluster !== undefined && vpcId !== undefined && vpcId !== cluster.vpc.vpcId)
    throw new DeploymentError(
      'relayProps.cluster: is in another VPC than vpc; leave out vpc, or give a cluster of that one',
    )
}

export function addSidecars(
  definition: FargateTaskDefinition,
  { sidecars = {} }: RelayOverrides,
  logGroup: ILogGroup,
): void {
  for (const [name, options] of Object.entries(sidecars))
    definition.addContainer(name, {
      essential: false,
      logging: LogDrivers.awsLogs({ streamPrefix: name, logGroup, mode: AwsLogDriverMode.NON_BLOCKING }),
      ...options,
    })
}
