import { emulatorConfig, emulatorEndpoint, HOME } from './endpoint.ts'

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
export const createStack = (name: string, template: object, region = HOME.name): Promise<CreatedStack> =>
  writeStack('CREATE', { name, template, region })

/**
 * Changes a stack to another template.
 * @throws Error with the reason, if the stack is not complete
 */
export const updateStack = (name: string, template: object, region = HOME.name): Promise<CreatedStack> =>
  writeStack('UPDATE', { name, template, region })

interface WrittenStack {
  readonly name: string
  readonly template: object
  readonly region: string
}

async function writeStack(
  verb: 'CREATE' | 'UPDATE',
  { name, template, region }: WrittenStack,
): Promise<CreatedStack> {
  const cloudFormation = callerIn(region)
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

const callerIn =
  (region: string) =>
  (action: string, parameters: Readonly<Record<string, string>>): Promise<string> => {
    const body = new URLSearchParams({ Action: action, Version: '2010-05-15', ...parameters })
    return request({ service: 'cloudformation', region }, '/', { method: 'POST', body })
  }

/** Lists the event source mappings of Lambda. */
export async function listEventSourceMappings(
  region = HOME.name,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const text = await request({ service: 'lambda', region }, '/2015-03-31/event-source-mappings/', {})
  return JSON.parse(text).EventSourceMappings
}

/** A function as Lambda knows it. */
interface FunctionConfiguration {
  readonly Handler: string
  readonly Timeout: number
  readonly Environment: { readonly Variables: Readonly<Record<string, string>> }
}

export async function getFunctionConfiguration(
  name: string,
  region = HOME.name,
): Promise<FunctionConfiguration> {
  const path = `/2015-03-31/functions/${name}/configuration`
  return JSON.parse(await request({ service: 'lambda', region }, path, {}))
}

/** Makes a secret; resolves to its ARN. */
export async function createSecret(name: string, value: unknown, region = HOME.name): Promise<string> {
  const body = JSON.stringify({ Name: name, SecretString: JSON.stringify(value), ClientRequestToken: name })
  const target = {
    'x-amz-target': 'secretsmanager.CreateSecret',
    'content-type': 'application/x-amz-json-1.1',
  }
  const init = { method: 'POST', body, headers: target }
  return JSON.parse(await request({ service: 'secretsmanager', region }, '/', init)).ARN
}

/** Puts an object where a template says that a function's code is. */
export async function putObject(bucket: string, key: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
  const s3 = { service: 's3', region: HOME.name }
  await request(s3, `/${bucket}`, { method: 'PUT' })
  await request(s3, `/${bucket}/${key}`, { method: 'PUT', body })
}

interface ServiceInRegion {
  readonly service: string
  readonly region: string
}

/**
 * Sends a request to the emulator. It goes by service and region in the signature's scope, and checks no
 * signature.
 */
async function request(
  { service, region }: ServiceInRegion,
  path: string,
  init: RequestInit,
): Promise<string> {
  const { credentials } = emulatorConfig
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
