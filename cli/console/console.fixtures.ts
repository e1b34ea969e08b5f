import { type Endpoint, type EndpointSlice, LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, NAMESPACES } from '../../shared/kubernetes/index.ts'
import { startConnectedCluster } from '../../test/support/kubeconfig-folder.ts'
import { createMetrics, createStatusRecord, type Metrics, type StatusRecord } from '../local/index.ts'
import { type Console, createConsole } from './index.ts'

/**
 * A console of an embedded cluster, and all that feeds it. The cluster has the namespace `shop`; nothing
 * reconciles.
 */
export interface ConsoleScene {
  /** The cluster's. */
  readonly name: string
  readonly client: ApiClient
  readonly metrics: Metrics
  readonly record: StatusRecord
  readonly page: Console
  /** Starts another console of the same, as after a restart. */
  restart(token?: string): Promise<Console>
  stop(): Promise<void>
}

export async function openConsoleScene(token?: string): Promise<ConsoleScene> {
  const { connection, client, stop } = await startConnectedCluster()
  const clusters = [connection]
  await client.create(NAMESPACES, { metadata: { name: 'shop' } })
  const metrics = createMetrics()
  const record = createStatusRecord([connection.name])
  const opened: Console[] = []
  const open = async (known?: string): Promise<Console> => {
    const settings = { mode: 'custom', managedBy: 'sliceflow.dev', shadow: false } as const
    const { registry } = metrics
    const page = await createConsole({ clusters, settings, registry, status: record.document, token: known })
    opened.push(page)
    return page
  }
  return {
    name: connection.name,
    client,
    metrics,
    record,
    page: await open(token),
    restart: open,
    async stop() {
      for (const page of opened) await page.stop()
      await stop()
    },
  }
}

/** Makes a slice of the Service shop/web, whose endpoints are as ready as the letters say: `r`, `u`, `t`. */
export const sliceOfWeb = (name: string, cells: string, managedBy = 'sliceflow.dev'): EndpointSlice => ({
  metadata: {
    namespace: 'shop',
    name,
    labels: { [LABEL_SERVICE_NAME]: 'web', 'endpointslice.kubernetes.io/managed-by': managedBy },
  },
  addressType: 'IPv4',
  endpoints: [...cells].map(
    (state, index): Endpoint => ({
      addresses: [`10.0.0.${index + 1}`],
      conditions: { ready: state === 'r', serving: state !== 'u', terminating: state === 't' },
    }),
  ),
  ports: [{ name: 'http', port: 80 }],
})

/** Writes it as it is to be, whether or not it is there. */
export async function putSlice(client: ApiClient, slice: EndpointSlice): Promise<void> {
  const { namespace, name = '' } = slice.metadata ?? {}
  const found = await client.get(ENDPOINT_SLICES, { namespace, name }).catch(() => undefined)
  if (found === undefined) await client.create(ENDPOINT_SLICES, slice)
  else await client.update(ENDPOINT_SLICES, { ...found, endpoints: slice.endpoints })
}
