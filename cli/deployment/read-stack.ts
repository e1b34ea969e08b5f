import type { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import * as v from 'valibot'
import { STACK_OUTPUTS } from '../../functions/environment/index.ts'
import { awsClientOptions } from '../../shared/proxy/index.ts'
import { describeIssues, record, safeParse, url } from '../../shared/schema/index.ts'
import { errorMessage } from '../../shared/values/index.ts'
import { UsageError } from '../usage.ts'
import { readText } from './read-text.ts'

/** The URLs of the lanes' queues, and of the view publisher's, as far as a deployment has them. */
type StackQueues = Readonly<Partial<Record<keyof typeof STACK_OUTPUTS, string>>>

/** File that `cdk deploy --outputs-file` writes: the outputs of each stack by its name. */
const fileSchema = record(v.string(), record(v.string(), v.string()))
/** Requests with credentials go there. */
const queueUrl = url(/^https?:\/\//i)

const STACK_NAME = /^[a-zA-Z][-a-zA-Z0-9]{0,127}$/
/** Its first group is the region. */
const STACK_ARN = /^arn:aws[a-z-]*:cloudformation:([a-z0-9-]+):\d{12}:stack\/.+$/

/** Reports whether a text may be the name or the ARN of a stack. */
export const isStack = (place: string): boolean => STACK_ARN.test(place) || STACK_NAME.test(place)

/**
 * Reads where a deployment has its queues.
 * @param place the name or the ARN of its stack, which CloudFormation is asked for; or the file that `cdk
 *   deploy --outputs-file` wrote, which needs no further permission
 * @throws UsageError where it can be none of these
 * @throws Error when it cannot be read, or is that of no deployment
 */
export async function readStack(place: string): Promise<StackQueues> {
  if (place.endsWith('.json')) return queuesOf(place, outputsOfFile(place))
  if (isStack(place)) return queuesOf(place, await describeOutputs(place))
  throw new UsageError(
    `--stack: "${place}" is neither the name or the ARN of a stack nor a .json file of \`cdk deploy --outputs-file\``,
  )
}

type Outputs = readonly (readonly [name: string, value: string])[]

function outputsOfFile(file: string): Outputs {
  const text = readText('outputs of the stack', file)
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (cause) {
    throw new Error(`failed to read the outputs of the stack ${file}: ${errorMessage(cause)}`, { cause })
  }
  const outputs = safeParse(fileSchema, document)
  if (outputs.success) return Object.values(outputs.data).flatMap((stack) => Object.entries(stack))
  throw new Error(`failed to read the outputs of the stack ${file}: ${describeIssues(outputs.issues)}`)
}

const describeOutputs = (stack: string): Promise<Outputs> =>
  askStack(stack, 'describe', 'DescribeStacks', async (client, { DescribeStacksCommand }) => {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }))
    const outputs = Stacks.flatMap(({ Outputs = [] }) => Outputs)
    return outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue])
  })

type CloudFormation = typeof import('@aws-sdk/client-cloudformation')

/**
 * Asks CloudFormation about a stack, in the region of its ARN or of the environment.
 * @param verb for the error, such as `describe`
 * @param action that the credentials must allow
 */
export async function askStack<Answer>(
  stack: string,
  verb: string,
  action: string,
  ask: (client: CloudFormationClient, sdk: CloudFormation) => Promise<Answer>,
): Promise<Answer> {
  // Loaded here only: most commands need none of AWS.
  const sdk = await import('@aws-sdk/client-cloudformation')
  const region = STACK_ARN.exec(stack)?.[1]
  const client = new sdk.CloudFormationClient({
    ...awsClientOptions(),
    ...(region !== undefined && { region }),
  })
  try {
    return await ask(client, sdk)
  } catch (cause) {
    throw new Error(
      `failed to ${verb} the stack ${stack}: ${errorMessage(cause)}; check its name, AWS_REGION and the credentials, which must allow cloudformation:${action}`,
      { cause },
    )
  } finally {
    client.destroy()
  }
}

/** @throws Error */
function queuesOf(place: string, outputs: Outputs): StackQueues {
  const found = Object.entries(STACK_OUTPUTS).flatMap(([lane, { queue }]) => {
    const urls = outputs.filter(([name]) => name.endsWith(queue))
    if (urls.length > 1)
      throw new Error(
        `stack ${place} has several deployments (${urls.map(([name]) => name).join(', ')}): give the URLs of one’s queues`,
      )
    return urls.map(([name, url]) => [lane, checkedUrl(place, name, url)])
  })
  if (found.length > 0) return Object.fromEntries(found)
  throw new Error(
    `stack ${place} has no output that ends with ${STACK_OUTPUTS.live.queue}: it is not of a deployment of Sliceflow, or of a version that had others; give the URLs of its queues`,
  )
}

function checkedUrl(place: string, name: string, url: string): string {
  if (safeParse(queueUrl, url).success) return url
  throw new Error(`stack ${place}: its output ${name} is not the URL of a queue`)
}
