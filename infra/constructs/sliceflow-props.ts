import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2'
import type { ContainerImage, CpuArchitecture } from 'aws-cdk-lib/aws-ecs'
import type { IEventBus } from 'aws-cdk-lib/aws-events'
import type { IManagedPolicy } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { INamespace } from 'aws-cdk-lib/aws-servicediscovery'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { ClusterConfig } from '../../shared/clusters/index.ts'
import type { Lane } from '../../shared/queue/index.ts'
import type { DeploymentSettingsProps, FleetInput, VpcEndpoints } from '../settings/index.ts'
import type { AlarmOverrides } from './alarms/overrides.ts'
import type { Bundles } from './functions/bundles.ts'
import type { FunctionOverrides } from './functions/function-props.ts'
import type { ExistingQueue, OwnQueueProps } from './queues/key-queue.ts'
import type { RelayOverrides } from './relay/relay-overrides.ts'

/** The lanes, and what the view publisher is fed by. */
export type QueueName = Lane | 'viewPublisher'
export type FunctionName = 'reconcile' | 'audit' | 'canary' | 'viewPublisher'

/** Views of Services that are published; at least one of `eventBus` and `cloudMapNamespace`. */
export interface ViewsProps {
  /** File of the spec, YAML or JSON: one that reads Services and EndpointSlices and writes views. */
  readonly spec: string
  /** The operator's name where the spec has none; default `op`. */
  readonly operator?: string
  /** Gets an event for each change of a view object. */
  readonly eventBus?: IEventBus
  /** Gets an instance for each address of a view object. */
  readonly cloudMapNamespace?: INamespace
}

export interface SliceflowProps {
  /** EKS clusters, clusters whose address and token are in a secret, and searches for clusters by tag. */
  readonly clusters: readonly ClusterConfig[]
  /** Settings; those not given have their defaults. */
  readonly settings?: DeploymentSettingsProps
  /**
   * Services over several clusters (KEP-1645): `{}` makes one set of all clusters; default: none. Each
   * cluster needs what `sliceflow rbac --fleet` prints and, where the kinds are not there, what `sliceflow
   * crds --fleet` prints.
   */
  readonly fleet?: FleetInput | undefined
  /** Views of Services to publish; default: none. */
  readonly views?: ViewsProps
  /** VPC of the relay; default: one of its own, without NAT gateways. */
  readonly vpc?: IVpc
  readonly vpcSubnets?: SubnetSelection
  /** Security groups of relay and functions in `vpc`; default: groups of their own, without ingress. */
  readonly securityGroups?: readonly ISecurityGroup[]
  /** Security groups of EKS clusters with private endpoints: they get port 443 opened for Sliceflow. */
  readonly clusterSecurityGroups?: readonly ISecurityGroup[]
  /**
   * Endpoints that are made in `vpc` of services of AWS, for subnets without a way out: `all` that the
   * deployment needs, or those that are not there yet; default: none. Their price is a zone's and an hour's.
   */
  readonly vpcEndpoints?: VpcEndpoints
  /** NAT gateways of the VPC that is made; default 0. */
  readonly natGateways?: number
  /**
   * Has relay and functions leave by NAT gateways (`natGateways`, default 1) with addresses that stay the
   * same, in a VPC that is made: for clusters whose endpoints are open to some addresses only
   * (`publicAccessCidrs`). Default false.
   */
  readonly fixedEgress?: boolean
  /** Puts the functions into `vpc` too, for private endpoints; default false. It needs a way out to AWS. */
  readonly functionsInVpc?: boolean
  /** Gives each relay a folder that outlives it, on EFS; default false. */
  readonly keepState?: boolean
  /**
   * Encrypts queues, topics, logs, the functions' environment, the table of views, recordings and the relays'
   * files; default: keys of AWS' own. Where its policy is not of this app, a warning says what it must have.
   */
  readonly encryptionKey?: IKey
  /**
   * Image of the relay that is there, of any registry; default: built of the bundle, by Docker. Its Node.js
   * is on its PATH, and it starts `main.mjs` of the bundle.
   */
  readonly relayImage?: ContainerImage
  /** Architecture of the relay's task and image; default ARM64, some 20 % cheaper. */
  readonly cpuArchitecture?: CpuArchitecture
  /** The relays’ ECS cluster, capacity providers and sidecars; default: a cluster is made, on Fargate. */
  readonly relayProps?: RelayOverrides
  /** Permissions boundary of every role that is made; default: none. */
  readonly permissionsBoundary?: IManagedPolicy
  /** Overrides of the queues that are made. */
  readonly queueProps?: Readonly<Partial<Record<QueueName, OwnQueueProps>>>
  /** Queues that are there, with their dead letters, in place of those that would be made. */
  readonly existingQueues?: Readonly<Partial<Record<QueueName, ExistingQueue>>>
  /** Overrides of functions: layers, a name, more variables, a reserved concurrency. */
  readonly functionProps?: Readonly<Partial<Record<FunctionName, FunctionOverrides>>>
  /** Whether EKS clusters of this account and region get access entries; default true. */
  readonly accessEntries?: boolean
  /**
   * Changes a Service of its own in each cluster every minute and measures the time until a slice shows it,
   * with alarms; default false. Each cluster needs what `sliceflow rbac --canary` prints.
   */
  readonly canary?: boolean
  /**
   * Makes the deployment a standby for one of the same clusters in another region. It has queues, functions
   * and relays of its own, and its relays send only keys whose slices stay wrong for `standbyDelay`. Give
   * both the same settings. Default false.
   */
  readonly standby?: boolean
  /** Topic of the composite alarms, one per severity, for on-call; default: a new one. */
  readonly topic?: ITopic
  /** Topic of every single alarm; default: a new one. */
  readonly detailTopic?: ITopic
  /**
   * Alarms that are other than ours, by their names in this deployment, such as
   * `{ FailedKeys: { threshold: 50 }, AuditFindings: false }`; false: there is none.
   */
  readonly alarms?: AlarmOverrides
  /** Whether there is a dashboard; default true. It costs 3 $ a month. */
  readonly dashboard?: boolean
  /** Address of the runbooks; default: in the project's repository. */
  readonly runbooks?: string
  /** Bundles of the programs; default: those of the package. */
  readonly bundles?: Bundles
}
