import { Stack, Token } from 'aws-cdk-lib'
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch'
import { type Grant, type IGrantable, PermissionsBoundary, type Role } from 'aws-cdk-lib/aws-iam'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import { recordedShare } from '../../shared/settings/index.ts'
import { DEPLOYMENT_DIMENSION, EMF_NAMESPACE } from '../../shared/telemetry/index.ts'
import { checkDeployment, DeploymentError, type DeploymentSettings } from '../settings/index.ts'
import { ClusterAccess, type ClusterUser } from './access/cluster-access.ts'
import { Alarms, createAlertTopic } from './alarms/alarms.ts'
import { Overview } from './dashboard.ts'
import { letCloudWatchUse } from './encryption.ts'
import type { Lanes } from './environment.ts'
import { AuditFunction } from './functions/audit.ts'
import { checkBundles, packagedBundles } from './functions/bundles.ts'
import { CanaryFunction, withCanary } from './functions/canary.ts'
import { checkFunctions } from './functions/function-props.ts'
import { GradualDeployment } from './functions/gradual-deployment.ts'
import { ReconcileFunction } from './functions/reconcile.ts'
import { DeploymentMetrics, deploymentName, FUNCTION_METRICS, RELAY_METRICS } from './metrics.ts'
import { type FunctionNetwork, functionNetwork, reachClusters } from './network/network.ts'
import { FixedEgress } from './network/vpc.ts'
import { PrivateEndpoints } from './network/vpc-endpoints.ts'
import { writeOutputs } from './outputs.ts'
import {
  grantDeadLetters,
  grantSend,
  type KeyQueue,
  LaneQueues,
  type QueueOverrides,
} from './queues/key-queue.ts'
import { Recordings } from './recordings.ts'
import { RelayService } from './relay/relay.ts'
import { watchRelayEnds } from './relay/watch-relay-ends.ts'
import type { FunctionName, QueueName, SliceflowProps } from './sliceflow-props.ts'
import { ViewPublisher } from './views/view-publisher.ts'

const RUNBOOKS = 'https://github.com/sliceflow/sliceflow/blob/main/infra/runbooks'

/**
 * The whole system: queues with dead letters, functions, schedule, relay, alarms and a dashboard.
 * @example
 * ```ts
 * const sliceflow = new Sliceflow(stack, 'Sliceflow', {
 *   clusters: [{ name: 'eu-1', kind: 'eks', clusterName: 'eu-1', region: 'eu-west-1' }],
 *   settings: { mode: 'custom', batchWindow: 1 },
 *   alarms: { FailedKeys: { threshold: 50 }, AuditFindings: false },
 * })
 * sliceflow.metricFailedKeys().createAlarm(stack, 'Many', { threshold: 1000, evaluationPeriods: 1 })
 * sliceflow.grantDeadLetters(onCall)
 * ```
 */
export class Sliceflow extends Construct {
  readonly lanes: Lanes
  readonly reconcile: ReconcileFunction
  readonly audit: AuditFunction
  readonly relay: RelayService
  readonly viewPublisher?: ViewPublisher
  readonly canary?: CanaryFunction
  /** Place of recordings; absent where nothing is recorded. */
  readonly recordings?: Recordings
  readonly topic: ITopic
  readonly alarms: Alarms
  /** The dashboard; absent where `dashboard` is false. */
  readonly overview?: Overview
  /** Name of the deployment: the dimension `Deployment` of its metrics. */
  readonly deployment: string

  /** @throws DeploymentError for what cannot be deployed, with what, where and what to do in one line */
  constructor(scope: Construct, id: string, props: SliceflowProps) {
    super(scope, id)
    const { region } = Stack.of(this)
    const place = Token.isUnresolved(region) ? {} : { region }
    const { settings: checked, clusters } = checkDeployment({ ...props, ...place })
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
    if (recordedShare(settings) > 0) this.recordings = new Recordings(this, 'Recordings', ofAll)
    const { deployment } = metrics
    this.deployment = deployment
    const ofFunction = (name: FunctionName, code: string) => ({
      ...{ code, lanes: this.lanes, clusters, recordings: this.recordings },
      surroundings: { deployment, ...ofAll, network, functionProps: functionProps[name] },
    })
    this.reconcile = new ReconcileFunction(this, 'Reconcile', ofFunction('reconcile', bundles.reconcile))
    this.audit = new AuditFunction(this, 'Audit', ofFunction('audit', bundles.audit))
    if (props.canary === true)
      this.canary = new CanaryFunction(this, 'Canary', ofFunction('canary', bundles.audit))
    if (props.views !== undefined)
      this.viewPublisher = new ViewPublisher(this, 'ViewPublisher', {
        ...ofFunction('viewPublisher', bundles.viewPublisher),
        views: props.views,
        queues: queueOf(props, 'viewPublisher'),
      })
    const functions = { reconcile: this.reconcile, viewPublisher: this.viewPublisher }
    this.relay = new RelayService(this, 'Relay', {
      clusters,
      deployment,
      ...ofAll,
      recordings: this.recordings,
      queues: { ...this.lanes, viewPublisher: this.viewPublisher },
      network: inVpc,
      task: { ...inVpc, code: bundles.relay },
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
      functions: { ...functions, audit: this.audit, hasCanary: this.canary !== undefined },
      topics: {
        onCall: this.topic,
        detail: props.detailTopic ?? createAlertTopic(this, 'AlertDetails', encryptionKey),
      },
      relay: {
        keepState: props.keepState === true,
        standby: props.standby === true,
        ends: watchRelayEnds(this, { relay: this.relay, ...ofAll }),
      },
      settings,
      metrics,
      overrides: props.alarms,
      runbooks,
    })
    this.alarmOnceReplaced()
    const { alias } = this.reconcile
    if (alias !== undefined)
      new GradualDeployment(this, 'GradualDeployment', { alias, settings, metrics, runbooks })
    const graphs = { alarms: this.alarms, lanes: this.lanes, ...functions }
    if (props.dashboard !== false)
      this.overview = new Overview(this, 'Overview', { ...graphs, settings, metrics, runbooks })
    writeOutputs(this, {
      clusters,
      deployment,
      settings,
      queues: { ...this.lanes, viewPublisher: this.viewPublisher?.queues },
      roles: this.roles(),
      topic: this.topic,
      optional: { dashboard: this.overview?.dashboard, recordings: this.recordings, egress },
    })
  }

