import { ANNOTATION_RELEASE } from '../../../../shared/changes/index.ts'
import { LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from '../../../../shared/endpointslice/index.ts'
import { createApiClient, ENDPOINT_SLICES, SERVICES } from '../../../../shared/kubernetes/index.ts'
import { heldSince } from '../../../../shared/reconciler/index.ts'
import { type ClusterOptions, loadCluster } from '../../load-cluster.ts'
import { parseService } from '../../options/service.ts'
import { settingOf } from '../../options/settings.ts'

/** The flags of `release`. */
export interface ReleaseOptions extends ClusterOptions, Readonly<Record<string, unknown>> {
  readonly output: 'text' | 'json'
}

/**
 * Names the hold that the slices tell of on the Service, so that a later one is not released with it.
 * @throws UsageError
 */
export async function runRelease(service: string, options: ReleaseOptions): Promise<void> {
  const managedBy = settingOf('managedBy', options)
  const named = parseService(service)
  const connection = await loadCluster(options)
  const { name, namespace = connection.namespace ?? 'default' } = named
  const client = createApiClient(connection)
  try {
    const labelSelector = `${LABEL_SERVICE_NAME}=${name},${LABEL_MANAGED_BY}=${managedBy}`
    const { items } = await client.list(ENDPOINT_SLICES, { namespace, labelSelector, metadataOnly: true })
    const since = heldSince(items, Date.now())
    if (since !== undefined) {
      const patch = { metadata: { annotations: { [ANNOTATION_RELEASE]: since } } }
      await client.patch(SERVICES, { namespace, name }, patch)
    }
    const outcome = { cluster: client.cluster, namespace, service: name, heldSince: since ?? null }
    process.stdout.write(
      options.output === 'json' ? `${JSON.stringify({ version: 1, ...outcome })}\n` : textOf(outcome),
    )
  } finally {
    client.close()
  }
}

interface Outcome {
  readonly cluster: string
  readonly namespace: string
  readonly service: string
  readonly heldSince: string | null
}

const textOf = ({ cluster, namespace, service, heldSince: since }: Outcome): string =>
  since === null
    ? `no plan of Service ${namespace}/${service} of cluster ${cluster} is held\n`
    : `released the plan of Service ${namespace}/${service} of cluster ${cluster} that was held since ${since}\n`
