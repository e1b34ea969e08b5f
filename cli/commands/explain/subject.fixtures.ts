import { seal } from '../../../shared/changes/index.ts'
import { type EndpointSlice, plan } from '../../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  ENDPOINT_SLICES,
  NAMESPACES,
  NODES,
  PODS,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import {
  createFakePods,
  makeNode,
  makePod,
  makeService,
  type PodInput,
} from '../../../test/support/world/index.ts'
import type { SubjectReport } from '../../explain/index.ts'
import { startCommandFleet } from '../../fleet.fixtures.ts'
import { outputOf } from '../../program.fixtures.ts'

/** Addresses are assigned by hand: a Service of one family, which no cluster IP is needed for. */
export const HEADLESS = { clusterIP: 'None', ipFamilies: ['IPv4'] }

export interface ServiceOptions {
  readonly managedBy?: string
  /** Default: `app=NAME`. */
  readonly selector?: Readonly<Record<string, string>>
}

/**
 * Starts the clusters eu-1 and us-1, each with a namespace `shop` and a Node `node-1`; eu-1 has a namespace
 * `home`, and exports the Service `shop/web` with the address 10.1.0.1.
 */
export async function startClusters() {
  const fleet = await startCommandFleet(['eu-1', 'us-1'])
  const [eu, us] = fleet.clients
  if (eu === undefined || us === undefined) throw new Error('two clusters are needed')
  await eu.create(NAMESPACES, { metadata: { name: 'home' } })
  for (const client of [eu, us]) await client.create(NODES, makeNode({ name: 'node-1' }))
  await eu.patch(
    NODES,
    { name: 'node-1', subresource: 'status' },
    { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] } },
  )

  /** Runs the command over both clusters, and returns its output; rejects with the error of the program. */
  const explain = (...args: readonly string[]): Promise<string> =>
    outputOf('explain', ...fleet.flags, '--mode', 'replace', ...args)

  return {
    ...{ eu, us, explain, kubeconfigs: fleet.kubeconfigs },
    stop: fleet.stop,
    reportOf: async (...args: readonly string[]): Promise<SubjectReport> =>
      JSON.parse(await explain(...args, '-o', 'json')),
    /** Returns the text with single spaces, independent of column widths. */
    wordsOf: async (...args: readonly string[]): Promise<string> =>
      (await explain(...args)).replaceAll(/ +/g, ' '),
    async addPod(
      name: string,
      addresses: readonly string[],
      { ready = true, client = eu, ...pod }: PodInput & { ready?: boolean; client?: ApiClient } = {},
    ): Promise<void> {
      await createFakePods(client).start(makePod({ namespace: 'shop', name, ...pod }), addresses, { ready })
    },
    /** Adds a Service to eu-1, and the slices of what is there for it by now. */
    async addService(
      name: string,
      { managedBy = 'sliceflow.dev', selector = { app: name } }: ServiceOptions = {},
    ): Promise<EndpointSlice[]> {
      const made = makeService({ namespace: 'shop', name, selector, spec: HEADLESS })
      const service = await eu.create(SERVICES, made)
      const { items } = await eu.list(PODS, { namespace: 'shop', labelSelector: `app=${name}` })
      const nodes = (await eu.list(NODES)).items
      const { create } = plan({ service, pods: items, nodes, slices: [] }, { managedBy })
      return Promise.all(create.map((slice) => eu.create(ENDPOINT_SLICES, seal(slice))))
    },
  }
}

let count = 0
/** Returns a name of the test's own. */
export const unique = (name: string): string => `${name}-${++count}`
