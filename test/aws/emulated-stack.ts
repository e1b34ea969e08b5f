import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, join } from 'node:path'
import { SQS } from '@aws-sdk/client-sqs'
import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { onTestFinished } from 'vitest'
import { startEventSourceMapping } from '../../cli/local/index.ts'
import { type AlarmProperties, alarmsOf } from '../../infra/constructs/alarms/alarms.fixtures.ts'
import { type Bundles, Sliceflow, type SliceflowProps } from '../../infra/constructs/index.ts'
import { assetFolder, testApp } from '../../infra/constructs/template.fixtures.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import {
  type CreatedStack,
  createStack,
  getFunctionConfiguration,
  listEventSourceMappings,
  putObject,
  updateStack,
} from './cloudformation.ts'
import { type EmulatedRegion, emulatorConfig, HOME } from './endpoint.ts'
import { startLambdaFunction } from './lambda-runtime.ts'
import { CLIENT_VARIABLE } from './runtime-interface-client.ts'

/** Kinds that moto does not make. */
const NOT_MADE = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm', 'AWS::CloudWatch::Dashboard']
const ACCOUNT = '123456789012'
/** An archive of nothing: the code is run from the folder that CDK would have put into it. */
const ZIP = Uint8Array.from([0x50, 0x4b, 5, 6, ...Array<number>(18).fill(0)])

interface Resource {
  readonly Type: string
  readonly Properties?: {
    readonly Code?: { readonly S3Key: string }
    readonly ContainerDefinitions?: readonly {
      readonly Environment: readonly { readonly Name: string; readonly Value: TemplateValue }[]
    }[]
  }
}

/** A text, or the physical id of another resource. */
type TemplateValue = string | { readonly Ref: string }

/** A template with the folder of its assets. */
interface Synthesized {
  readonly resources: Readonly<Record<string, Resource>>
  /** Returns the folder of an asset by its hash. */
  readonly assetFolder: (hash: string) => string
  /** Alarms by their names in the deployment. */
  readonly alarms: Readonly<Record<string, AlarmProperties>>
}

export type Version = Pick<SliceflowProps, 'clusters' | 'settings' | 'standby'> & {
  readonly bundles: Bundles
  /** Default: the region of all tests. */
  readonly region?: EmulatedRegion
}

/** A stack as moto has made it, and what runs of it. */
export interface EmulatedStack {
  readonly region: EmulatedRegion
  readonly stack: CreatedStack
  readonly synthesized: Synthesized
}

/** Makes a stack of a version, or changes the stack of this name to it. */
export async function deployVersion(name: string, props: Version, isThere = false): Promise<EmulatedStack> {
  const synthesized = synthesize(name, props)
  const { resources } = synthesized
  const { region = HOME } = props
  for (const { Properties } of Object.values(resources))
    if (Properties?.Code !== undefined)
      await putObject(`cdk-hnb659fds-assets-${ACCOUNT}-${region.name}`, Properties.Code.S3Key, ZIP)
  const write = isThere ? updateStack : createStack
  return { region, stack: await write(name, { Resources: resources }, region.name), synthesized }
}

function synthesize(name: string, { region = HOME, ...props }: Version): Synthesized {
  const app = testApp(props.bundles)
  const stack = new Stack(app, name, { env: { region: region.name } })
  new Sliceflow(stack, 'Sliceflow', props)
  const template = Template.fromStack(stack)
  const { Resources } = template.toJSON() as { Resources: Record<string, Resource> }
  const made = Object.entries(Resources).filter(([, { Type }]) => !NOT_MADE.includes(Type))
  return {
    resources: Object.fromEntries(made),
    assetFolder: (hash) => assetFolder(stack, hash),
    alarms: alarmsOf(template),
  }
}

/** Returns logical and physical id of the one resource of a type whose logical id has this in it. */
export function idOf({ stack }: EmulatedStack, type: string, part: string): [string, string] {
  const found = [...stack.resources].filter(([id, one]) => one.type === type && id.includes(part))
  const [[logicalId, { id }] = ['', { id: '' }]] = found
  if (found.length !== 1) throw new Error(`the stack has ${found.length} of ${type} ${part}`)
  return [logicalId, id]
}

/** Returns a queue's URL at the emulator's own address, whatever the emulator calls itself. */
export const urlOf = (stack: EmulatedStack, part: string): string =>
  here(idOf(stack, 'AWS::SQS::Queue', part)[1], stack.region)

const here = (value: string, { endpoint }: EmulatedRegion): string =>
  /^https?:\/\/.*\/\d{12}\/[\w-]+$/.test(value) ? `${endpoint}${new URL(value).pathname}` : value

const valueIn = ({ stack }: EmulatedStack, value: TemplateValue): string =>
  typeof value === 'string' ? value : (stack.resources.get(value.Ref)?.id ?? '')

