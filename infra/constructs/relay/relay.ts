import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import {
  type ISecurityGroup,
  type IVpc,
  Port,
  SecurityGroup,
  type SubnetSelection,
  SubnetType,
} from 'aws-cdk-lib/aws-ec2'
import { Platform } from 'aws-cdk-lib/aws-ecr-assets'
import {
  AvailabilityZoneRebalancing,
  AwsLogDriverMode,
  type CfnService,
  Cluster,
  type ContainerDefinition,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  type ICluster,
  LogDrivers,
  OperatingSystemFamily,
  PropagatedTagSource,
} from 'aws-cdk-lib/aws-ecs'
import { FileSystem, LifecyclePolicy, ThroughputMode } from 'aws-cdk-lib/aws-efs'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { VARIABLES } from '../../../functions/environment/index.ts'
import type { ClusterConfig } from '../../../shared/clusters/index.ts'
import { variableOf } from '../../../shared/settings/index.ts'
import type { DeploymentSettings } from '../../settings/index.ts'
import {
  checkTaskSize,
  clustersEnvironment,
  type Lanes,
  placeVariables,
  queuesEnvironment,
  settingsEnvironment,
} from '../environment.ts'
import { accept } from '../findings.ts'
import { stageBundle } from '../functions/staged-bundle.ts'
import { createLogGroup } from '../log-group.ts'
import { idOf } from '../network/network.ts'
import { createVpc } from '../network/vpc.ts'
import { grantSend } from '../queues/key-queue.ts'
import { Recordings } from '../recordings.ts'
import type { SliceflowProps } from '../sliceflow-props.ts'
import type { ViewPublisher } from '../views/view-publisher.ts'
import { addSidecars, checkRelay, RELAY_CONTAINER, type RelayOverrides } from './relay-overrides.ts'

interface RelayProps {
  readonly queues: RelayQueues
  readonly clusters: readonly ClusterConfig[]
  readonly deployment: string
  readonly settings: DeploymentSettings
  /** Default: nothing is recorded. */
  readonly recordings?: Recordings | undefined
  /** Key of logs and state; default: keys of AWS’ own. */
  readonly encryptionKey?: IKey | undefined
  readonly network: Pick<SliceflowProps, 'vpc' | 'vpcSubnets' | 'securityGroups' | 'natGateways'>
  readonly task: RelayTask
}

/** Queues that relays send to. */
interface RelayQueues extends Lanes {
  /**
   * The view publisher, which is fed where there is one. With another spec of views the relays are replaced
   * after it: at their start they send every key.
   */
  readonly viewPublisher?: Pick<ViewPublisher, 'queues' | 'handler' | 'digest'> | undefined
}

/** What runs as a relay, and beside it. */
interface RelayTask
  extends Pick<SliceflowProps, 'relayImage' | 'cpuArchitecture' | 'relayProps' | 'keepState' | 'standby'> {
  /** The context of the image. */
  readonly code: string
}

/** Fargate allows 120 s at most between SIGTERM and SIGKILL: the relay sends what waits in 90 s. */
const STOP_TIMEOUT = Duration.seconds(120)
const PORT = 8080
const STATE_FOLDER = '/state'
const USER = '1000'

/** The relays: a Fargate service per shard, of one task; with `relayStandby` a second, replaced later. */
export class RelayService extends Construct {
  readonly taskRole: Role
  readonly vpc: IVpc
  readonly securityGroups: readonly ISecurityGroup[]
  readonly cluster: ICluster
  readonly services: readonly FargateService[]
  readonly logGroup: LogGroup

  constructor(scope: Construct, id: string, props: RelayProps) {
    super(scope, id)
    const { queues, settings, network, task } = props
    this.logGroup = createLogGroup(this, 'Logs', settings, props.encryptionKey)
    const { relayProps = {} } = task
    checkRelay(relayProps, network.vpc?.vpcId)
    const { natGateways } = network
    this.vpc = network.vpc ?? relayProps.cluster?.vpc ?? createVpc(this, { ...props, natGateways })
    this.cluster = relayProps.cluster ?? this.createCluster(relayProps)
    this.taskRole = new Role(this, 'TaskRole', {
      assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com'),
      description: 'Sliceflow: watches clusters and sends keys',
    })
    const { live, sweep, viewPublisher } = queues
    for (const { queue } of [live, sweep, ...(viewPublisher ? [viewPublisher.queues] : [])])
      grantSend(queue, this.taskRole)
    props.recordings?.grantStore(this.taskRole)
    this.securityGroups = network.securityGroups ?? [this.createSecurityGroup()]
    const state = task.keepState === true ? this.createState(props) : undefined
    const shards = Array.from({ length: settings.relayShards }, (_, shard) => shard)
    const active = shards.map((shard) => this.createService({ props, shard, isStandby: false, state }))
    const standbys = settings.relayStandby
      ? shards.map((shard) => this.createService({ props, shard, isStandby: true }))
      : []
    for (const standby of standbys) standby.node.addDependency(...active)
    this.services = [...active, ...standbys]
    if (viewPublisher !== undefined)
      for (const service of active) service.node.addDependency(viewPublisher.handler)
  }

