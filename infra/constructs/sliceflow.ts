import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2'
import { Rule } from 'aws-cdk-lib/aws-events'
import { PolicyStatement, type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { type LogGroup, ResourcePolicy } from 'aws-cdk-lib/aws-logs'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import type { ClusterConfig } from '../../shared/clusters/index.ts'
import {
  checkDeployment,
  type DeploymentSettings,
  type DeploymentSettingsInput,
  type VpcEndpoints,
} from '../settings/index.ts'
import { Alarms } from './alarms/index.ts'
import { createAlertTopic } from './alert-topic.ts'
import { type Bundles, checkBundles, packagedBundles } from './bundles.ts'
import { type CanaryFunction, createCanary, withCanary } from './canary.ts'
import { ClusterAccess, type ClusterUser } from './cluster-access.ts'
import { Overview } from './dashboard.ts'
import { Discover, type ViewsProps } from './discover.ts'
import type { Lanes } from './environment.ts'
import { GradualDeployment } from './gradual-deployment.ts'
import { LaneQueues } from './lane-queues.ts'
import { createLogGroup } from './log-group.ts'
import { type FunctionNetwork, functionNetwork, reachClusters } from './network.ts'
import { writeOutputs } from './outputs.ts'
import { ReconcileFunction } from './reconcile.ts'
import { createRecordings, type Recordings } from './recordings.ts'
import { RelayService } from './relay.ts'
import { ResyncFunction } from './resync.ts'
import { PrivateEndpoints } from './vpc-endpoints.ts'

export interface SliceflowProps {
  /**
   * EKS clusters, clusters whose address and token are in a secret, and searches for EKS clusters with a tag.
   */
  readonly clusters: readonly ClusterConfig[]
  /** Those not given have their defaults. */
  readonly settings?: DeploymentSettingsInput
  /** Views of Services to publish; default: none. */
  readonly views?: ViewsProps
  /** Where the relay runs; default: a VPC of its own, without NAT gateways. */
  readonly vpc?: IVpc
  readonly vpcSubnets?: SubnetSelection
  /** Of relay and functions in `vpc`; default: they get groups of their own, which let nothing in. */
  readonly securityGroups?: readonly ISecurityGroup[]
  /** Of EKS clusters with private endpoints: port 443 is opened in them for relay and functions. */
  readonly clusterSecurityGroups?: readonly ISecurityGroup[]
  /**
   * Endpoints that are made in `vpc` of services of AWS, for subnets without a way out: `all` that the
   * deployment needs, or those that are not there yet; default: none. Their price is a zone's and an hour's.
   */
  readonly vpcEndpoints?: VpcEndpoints
  /** Of the VPC that is made; default 0. */
  readonly natGateways?: number
  /**
   * Puts the functions into `vpc` too, for clusters with a private endpoint; default false. It needs a way
   * out to AWS' services.
   */
  readonly functionsInVpc?: boolean
  /** Gives each relay a folder that outlives it, on EFS; default false. */
  readonly keepState?: boolean
  /** Whether EKS clusters of this account and region get access entries; default true. */
  readonly accessEntries?: boolean
  /**
   * Changes a Service of its own in each cluster every minute and tells how late a slice shows it, with
   * alarms; default false. Each cluster needs what `sliceflow rbac --canary` prints.
   */
  readonly canary?: boolean
  /** Told of trouble by severity, for whoever is on call; default: a topic of its own, to subscribe to. */
  readonly topic?: ITopic
  /** Told of every alarm on its own; default: a topic of its own. */
  readonly detailTopic?: ITopic
  /** Where the runbooks are to be read; default: in the project's repository. */
  readonly runbooks?: string
  /** What runs; default: what the package brings. */
  readonly bundles?: Bundles
}

const RUNBOOKS = 'https://github.com/sliceflow/sliceflow/blob/main/infra/runbooks'

/** The whole system: queues with dead letters, functions, schedule, relay, alarms and a dashboard. */
export class Sliceflow extends Construct {
  readonly lanes: Lanes
  readonly reconcile: ReconcileFunction
  readonly resync: ResyncFunction
  readonly relay: RelayService
  /** Where views are published. */
  readonly discover?: Discover
  /** Absent where there is none. */
  readonly canary: CanaryFunction | undefined
  /** Where recordings go; absent where nothing is recorded. */
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
    const network = functionNetwork(this, props)

    this.lanes = {
      live: new LaneQueues(this, 'Live', { lane: 'live', settings }),
      sweep: new LaneQueues(this, 'Sweep', { lane: 'sweep', settings }),
    }
    this.recordings = createRecordings(this, settings)
    const common = { lanes: this.lanes, clusters, settings, recordings: this.recordings }
    const ofFunctions = { ...common, network }
    this.reconcile = new ReconcileFunction(this, 'Reconcile', { ...ofFunctions, code: bundles.reconcile })
    this.resync = new ResyncFunction(this, 'Resync', { ...ofFunctions, code: bundles.resync })
    this.canary = createCanary(this, props.canary, { ...ofFunctions, code: bundles.resync })
    if (props.views !== undefined)
      this.discover = new Discover(this, 'Discover', {
        code: bundles.discover,
        views: props.views,
        clusters,
        settings,
        network,
      })
    const discover = this.discover && { discover: this.discover }
    this.relay = new RelayService(this, 'Relay', {
      ...common,
      code: bundles.relay,
      discoverQueue: this.discover?.queues.queue,
      vpc: props.vpc,
      vpcSubnets: props.vpcSubnets,
      securityGroups: props.securityGroups,
      natGateways: props.natGateways,
      keepState: props.keepState,
    })
    this.connect(props, network)
    new ClusterAccess(this, 'ClusterAccess', {
      clusters,
      settings,
      roles: this.roles(),
      accessEntries: props.accessEntries,
    })
    this.topic = props.topic ?? createAlertTopic(this, 'Alerts')
    this.alarms = new Alarms(this, 'Alarms', {
      lanes: this.lanes,
      reconcile: this.reconcile,
      resync: this.resync,
      ...discover,
      hasCanary: this.canary !== undefined,
      settings,
      keepState: props.keepState === true,
      topic: this.topic,
      detailTopic: props.detailTopic ?? createAlertTopic(this, 'AlertDetails'),
      deployments: this.watchDeployments(settings),
      runbooks,
    })
    this.deployGradually(settings, runbooks)
    this.overview = new Overview(this, 'Overview', {
      alarms: this.alarms,
      lanes: this.lanes,
      reconcile: this.reconcile,
      ...discover,
      settings,
      runbooks,
    })
    writeOutputs(this, {
      clusters,
      settings,
      queues: { ...this.lanes, ...(this.discover && { discover: this.discover.queues }) },
      roles: this.roles(),
      topic: this.topic,
      dashboard: this.overview.dashboard,
      recordings: this.recordings,
    })
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

  /** Who reaches the clusters, by a name for each. */
  private roles(): Partial<Record<ClusterUser, Role>> {
    return {
      reconcile: this.reconcile.role,
      resync: this.resync.role,
      relay: this.relay.taskRole,
      ...(this.discover && { discover: this.discover.handler.role }),
      ...(this.canary && { canary: this.canary.role }),
    }
  }

  private deployGradually(settings: DeploymentSettings, runbooks: string): void {
    const { alias } = this.reconcile
    if (alias === undefined) return
    const alarms = [this.alarms.named('FailedKeys')]
    new GradualDeployment(this, 'GradualDeployment', { alias, settings, alarms, runbooks })
  }

  /** A rule that matches when ECS begins to replace a relay; what it matched is in a log group. */
  private watchDeployments(settings: DeploymentSettings): Rule {
    const logGroup: LogGroup = createLogGroup(this, 'Deployments', settings)
    new ResourcePolicy(this, 'DeploymentsPolicy', {
      policyStatements: [
        new PolicyStatement({
          principals: [new ServicePrincipal('events.amazonaws.com')],
          actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          resources: [logGroup.logGroupArn],
        }),
      ],
    })
    return new Rule(this, 'DeploymentBegins', {
      description: 'Sliceflow: a relay is being replaced',
      eventPattern: {
        source: ['aws.ecs'],
        detailType: ['ECS Deployment State Change'],
        resources: this.relay.services.map(({ serviceArn }) => serviceArn),
        detail: { eventName: ['SERVICE_DEPLOYMENT_IN_PROGRESS'] },
      },
      targets: [{ bind: () => ({ arn: logGroup.logGroupArn }) }],
    })
  }
}
