import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2'
import type { ContainerImage, CpuArchitecture } from 'aws-cdk-lib/aws-ecs'
import { type IManagedPolicy, PermissionsBoundary, type Role } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { QueueProps } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { ClusterConfig } from '../../shared/clusters/index.ts'
import type { Lane } from '../../shared/queue/index.ts'
import {
  checkDeployment,
  type DeploymentSettings,
  type DeploymentSettingsInput,
  type FleetInput,
  type VpcEndpoints,
} from '../settings/index.ts'
import { Alarms } from './alarms/index.ts'
import { createAlertTopic } from './alert-topic.ts'
import { AuditFunction } from './audit.ts'
import { type Bundles, checkBundles, packagedBundles } from './bundles.ts'
import { type CanaryFunction, createCanary, withCanary } from './canary.ts'
import { ClusterAccess, type ClusterUser } from './cluster-access.ts'
import { Overview } from './dashboard.ts'
import { letCloudWatchUse } from './encryption.ts'
import type { Lanes } from './environment.ts'
import { checkFunctions, type FunctionOverrides } from './function-props.ts'
import { GradualDeployment } from './gradual-deployment.ts'
import type { ExistingQueue, QueueOverrides } from './key-queue.ts'
import { LaneQueues } from './lane-queues.ts'
import { DeploymentMetrics, deploymentName } from './metrics.ts'
import { type FunctionNetwork, functionNetwork, reachClusters } from './network.ts'
import { writeOutputs } from './outputs.ts'
import { ReconcileFunction } from './reconcile.ts'
import { createRecordings, type Recordings } from './recordings.ts'
import { RelayService } from './relay.ts'
import { ViewPublisher, type ViewsProps } from './view-publisher.ts'
import { FixedEgress } from './vpc.ts'
import { PrivateEndpoints } from './vpc-endpoints.ts'
import { watchDeployments } from './watch-deployments.ts'

/** The lanes, and what the view publisher is fed by. */
type QueueName = Lane | 'viewPublisher'
type FunctionName = 'reconcile' | 'audit' | 'canary' | 'viewPublisher'

export interface SliceflowProps {
  /**
   * EKS clusters, clusters whose address and token are in a secret, and searches for EKS clusters with a tag.
   */
  readonly clusters: readonly ClusterConfig[]
  /** Settings; those not given have their defaults. */
  readonly settings?: DeploymentSettingsInput
  /**
   * Services over several clusters (KEP-1645): `{}` makes one set of all clusters; default: none. Each
   * cluster needs what `sliceflow rbac --fleet` prints and, where the kinds are not there, `sliceflow fleet
   * crds`.
   */
  readonly fleet?: FleetInput | undefined
  /** Views of Services to publish; default: none. */
  readonly views?: ViewsProps
  /** VPC of the relay; default: one of its own, without NAT gateways. */
  readonly vpc?: IVpc
  readonly vpcSubnets?: SubnetSelection
  /**
   * Security groups of relay and functions in `vpc`; default: they get groups of their own, which let nothing
   * in.
   */
  readonly securityGroups?: readonly ISecurityGroup[]
  /**
   * Security groups of EKS clusters with private endpoints: port 443 is opened in them for relay and
   * functions.
   */
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
  /**
   * Puts the functions into `vpc` too, for clusters with a private endpoint; default false. It needs a way
   * out to AWS' services.
   */
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
  /** Permissions boundary of every role that is made; default: none. */
  readonly permissionsBoundary?: IManagedPolicy
  /** Overrides of the queues that are made. */
  readonly queueProps?: Readonly<Partial<Record<QueueName, QueueProps>>>
  /** Queues that are there, with their dead letters, in place of those that would be made. */
  readonly existingQueues?: Readonly<Partial<Record<QueueName, ExistingQueue>>>
  /** Overrides of functions: layers, a name, more variables, a reserved concurrency. */
  readonly functionProps?: Readonly<Partial<Record<FunctionName, FunctionOverrides>>>
  /** Whether EKS clusters of this account and region get access entries; default true. */
  readonly accessEntries?: boolean
  /**
   * Changes a Service of its own in each cluster every minute and measures the time until a slice shows it,
   * with
   * alarms; default false. Each cluster needs what `sliceflow rbac --canary` prints.
   */
  readonly canary?: boolean
  /**
   * Topic of the composite alarms, one per severity, for on-call; default: a new one, to subscribe to.
   */
  readonly topic?: ITopic
  /** Topic of every single alarm; default: a new one. */
  readonly detailTopic?: ITopic
  /** Address of the runbooks; default: in the project's repository. */
  readonly runbooks?: string
  /** Bundles of the programs; default: those of the package. */
  readonly bundles?: Bundles
}

