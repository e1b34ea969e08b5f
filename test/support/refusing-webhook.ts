import { startWebhookServer } from '../../shared/control-plane/testing/webhook-server.ts'
import { LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import type { ApiClient, ApiObject, Resource } from '../../shared/kubernetes/index.ts'

interface Configuration extends ApiObject {
  readonly webhooks: readonly object[]
}

const CONFIGURATIONS: Resource<Configuration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
  namespaced: false,
}

/**
 * 80 kB in which a token seems to begin at every fourth character: a search for its end from each of
 * these places reads the text some thousand times.
 */
const LONG_REFUSAL = 'eyJ-'.repeat(20_000)

interface RefusedSlices {
  readonly namespace: string
  /** Service whose slices are refused; default: every one. */
  readonly service?: string
}

/** A validating webhook on this machine that refuses slices. */
export interface RefusingWebhook {
  /** Writes that it has refused. */
  readonly refusals: number
  /** Takes it from the cluster, and ends it. */
  close(): Promise<void>
}

/**
 * Registers a webhook that refuses with `LONG_REFUSAL`. An API server learns of it by a watch of its own,
 * soon after.
 */
export async function startRefusingWebhook(
  client: ApiClient,
  { namespace, service }: RefusedSlices,
): Promise<RefusingWebhook> {
  let refusals = 0
  const server = await startWebhookServer(({ request: { uid } }) => {
    refusals++
    const response = { uid, allowed: false, status: { code: 403, message: LONG_REFUSAL } }
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
  })
  const name = `${namespace}.example.org`
  await client.create(CONFIGURATIONS, {
    metadata: { name },
    webhooks: [
      {
        name: `slices.${name}`,
        clientConfig: { url: server.url, caBundle: server.caBundle },
        rules: [
          {
            apiGroups: ['discovery.k8s.io'],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['endpointslices'],
          },
        ],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        ...(service !== undefined && { objectSelector: { matchLabels: { [LABEL_SERVICE_NAME]: service } } }),
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
      },
    ],
  })
  return {
    get refusals() {
      return refusals
    },
    async close() {
      await client.delete(CONFIGURATIONS, { name })
      await server.close()
    },
  }
}