  private createCluster({ capacityProviderStrategies }: RelayOverrides): Cluster {
    const cluster = new Cluster(this, 'Cluster', {
      vpc: this.vpc,
      containerInsightsV2: ContainerInsights.DISABLED,
      enableFargateCapacityProviders: capacityProviderStrategies !== undefined,
    })
    accept(cluster, {
      'AwsSolutions-ECS4':
        'the relay’s own metrics show whether and how it runs; Container Insights would cost more than the relay',
    })
    return cluster
  }

  private createSecurityGroup(): SecurityGroup {
    return new SecurityGroup(this, 'SecurityGroup', {
      vpc: this.vpc,
      description: 'Sliceflow relay: nothing comes in',
      allowAllOutbound: true,
    })
  }

  private createState({ network: { vpcSubnets }, encryptionKey }: RelayProps): FileSystem {
    // It can be mounted in one VPC, and in one subnet of a zone.
    const { subnetIds } = this.vpc.selectSubnets(vpcSubnets)
    const files = new FileSystem(this, idOf(this, 'State', this.vpc.vpcId, subnetIds), {
      vpc: this.vpc,
      vpcSubnets,
      encrypted: true,
      kmsKey: encryptionKey,
      allowAnonymousAccess: false,
      lifecyclePolicy: LifecyclePolicy.AFTER_30_DAYS,
      throughputMode: ThroughputMode.ELASTIC,
      // It can be recreated at any time: without it a relay sends every key once.
      removalPolicy: RemovalPolicy.DESTROY,
    })
    for (const client of this.securityGroups) files.connections.allowFrom(client, Port.tcp(2049), 'the relay')
    return files
  }