  /**
   * Returns a metric of this deployment by its name, such as `FailedKeys`: docs/reference.md has all.
   * @param props over ours: the sum of five minutes, over all clusters
   */
  metric(metricName: string, props: MetricOptions = {}): Metric {
    const { dimensionsMap, ...more } = props
    return new Metric({
      namespace: EMF_NAMESPACE,
      metricName,
      statistic: 'Sum',
      ...more,
      dimensionsMap: { [DEPLOYMENT_DIMENSION]: this.deployment, ...dimensionsMap },
    }).attachTo(this)
  }

  /** Returns how many keys were brought up to date. */
  metricKeys(props?: MetricOptions): Metric {
    return this.metric(FUNCTION_METRICS.keys, props)
  }

  /** Returns how many keys failed. */
  metricFailedKeys(props?: MetricOptions): Metric {
    return this.metric(FUNCTION_METRICS.failedKeys, props)
  }

  /** Returns how many plans a guard holds, and wait for a release. */
  metricHeldPlans(props?: MetricOptions): Metric {
    return this.metric('HeldPlans', props)
  }

  /** Returns the seconds from an event to its slices; by default those of 99 % of the changes. */
  metricEventToApplied(props?: MetricOptions): Metric {
    return this.metric(FUNCTION_METRICS.eventToApplied, { statistic: 'p99', ...props })
  }

  /** Returns 1 for a cluster that cannot be watched; by default the worst of all. */
  metricWatchFailing(props?: MetricOptions): Metric {
    return this.metric(RELAY_METRICS.watchFailing, { statistic: 'Maximum', ...props })
  }

  /** Grants sending keys to the live lane, so that these Services are reconciled. */
  grantSendKeys(grantee: IGrantable): Grant {
    return grantSend(this.lanes.live.queue, grantee)
  }

  /** Grants listing, redriving and dropping dead letters, as `sliceflow dead-letters` does. */
  grantDeadLetters(grantee: IGrantable): Grant {
    const queues: KeyQueue[] = [this.lanes.live, this.lanes.sweep]
    if (this.viewPublisher !== undefined) queues.push(this.viewPublisher.queues)
    return queues.map((queue) => grantDeadLetters(queue, grantee)).reduce((all, one) => all.combine(one))
  }

  /**
   * Grants reading what was recorded, as `sliceflow history --from` does.
   * @throws DeploymentError where nothing is recorded
   */
  grantReadRecordings(grantee: IGrantable): Grant {
    if (this.recordings !== undefined) return this.recordings.grantRead(grantee)
    throw new DeploymentError('grantReadRecordings: nothing is recorded; set the setting recording')
  }

  private fixedEgress(
    { fixedEgress, natGateways, encryptionKey }: SliceflowProps,
    settings: DeploymentSettings,
  ): FixedEgress | undefined {
    if (fixedEgress !== true) return undefined
    return new FixedEgress(this, 'Egress', { settings, natGateways, encryptionKey })
  }

  /** Creates the routes that relay and functions need in an existing VPC. */
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

  /** Creates alarms that count relays after the relays: earlier they would count those of a replaced one. */
  private alarmOnceReplaced(): void {
    for (const alarm of this.alarms.alarms)
      if (/^(Relay|Standby)Down$/.test(alarm.node.id)) alarm.node.addDependency(...this.relay.services)
  }
}

const queueOf = ({ queueProps, existingQueues }: SliceflowProps, name: QueueName): QueueOverrides => ({
  queueProps: queueProps?.[name],
  existing: existingQueues?.[name],
})