const RUNBOOKS = 'https://github.com/sliceflow/sliceflow/blob/main/infra/runbooks'

/** The whole system: queues with dead letters, functions, schedule, relay, alarms and a dashboard. */
export class Sliceflow extends Construct {
  readonly lanes: Lanes
  readonly reconcile: ReconcileFunction
  readonly audit: AuditFunction
  readonly relay: RelayService
  /** Function that publishes views. */
  readonly viewPublisher?: ViewPublisher
  /** Absent where there is none. */
  readonly canary: CanaryFunction | undefined
  /** Place of recordings; absent where nothing is recorded. */
  readonly recordings: Recordings | undefined
  readonly topic: ITopic
  readonly alarms: Alarms
  readonly overview: Overview

  /** @throws DeploymentError for what cannot be deployed, with what, where and what to do in one line */
  constructor(scope: Construct, id: string, props: SliceflowProps) {
    super(scope, id)
    const { settings: checked, clusters } = checkDeployment(props)
    const settings = props.canary === true ? withCanary(checked) : checked
    const bundles = props.bundles === undefined ? packagedBundles() : checkBundles(props.bundles)
    const runbooks = props.runbooks ?? RUNBOOKS
    const egress = this.fixedEgress(props, settings)
    const inVpc = egress === undefined ? props : { ...props, vpc: egress.vpc, functionsInVpc: true }
    const network = functionNetwork(this, inVpc)
    const { encryptionKey, permissionsBoundary, functionProps = {} } = props
    checkFunctions(functionProps, settings)
    const metrics = new DeploymentMetrics(deploymentName(this))
    const ofAll = { settings, encryptionKey }
    if (permissionsBoundary !== undefined) PermissionsBoundary.of(this).apply(permissionsBoundary)
    if (encryptionKey !== undefined) letCloudWatchUse(encryptionKey, this)

    this.lanes = {
      live: new LaneQueues(this, 'Live', { lane: 'live', ...ofAll, ...queueOf(props, 'live') }),
      sweep: new LaneQueues(this, 'Sweep', { lane: 'sweep', ...ofAll, ...queueOf(props, 'sweep') }),
    }
    this.recordings = createRecordings(this, ofAll)
    const { deployment } = metrics
    const common = { lanes: this.lanes, clusters, deployment, ...ofAll, recordings: this.recordings }
    const ofFunction = (name: FunctionName) => ({ ...common, network, functionProps: functionProps[name] })
    const { reconcile, audit } = bundles
    this.reconcile = new ReconcileFunction(this, 'Reconcile', { ...ofFunction('reconcile'), code: reconcile })
    this.audit = new AuditFunction(this, 'Audit', { ...ofFunction('audit'), code: audit })
    this.canary = createCanary(this, props.canary, { ...ofFunction('canary'), code: audit })
    if (props.views !== undefined)
      this.viewPublisher = new ViewPublisher(this, 'ViewPublisher', {
        ...ofFunction('viewPublisher'),
        code: bundles.viewPublisher,
        views: props.views,
        queues: queueOf(props, 'viewPublisher'),
      })
    const viewPublisher = this.viewPublisher && { viewPublisher: this.viewPublisher }
    this.relay = new RelayService(this, 'Relay', {
      ...common,
      code: bundles.relay,
      viewPublisherQueue: this.viewPublisher?.queues.queue,
      ...relayProps(inVpc),
    })
    this.connect(props, network)
    new ClusterAccess(this, 'ClusterAccess', {
      clusters,
      settings,
      roles: this.roles(),
      accessEntries: props.accessEntries,
    })
    this.topic = props.topic ?? createAlertTopic(this, 'Alerts', encryptionKey)
    this.alarms = new Alarms(this, 'Alarms', {
      lanes: this.lanes,
      reconcile: this.reconcile,
      audit: this.audit,
      ...viewPublisher,
      hasCanary: this.canary !== undefined,
      settings,
      metrics,
      keepState: props.keepState === true,
      topic: this.topic,
      detailTopic: props.detailTopic ?? createAlertTopic(this, 'AlertDetails', encryptionKey),
      relayRules: watchDeployments(this, { relay: this.relay, ...ofAll }),
      runbooks,
    })
    this.alarmOnceReplaced()
    this.deployGradually(settings, runbooks)
    this.overview = new Overview(this, 'Overview', {
      alarms: this.alarms,
      lanes: this.lanes,
      reconcile: this.reconcile,
      ...viewPublisher,
      settings,
      metrics,
      runbooks,
    })
    writeOutputs(this, {
      clusters,
      deployment,
      settings,
      queues: { ...this.lanes, ...(this.viewPublisher && { viewPublisher: this.viewPublisher.queues }) },
      roles: this.roles(),
      topic: this.topic,
      dashboard: this.overview.dashboard,
      recordings: this.recordings,
      egress,
    })
  }

