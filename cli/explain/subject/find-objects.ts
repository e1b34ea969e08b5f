import {
  ANNOTATION_NETWORK_STATUS,
  type Node,
  objectFault,
  type Pod,
  parseIp,
} from '../../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  NODES,
  NotFoundError,
  PODS,
} from '../../../shared/kubernetes/index.ts'
import { isRecord } from '../../../shared/values/index.ts'
import type { Subject } from './report.ts'

/** A Pod of one of the clusters that were asked. */
export interface FoundPod {
  readonly cluster: string
  readonly namespace: string
  readonly name: string
  /** Addresses on all of its networks, in canonical form. */
  readonly addresses: readonly string[]
  readonly pod: Pod
}

/** Pods and Nodes of one cluster that fit a subject. */
export interface FoundObjects {
  readonly pods: readonly FoundPod[]
  readonly nodes: readonly Node[]
  readonly faults: readonly string[]
}

/** @throws KubernetesError */
export async function findObjects(
  client: ApiClient,
  subject: Subject,
  signal: AbortSignal,
): Promise<FoundObjects> {
  const faults: Faults = []
  const asked = { client, subject, faults }
  const [pods, nodes] = await Promise.all([findPods(asked, signal), findNodes(asked, signal)])
  return { pods, nodes, faults }
}

interface Asked {
  readonly client: ApiClient
  readonly subject: Subject
  readonly faults: Faults
}

const FIELD = { Pod: 'metadata.name', Node: 'spec.nodeName' } as const

async function findPods({ client, subject, faults }: Asked, signal: AbortSignal): Promise<FoundPod[]> {
  const { kind, name, namespace } = subject
  // A Pod has addresses that no field selector knows, such as its second one: all of them are read.
  const fieldSelector = kind === 'Address' ? undefined : `${FIELD[kind]}=${name}`
  const options = { signal, ...(namespace && { namespace }), ...(fieldSelector && { fieldSelector }) }
  const found: FoundPod[] = []
  for await (const { items } of client.pages(PODS, options)) {
    const read = soundObjects('Pod', items, faults).map((pod) => foundPod(client.cluster, pod))
    found.push(...(kind === 'Address' ? read.filter(({ addresses }) => addresses.includes(name)) : read))
  }
  return found
}

const foundPod = (cluster: string, pod: Pod): FoundPod => ({
  cluster,
  namespace: pod.metadata?.namespace ?? '',
  name: pod.metadata?.name ?? '',
  addresses: addressesOf(pod),
  pod,
})

/** Lists the addresses of a Pod, the primary one first. */
function addressesOf({ metadata, status }: Pod): string[] {
  const ips = [status?.podIP, ...(status?.podIPs ?? []).map(({ ip }) => ip)]
  const onNetworks = networkAddresses(metadata?.annotations?.[ANNOTATION_NETWORK_STATUS])
  return [...new Set([...ips, ...onNetworks].flatMap((ip) => canonical(ip) ?? []))]
}

/** Returns the canonical form of an address; undefined if it is none. */
export const canonical = (text: unknown): string | undefined =>
  typeof text === 'string' ? parseIp(text)?.text : undefined

/** Lists the addresses of secondary networks; none if the annotation cannot be read. */
function networkAddresses(annotation: unknown): unknown[] {
  try {
    return recordsOf(JSON.parse(textOf(annotation) ?? '[]')).flatMap(({ ips }) => ips)
  } catch {
    return []
  }
}

async function findNodes({ client, subject, faults }: Asked, signal: AbortSignal): Promise<readonly Node[]> {
  if (subject.kind === 'Pod') return []
  if (subject.kind === 'Node')
    return soundObjects('Node', await findNode(client, subject.name, signal), faults)
  const found: Node[] = []
  for await (const { items } of client.pages(NODES, { signal }))
    found.push(
      ...soundObjects('Node', items, faults).filter((node) => nodeAddresses(node).includes(subject.name)),
    )
  return found
}

async function findNode(client: ApiClient, name: string, signal: AbortSignal): Promise<readonly Node[]> {
  try {
    return [await client.get(NODES, { name }, { signal })]
  } catch (error) {
    if (error instanceof NotFoundError) return []
    throw error
  }
}

export const nodeAddresses = ({ status }: Node): string[] =>
  recordsOf(status?.addresses).flatMap(({ address }) => canonical(address) ?? [])

export type Faults = string[]

/** Returns the objects that are of the API's form; what a plan would leave out is left out, and noted. */
export function soundObjects<T extends ApiObject>(kind: string, objects: readonly T[], faults: Faults): T[] {
  return objects.filter((object) => {
    const fault = objectFault(kind, object) ?? nameFault(object)
    if (fault !== undefined)
      faults.push(`${kind} ${textOf(object?.metadata?.name) ?? 'without a name'}: ${fault}`)
    return fault === undefined
  })
}

function nameFault({ metadata }: ApiObject): string | undefined {
  const { name, namespace = '' } = metadata ?? {}
  return typeof name === 'string' && typeof namespace === 'string'
    ? undefined
    : 'it has no name, or no namespace'
}

/** Returns a field that ought to be a text, and that nothing else has checked. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns the records of a field that ought to be a list of them. */
export const recordsOf = (value: unknown): Readonly<Record<string, unknown>>[] =>
  (Array.isArray(value) ? value : []).filter(isRecord)