/** Returns the environment of a function or task, with what a machine on AWS has besides. */
const environmentOf = (
  variables: Readonly<Record<string, string>>,
  region: EmulatedRegion,
): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, here(value, region)])),
  AWS_REGION: region.name,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL: region.endpoint,
  AWS_ENDPOINT_URL_SQS: region.endpoint,
})

/** A call of the reconcile function, and what it answered. */
export interface Invocation {
  readonly event: SQSEvent
  readonly answer?: unknown
  readonly error?: string
}

export interface RunningFunction {
  readonly invocations: readonly Invocation[]
  log(): string
  /** Calls the function for no more messages, and ends it when the calls that run have answered. */
  stop(): Promise<void>
}

/**
 * Runs the reconcile function of a stack: its code by AWS' runtime interface client, with variables, time
 * limit and handler as Lambda has them, and both lanes by the rules of their event source mappings.
 */
export async function runFunction(stack: EmulatedStack): Promise<RunningFunction> {
  const { region } = stack
  const [logicalId, name] = idOf(stack, 'AWS::Lambda::Function', 'Reconcile')
  const configuration = await getFunctionConfiguration(name, region.name)
  const archive = stack.synthesized.resources[logicalId]?.Properties?.Code?.S3Key ?? ''
  const client = process.env[CLIENT_VARIABLE]
  if (client === undefined) throw new Error('the runtime interface client is not named; run npm run test:aws')
  const lambda = startLambdaFunction({
    client,
    code: stack.synthesized.assetFolder(basename(archive, '.zip')),
    handler: configuration.Handler,
    environment: environmentOf(configuration.Environment.Variables, region),
    timeoutSeconds: configuration.Timeout,
  })
  const invocations: Invocation[] = []
  const sqs = new SQS({ ...emulatorConfig, endpoint: region.endpoint, region: region.name })
  const handler = async (event: SQSEvent): Promise<SQSBatchResponse> => {
    try {
      const answer = (await lambda.invoke(event)) as SQSBatchResponse
      invocations.push({ event, answer })
      return answer
    } catch (error) {
      invocations.push({ event, error: String(error) })
      throw error
    }
  }
  const all = await listEventSourceMappings(region.name)
  const mappings = await Promise.all(
    ['LiveQueue', 'SweepQueue'].map((part) => {
      const queueUrl = urlOf(stack, part)
      const [found] = all.filter(({ EventSourceArn }) =>
        String(EventSourceArn).endsWith(`:${basename(queueUrl)}`),
      )
      const {
        BatchSize,
        MaximumBatchingWindowInSeconds = 0,
        ScalingConfig,
      } = found as {
        BatchSize: number
        MaximumBatchingWindowInSeconds?: number
        ScalingConfig: { MaximumConcurrency: number }
      }
      return startEventSourceMapping({
        client: sqs,
        queueUrl,
        handler,
        logger: SILENT_LOG,
        limits: {
          batchSize: BatchSize,
          batchWindowSeconds: MaximumBatchingWindowInSeconds,
          maximumConcurrency: ScalingConfig.MaximumConcurrency,
          functionTimeoutSeconds: configuration.Timeout,
        },
      })
    }),
  )
  const stop = async (): Promise<void> => {
    await Promise.all(mappings.map((mapping) => mapping.drain()))
    await lambda.stop()
    sqs.destroy()
  }
  onTestFinished(stop)
  return { invocations, log: lambda.log, stop }
}

export interface RunningRelay {
  log(): string
  /** Ends it as ECS does, or as a machine that is lost. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<unknown>
}

/**
 * Runs the relay of a stack from the files of its image, with the environment of its task: that of the
 * template, as the emulator forgets it when a task definition is updated.
 */
export function runRelay(stack: EmulatedStack): RunningRelay {
  const [logicalId] = idOf(stack, 'AWS::ECS::TaskDefinition', 'Task')
  const { region, synthesized } = stack
  const { resources, assetFolder } = synthesized
  const [container] = resources[logicalId]?.Properties?.ContainerDefinitions ?? []
  const variables = (container?.Environment ?? []).map(({ Name, Value }) => [Name, valueIn(stack, Value)])
  const [hash = ''] = /[0-9a-f]{64}/.exec(JSON.stringify(resources[logicalId])) ?? []
  const child: ChildProcess = spawn(process.execPath, [join(assetFolder(hash), 'main.mjs')], {
    cwd: '/',
    env: { ...environmentOf(Object.fromEntries(variables), region), SLICEFLOW_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      log += chunk
    })
  const ended = once(child, 'close')
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<unknown> => {
    child.kill(signal)
    return (await ended)[0]
  }
  onTestFinished(async () => void (await stop()))
  return { log: () => log, stop }
}