  private fixedEgress(
    { fixedEgress, natGateways, encryptionKey }: SliceflowProps,
    settings: DeploymentSettings,
  ): FixedEgress | undefined {
    if (fixedEgress !== true) return undefined
    return new FixedEgress(this, 'Egress', { settings, natGateways, encryptionKey })
  }

  /** Makes the ways that relay and functions need in a VPC that somebody has. */
  private connect(props: SliceflowProps, network: FunctionNetwork | undefined): void {
    const { vpc, vpcSubnets, vpcEndpoints, clusterSecurityGroups = [], clusters } = props
    reachClusters(
      this,
      clusterSecurityGroups,
      new Set([...this.relay.securityGroups, ...(network?.securityGroups ?? [])]),
    )
    if (vpc === undefined || vpcEndpoints === undefined) return
    new PrivateEndpoints(this, 'Endpoints', {
      vpc,
      vpcSubnets,
      wanted: vpcEndpoints,
      clusters,
      hasViews: props.views !== undefined,
    })
  }

  /** Returns the roles that reach the clusters, by a name for each. */
  private roles(): Partial<Record<ClusterUser, Role>> {
    return {
      reconcile: this.reconcile.role,
      audit: this.audit.role,
      relay: this.relay.taskRole,
      ...(this.viewPublisher && { viewPublisher: this.viewPublisher.handler.role }),
      ...(this.canary && { canary: this.canary.role }),
    }
  }

  /**
   * Has the alarms that count relays come after the relays: before, they would count those that write metrics
   * of another version, or none.
   */
  private alarmOnceReplaced(): void {
    for (const alarm of this.alarms.alarms)
      if (/^(Relay|Standby)Down$/.test(alarm.node.id)) alarm.node.addDependency(...this.relay.services)
  }

  private deployGradually(settings: DeploymentSettings, runbooks: string): void {
    const { alias } = this.reconcile
    if (alias === undefined) return
    const alarms = [this.alarms.named('FailedKeys')]
    new GradualDeployment(this, 'GradualDeployment', { alias, settings, alarms, runbooks })
  }
}

const relayProps = ({
  vpc,
  vpcSubnets,
  securityGroups,
  natGateways,
  keepState,
  relayImage,
  cpuArchitecture,
}: SliceflowProps) => ({
  ...{ vpc, vpcSubnets, securityGroups, natGateways },
  ...{ keepState, relayImage, cpuArchitecture },
})

const queueOf = ({ queueProps, existingQueues }: SliceflowProps, name: QueueName): QueueOverrides => ({
  queueProps: queueProps?.[name],
  existing: existingQueues?.[name],
})
