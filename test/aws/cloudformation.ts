import { emulatorConfig, emulatorEndpoint } from './endpoint.ts'

/** A stack that was made, as CloudFormation describes it. */
export interface CreatedStack {
  /** Physical ids by logical ids. */
  readonly resources: ReadonlyMap<string, { readonly type: string; readonly id: string }>
}

/**
 * Has the emulator make a stack, by requests as they are written: of CloudFormation no client is installed.
 * @param template as JSON
 * @throws Error with the reason, if the stack is not complete
 */
export async function createStack(name: string, template: object): Promise<CreatedStack> {
  return writeStack('CREATE', name, template)
}

/**
 * Changes a stack to another template.
 * @throws Error with the reason, if the stack is not complete
 */
export const updateStack = (name: string, template: object): Promise<CreatedStack> =>
  writeStack('UPDATE', name, template)

async function writeStack(verb: 'CREATE' | 'UPDATE', name: string, template: object): Promise<CreatedStack> {
  const action = verb === 'CREATE' ? 'CreateStack' : 'UpdateStack'
  await cloudFormation(action, { StackName: name, TemplateBody: JSON.stringify(template) })
  const described = await cloudFormation('DescribeStacks', { StackName: name })
  const [status] = textsOf(described, 'StackStatus')
  if (status !== `${verb}_COMPLETE`) throw new Error(`stack ${name} is ${status}: ${described}`)
  const listed = await cloudFormation('ListStackResources', { StackName: name })
  const logicalIds = textsOf(listed, 'LogicalResourceId')
  const ids = textsOf(listed, 'PhysicalResourceId')
  const types = textsOf(listed, 'ResourceType')
  return {
    resources: new Map(
      logicalIds.map((logicalId, at) => [logicalId, { type: types[at] ?? '', id: ids[at] ?? '' }]),
    ),
  }
}

async function cloudFormation(action: string, parameters: Readonly<Record<string, string>>): Promise<string> {
  const body = new URLSearchParams({ Action: action, Version: '2010-05-15', ...parameters })
  return request('cloudformation', '/', { method: 'POST', body })
}

/** Lists the event source mappings of Lambda. */
export async function listEventSourceMappings(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const text = await request('lambda', '/2015-03-31/event-source-mappings/', {})
  return JSON.parse(text).EventSourceMappings
}

/** A function as Lambda knows it. */
export interface FunctionConfiguration {
  readonly Handler: string
  readonly Timeout: number
  readonly Environment: { readonly Variables: Readonly<Record<string, string>> }
}

export async function getFunctionConfiguration(name: string): Promise<FunctionConfiguration> {
  return JSON.parse(await request('lambda', `/2015-03-31/functions/${name}/configuration`, {}))
}

/** Makes a secret; resolves to its ARN. */
export async function createSecret(name: string, value: unknown): Promise<string> {
  const body = JSON.stringify({ Name: name, SecretString: JSON.stringify(value), ClientRequestToken: name })
  const target = {
    'x-amz-target': 'secretsmanager.CreateSecret',
    'content-type': 'application/x-amz-json-1.1',
  }
  return JSON.parse(await request('secretsmanager', '/', { method: 'POST', body, headers: target })).ARN
}

/** Reads the environment of a task definition's one container. */
export async function getTaskEnvironment(arn: string): Promise<Record<string, string>> {
  const target = {
    'x-amz-target': 'AmazonEC2ContainerServiceV20141113.DescribeTaskDefinition',
    'content-type': 'application/x-amz-json-1.1',
  }
  const init = { method: 'POST', body: JSON.stringify({ taskDefinition: arn }), headers: target }
  const { taskDefinition } = JSON.parse(await request('ecs', '/', init))
  const variables: { name: string; value: string }[] = taskDefinition.containerDefinitions[0].environment
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]))
}

/** Puts an object where a template says that a function's code is. */
export async function putObject(bucket: string, key: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
  await request('s3', `/${bucket}`, { method: 'PUT' })
  await request('s3', `/${bucket}/${key}`, { method: 'PUT', body })
}

/**
 * Sends a request to the emulator. It goes by the service in the signature's scope, and checks no signature.
 */
async function request(service: string, path: string, init: RequestInit): Promise<string> {
  const { region, credentials } = emulatorConfig
  const scope = `${credentials.accessKeyId}/20260101/${region}/${service}/aws4_request`
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`
  const headers = { ...(init.headers as Record<string, string> | undefined), authorization }
  const response = await fetch(`${emulatorEndpoint}${path}`, { ...init, headers })
  const text = await response.text()
  if (!response.ok) throw new Error(`${service} refused with ${response.status}: ${text}`)
  return text
}

const textsOf = (xml: string, tag: string): string[] =>
  [...xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, 'g'))].map(([, text = '']) => text)
