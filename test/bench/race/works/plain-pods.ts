import type { Node, Pod, Service } from '../../../../shared/endpointslice/index.ts'
import { NAMESPACES, NODES, SERVICES } from '../../../../shared/kubernetes/index.ts'
import {
  createFakePods,
  type FakePods,
  makeNode,
  makePod,
  makeService,
  type PodRef,
} from '../../../support/world/index.ts'
import type { Arena } from '../arena.ts'
import { sideBySide } from './side-by-side.ts'

/** One Service in a namespace of its own, and its pods by their numbers. */
interface NumberedPods {
  readonly pods: FakePods
  ref(number: number): PodRef
  /** Starts a pod on a node in turn. */
  start(number: number): Promise<void>
}

/** Makes nodes, and a Service of as many ready pods, numbered from 0. */
export async function makeNumberedPods(
  { client, report }: Pick<Arena, 'client' | 'report'>,
  { namespace, count, nodes }: { readonly namespace: string; readonly count: number; readonly nodes: number },
): Promise<NumberedPods> {
  const app = 'web'
  const pods = createFakePods(client)
  const ref = (number: number): PodRef => ({ namespace, name: `${app}-${number}` })
  const start = (number: number): Promise<void> =>
    pods.start(plainPod({ ...ref(number), app, nodeName: nodeName(number % nodes) }), [podAddress(number)])
  report(`making ${nodes} nodes and a Service of ${count} pods`)
  await client.create(NAMESPACES, { metadata: { name: namespace } })
  await sideBySide([...Array(nodes).keys()], (index) => client.create(NODES, plainNode(index)))
  await client.create(SERVICES, plainService(namespace, app))
  await sideBySide([...Array(count).keys()], start)
  return { pods, ref, start }
}

/** Makes a Service for IPv4 with one numeric port, whose pods differ only in their readiness. */
export const plainService = (namespace: string, name: string): Service =>
  makeService({
    namespace,
    name,
    ports: [{ name: 'http', port: 80, targetPort: 8080 }],
    spec: { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
  })

/** Makes a pod as large as real ones: some 3 kB with what the server adds. */
export function plainPod(options: { namespace: string; name: string; app: string; nodeName: string }): Pod {
  const pod = makePod({ ...options, labels: { app: options.app } })
  const env = Array.from({ length: 20 }, (_, index) => ({ name: `VARIABLE_${index}`, value: 'v'.repeat(60) }))
  for (const container of pod.spec?.containers ?? []) Object.assign(container, { env })
  return pod
}

const ZONES = ['zone-a', 'zone-b', 'zone-c']

/** Makes a node with metadata as large as a real one's: 2 kB. */
export function plainNode(index: number): Node {
  const node = makeNode({ name: nodeName(index), zone: ZONES[index % ZONES.length] ?? '' })
  const annotations = { 'example.org/facts': 'f'.repeat(2_000) }
  return { ...node, metadata: { ...node.metadata, annotations } }
}

export const nodeName = (index: number): string => `node-${index}`

/** Returns a different address for each number up to 16 million. */
export const podAddress = (number: number): string =>
  `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
