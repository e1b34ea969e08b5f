import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { listenLocally } from '../support/local-server.ts'

/** Secrets Manager on loopback, as far as the deployed functions use it. */
interface SecretsStandIn {
  readonly endpoint: string
  /** Secrets by their ARN. */
  readonly secrets: Map<string, string>
  stop(): Promise<void>
}

export async function startSecretsManager(): Promise<SecretsStandIn> {
  const secrets = new Map<string, string>()
  const service = await startService(async (request, response) => {
    const body = await textOf(request)
    const text = secrets.get((JSON.parse(body) as { SecretId: string }).SecretId)
    const answer =
      text === undefined
        ? { __type: 'ResourceNotFoundException', message: 'no such secret' }
        : { SecretString: text }
    response.writeHead(text === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(JSON.stringify(answer))
  })
  return { ...service, secrets }
}

/** A cluster as EKS describes it. */
export interface EksCluster {
  readonly endpoint: string
  /** PEM text. */
  readonly authority: string
  readonly tags: Readonly<Record<string, string>>
}

/** EKS of all regions on loopback, and the API of tags, as far as clusters are found by them. */
interface EksStandIn {
  readonly endpoint: string
  stop(): Promise<void>
}

/** The account of every cluster. */
const ACCOUNT = '123456789012'

/** @param regions clusters by the name of their region, and then by their own */
export async function startEks(
  regions: Readonly<Record<string, Readonly<Record<string, EksCluster>>>>,
): Promise<EksStandIn> {
  return startService(async (request, response) => {
    // A request names its region by its signature only.
    const [, region = ''] = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? '') ?? []
    const clusters = regions[region] ?? {}
    const [, , name] = new URL(request.url ?? '', 'http://eks').pathname.split('/')
    const cluster = clusters[name ?? '']
    response.setHeader('content-type', 'application/json')
    if (request.method === 'POST')
      response.end(JSON.stringify(taggedIn(region, clusters, JSON.parse(await textOf(request)))))
    else if (cluster === undefined) response.writeHead(404).end('{}')
    else response.end(JSON.stringify({ cluster: { name, ...descriptionOf(cluster) } }))
  })
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

interface GetResources {
  readonly TagFilters: readonly { readonly Key: string; readonly Values?: readonly string[] }[]
}

/** Answers GetResources: every cluster with all of the tags that are asked for. */
function taggedIn(
  region: string,
  clusters: Readonly<Record<string, EksCluster>>,
  { TagFilters }: GetResources,
): object {
  const has = ({ tags }: EksCluster): boolean =>
    TagFilters.every(({ Key, Values }) => {
      const value = tags[Key]
      return value !== undefined && (Values === undefined || Values.includes(value))
    })
  const found = Object.entries(clusters).filter(([, cluster]) => has(cluster))
  return {
    ResourceTagMappingList: found.map(([name, { tags }]) => ({
      ResourceARN: `arn:aws:eks:${region}:${ACCOUNT}:cluster/${name}`,
      Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    })),
  }
}

const descriptionOf = ({ endpoint, authority }: EksCluster): object => ({
  status: 'ACTIVE',
  endpoint,
  certificateAuthority: { data: Buffer.from(authority).toString('base64') },
})

async function startService(
  listener: RequestListener,
): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  const { port, close } = await listenLocally(createServer(listener))
  return { endpoint: `http://127.0.0.1:${port}`, stop: close }
}