  private createService(parts: ServiceParts): FargateService {
    const { props, shard, isStandby, state } = parts
    const { settings, network, task } = props
    const { relayProps = {}, cpuArchitecture = CpuArchitecture.ARM64 } = task
    const { capacityProviderStrategies } = relayProps
    const role = isStandby ? 'Standby' : ''
    const definition = new FargateTaskDefinition(this, `${role}Task${shard}`, {
      cpu: settings.relayCpu,
      memoryLimitMiB: settings.relayMemory,
      runtimePlatform: {
        cpuArchitecture,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      taskRole: this.taskRole,
    })
    const { image, environment } = this.program(task, variablesOf(parts))
    const container = definition.addContainer(RELAY_CONTAINER, {
      image,
      environment,
      ...(props.queues.viewPublisher &&
        !isStandby && { dockerLabels: { 'dev.sliceflow.views': props.queues.viewPublisher.digest } }),
      user: USER,
      readonlyRootFilesystem: true,
      stopTimeout: STOP_TIMEOUT,
      healthCheck: {
        command: [
          'CMD',
          'node',
          '-e',
          `fetch('http://127.0.0.1:${PORT}/healthz').then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))`,
        ],
        interval: Duration.seconds(30),
        timeout: Duration.seconds(10),
        retries: 3,
        startPeriod: Duration.seconds(60),
      },
      logging: LogDrivers.awsLogs({
        streamPrefix: isStandby ? `standby-${shard}` : `shard-${shard}`,
        logGroup: this.logGroup,
        // A slow CloudWatch must not hold up the relay.
        mode: AwsLogDriverMode.NON_BLOCKING,
      }),
    })
    addSidecars(definition, relayProps, this.logGroup)
    if (state !== undefined) this.mountState({ definition, container, state, shard })
    accept(definition, {
      'AwsSolutions-ECS2': 'nothing in the environment is secret: settings, names and URLs',
    })
    accept(definition.obtainExecutionRole().node.findChild('DefaultPolicy'), {
      'AwsSolutions-IAM5[Resource::*]': 'ECR’s GetAuthorizationToken has no resource-level permissions',
    })
    const subnets = network.vpcSubnets ?? defaultSubnets(this.vpc)
    const service = new FargateService(this, `${role}Service${shard}`, {
      cluster: this.cluster,
      taskDefinition: definition,
      desiredCount: 1,
      ...(capacityProviderStrategies && { capacityProviderStrategies: [...capacityProviderStrategies] }),
      // The new one starts first, so that one whose image is bad stops nothing. For some minutes two send the
      // same keys, which does no harm, and write the same checkpoint, of which each version is true.
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      availabilityZoneRebalancing: AvailabilityZoneRebalancing.DISABLED,
      circuitBreaker: { enable: true, rollback: true },
      securityGroups: [...this.securityGroups],
      vpcSubnets: subnets,
      assignPublicIp: this.vpc.selectSubnets(subnets).hasPublic,
      // Tasks are what costs: without it they would carry no tags.
      propagateTags: PropagatedTagSource.SERVICE,
    })
    // A relay that crashes once it is healthy would otherwise be started again and again while it is
    // deployed. Afterwards the alarm RelayRestarts counts.
    const resource = service.node.defaultChild as CfnService
    resource.addPropertyOverride('DeploymentConfiguration.DeploymentCircuitBreaker.ResetOnHealthyTask', false)
    if (state !== undefined) service.node.addDependency(state.mountTargetsAvailable)
    return service
  }

  /** Returns the image and its environment. An image that was built elsewhere has no list of clusters. */
  private program(
    { code, relayImage, cpuArchitecture = CpuArchitecture.ARM64 }: RelayTask,
    variables: Readonly<Record<string, string>>,
  ): { readonly image: ContainerImage; readonly environment: Record<string, string> } {
    if (relayImage !== undefined) {
      checkTaskSize(this, variables)
      return { image: relayImage, environment: { ...variables } }
    }
    const { environment, files } = placeVariables(variables)
    const platform = cpuArchitecture === CpuArchitecture.X86_64 ? Platform.LINUX_AMD64 : Platform.LINUX_ARM64
    return { image: ContainerImage.fromAsset(stageBundle(this, code, files), { platform }), environment }
  }

  /** Mounts an access point a shard, so that none can read or write another's state. */
  private mountState({ definition, container, state, shard }: MountParts): void {
    const accessPoint = state.addAccessPoint(`Shard${shard}`, {
      path: `/shard-${shard}`,
      createAcl: { ownerUid: USER, ownerGid: USER, permissions: '700' },
      posixUser: { uid: USER, gid: USER },
    })
    definition.addVolume({
      name: 'state',
      efsVolumeConfiguration: {
        fileSystemId: state.fileSystemId,
        transitEncryption: 'ENABLED',
        authorizationConfig: { accessPointId: accessPoint.accessPointId, iam: 'ENABLED' },
      },
    })
    container.addMountPoints({ sourceVolume: 'state', containerPath: STATE_FOLDER, readOnly: false })
    this.taskRole.addToPolicy(
      new PolicyStatement({
        actions: ['elasticfilesystem:ClientMount', 'elasticfilesystem:ClientWrite'],
        resources: [state.fileSystemArn],
        conditions: { StringEquals: { 'elasticfilesystem:AccessPointArn': accessPoint.accessPointArn } },
      }),
    )
  }
}

interface ServiceParts {
  readonly props: RelayProps
  readonly shard: number
  readonly isStandby: boolean
  readonly state?: FileSystem
}

function variablesOf({ props, shard, isStandby, state }: ServiceParts): Record<string, string> {
  const { settings, queues, task } = props
  const { standby = false } = task
  return {
    ...settingsEnvironment(settings),
    ...clustersEnvironment(props.clusters),
    ...queuesEnvironment(queues),
    ...Recordings.environment(props.recordings),
    ...((isStandby || standby) && { [variableOf('relayStandby')]: 'true' }),
    ...(standby && { [VARIABLES.standbyDeployment]: 'true' }),
    ...(queues.viewPublisher &&
      !isStandby && { [VARIABLES.viewPublisher.queue]: queues.viewPublisher.queues.queue.queueUrl }),
    [VARIABLES.deployment]: props.deployment,
    [VARIABLES.port]: String(PORT),
    ...(settings.relayShards > 1 && { SLICEFLOW_SHARD: `${shard}/${settings.relayShards}` }),
    ...(state && { SLICEFLOW_STATE_DIR: STATE_FOLDER }),
  }
}

interface MountParts {
  readonly definition: FargateTaskDefinition
  readonly container: ContainerDefinition
  readonly state: FileSystem
  readonly shard: number
}

const defaultSubnets = (vpc: IVpc): SubnetSelection => ({
  subnetType: vpc.privateSubnets.length > 0 ? SubnetType.PRIVATE_WITH_EGRESS : SubnetType.PUBLIC,
})
