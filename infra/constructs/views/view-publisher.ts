import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { ScheduleExpression, type ScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import type { INamespace } from 'aws-cdk-lib/aws-servicediscovery'
import { Construct } from 'constructs'
import { VARIABLES } from '../../../functions/environment/index.ts'
import { VIEW_PUBLISHER_VARIABLES } from '../../../functions/view-publisher/environment.ts'
import { assertServiceSpec, ServiceSpecError } from '../../../functions/view-publisher/service-spec.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { loadSpec, SpecError } from '../../../shared/views/index.ts'
import { DeploymentError, visibilityOf } from '../../settings/index.ts'
import { allowKey, KEY_OF_TABLE } from '../encryption.ts'
import { clustersEnvironment, settingsEnvironment } from '../environment.ts'
import { accept, arnFinding } from '../findings.ts'
import { consumeKeys } from '../functions/consume-keys.ts'
import { type FunctionParts, SliceflowFunction } from '../functions/function.ts'
import { callOnSchedule } from '../functions/schedule.ts'
import { grantSend, KeyQueue, type QueueOverrides } from '../queues/key-queue.ts'
import type { ViewsProps } from '../sliceflow-props.ts'

interface ViewPublisherProps extends FunctionParts {
  readonly views: ViewsProps
  /** Overrides of the queue that the relay feeds. */
  readonly queues?: QueueOverrides | undefined
}

/** The spec's file beside the bundle. */
const SPEC_FILE = 'views.yaml'

/** The functions that publish views: one consumes the relay's queue, one verifies on a schedule. */
export class ViewPublisher extends Construct {
  readonly queues: KeyQueue
  readonly handler: SliceflowFunction
  readonly sweep: SliceflowFunction
  readonly scheduleGroup: ScheduleGroup
  readonly table: Table
  /** Digest of what decides which views there are. */
  readonly digest: string

  constructor(scope: Construct, id: string, props: ViewPublisherProps) {
    super(scope, id)
    const { code, views, clusters, queues, surroundings } = props
    const { settings, encryptionKey } = surroundings
    if (views.eventBus === undefined && views.cloudMapNamespace === undefined)
      throw new DeploymentError(
        'views: need somewhere to go; give an eventBus (viewsEventBus in the context) or a cloudMapNamespace (viewsCloudMapNamespace)',
      )
    const visibility = visibilityOf(settings, 'live')
    this.queues = new KeyQueue(this, 'Keys', { settings, visibility, encryptionKey, ...queues })
    this.table = createViewsTable(this, 'Published', encryptionKey)
    const environment = this.environmentOf(views)
    const spec = readViewsSpec(views.spec, views.operator)
    this.digest = hash('sha256', JSON.stringify([spec, views.operator]))
    const files = { [SPEC_FILE]: spec }
    this.handler = new SliceflowFunction(this, 'Publish', {
      surroundings,
      code,
      files,
      description: 'Sliceflow: publishes the views of changed Services',
      environment: { ...settingsEnvironment(settings), ...clustersEnvironment(clusters), ...environment },
    })
    const { batchSize, batchWindow, maximumConcurrency: maxConcurrency } = settings
    const { role } = this.handler
    consumeKeys(this.handler.function, this.queues, { role, batchSize, batchWindow, maxConcurrency })
    this.sweep = new SliceflowFunction(this, 'Sweep', {
      surroundings: { ...surroundings, functionProps: undefined },
      code,
      files,
      description: 'Sliceflow: sends everything that is published to be checked again',
      handler: 'index.sweep',
      environment,
    })
    this.scheduleGroup = callOnSchedule(this.sweep, {
      expression: ScheduleExpression.rate(Duration.seconds(settings.sweepInterval)),
      intervalSeconds: settings.sweepInterval,
      description: 'Sliceflow: checks everything that is published again',
    })
    this.allow(views)
  }

  private environmentOf({ operator, eventBus, cloudMapNamespace }: ViewsProps): Record<string, string> {
    return {
      [VARIABLES.viewPublisher.queue]: this.queues.queue.queueUrl,
      [VARIABLES.viewPublisher.deadLetters]: this.queues.deadLetters.queueUrl,
      [VIEW_PUBLISHER_VARIABLES.table]: this.table.tableName,
      [VIEW_PUBLISHER_VARIABLES.spec]: SPEC_FILE,
      ...(operator !== undefined && { [VIEW_PUBLISHER_VARIABLES.operator]: operator }),
      ...(eventBus && { [VIEW_PUBLISHER_VARIABLES.eventBus]: eventBus.eventBusArn }),
      ...(cloudMapNamespace && {
        [VIEW_PUBLISHER_VARIABLES.cloudMapNamespace]: cloudMapNamespace.namespaceId,
      }),
    }
  }

  private allow({ eventBus, cloudMapNamespace }: ViewsProps): void {
    const { role } = this.handler
    const items = ['GetItem', 'PutItem', 'UpdateItem']
    this.table.grant(role, ...items.map((action) => `dynamodb:${action}`))
    this.table.grant(this.sweep.role, 'dynamodb:Scan')
    for (const one of [role, this.sweep.role])
      allowKey(one, this.table.encryptionKey, { service: 'dynamodb', actions: KEY_OF_TABLE })
    grantSend(this.queues.queue, this.sweep.role)
    eventBus?.grantPutEventsTo(role)
    if (cloudMapNamespace !== undefined) this.allowCloudMap(cloudMapNamespace)
  }

  private allowCloudMap({ namespaceArn }: INamespace): void {
    const { role } = this.handler
    const stack = Stack.of(this)
    const services = stack.formatArn({
      service: 'servicediscovery',
      resource: 'service',
      resourceName: '*',
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    })
    for (const [actions, resources] of [
      [['CreateService'], [namespaceArn, services]],
      [['ListInstances', 'RegisterInstance', 'DeregisterInstance'], [services]],
      [['ListServices', 'GetOperation'], ['*']],
    ] as const)
      role.addToPolicy(
        new PolicyStatement({
          actions: actions.map((action) => `servicediscovery:${action}`),
          resources: [...resources],
        }),
      )
    accept(role.node.findChild('DefaultPolicy'), {
      [arnFinding(this, { service: 'servicediscovery', resource: 'service', resourceName: '*' })]:
        'Cloud Map gives services ids of its own when they are made: their names and namespaces are not known beforehand',
      'AwsSolutions-IAM5[Resource::*]':
        'Cloud Map’s ListServices and GetOperation, as X-Ray, have no resource-level permissions',
    })
  }
}

/**
 * Creates the table of what each sink has of each Service, and of changes that may not be sent yet. It
 * outlives the deployment, as it lists what must be removed from the readers of the bus.
 */
function createViewsTable(scope: Construct, id: string, encryptionKey?: IKey): Table {
  return new Table(scope, id, {
    partitionKey: { name: 'key', type: AttributeType.STRING },
    sortKey: { name: 'sink', type: AttributeType.STRING },
    timeToLiveAttribute: 'expiresAt',
    billingMode: BillingMode.PAY_PER_REQUEST,
    ...(encryptionKey
      ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }
      : { encryption: TableEncryption.AWS_MANAGED }),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy: RemovalPolicy.RETAIN,
  })
}

/**
 * Reads the text of a spec that the view publisher can use.
 * @param file YAML or JSON
 * @param operator the operator's name where the spec has none
 * @throws DeploymentError where there is none, or where it cannot be used: the function would say so with
 *   every message
 */
function readViewsSpec(file: string, operator: string | undefined): string {
  const text = readText(file)
  try {
    assertServiceSpec(loadSpec(text, { file, ...(operator !== undefined && { name: operator }) }))
  } catch (cause) {
    if (!(cause instanceof SpecError || cause instanceof ServiceSpecError)) throw cause
    throw new DeploymentError(`views.spec: ${cause.message.replaceAll('\n', '; ')}`, { cause })
  }
  return text
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const reason = errorMessage(cause)
    throw new DeploymentError(
      `views.spec: cannot read ${file}: ${reason}; give the path of the spec’s file`,
      {
        cause,
      },
    )
  }
}
