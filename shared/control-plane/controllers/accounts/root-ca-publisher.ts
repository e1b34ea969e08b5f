import { annotationsOf, type KubeObject, stringMap } from '../../apimachinery/objects.ts'
import type { ControllerClient } from '../client/controller-client.ts'
import { CONFIG_MAPS, NAMESPACES } from '../client/resources.ts'
import { isEnding, unlessEnding } from '../namespaces/ending-namespaces.ts'
import { Workers } from '../workers.ts'

const NAME = 'kube-root-ca.crt'
const KEY = 'ca.crt'

const DESCRIPTION = 'kubernetes.io/description'
/** Upstream's words, to the letter: clients print them. */
const DESCRIPTION_TEXT =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

/**
 * Keeps the certificate of the server's authority in a ConfigMap of every namespace, where workloads look for
 * it (upstream's root-ca-certificate-publisher-controller). Returns the function that ends it.
 *
 * @param certificate PEM
 */
export function startRootCaPublisher(
  client: ControllerClient,
  certificate: string,
  onError: (error: unknown) => void,
): () => void {
  const queue = new Workers<string>({ work: publish, onError })
  const namespaces = client.follow(NAMESPACES, {}, ({ type, object: { metadata } }) => {
    if (type === 'ADDED') queue.add(metadata.name ?? '', metadata.name ?? '')
  })
  const published = client.follow(
    CONFIG_MAPS,
    { fieldSelector: `metadata.name=${NAME}` },
    ({ object: { metadata } }) => {
      if (metadata.name === NAME) queue.add(metadata.namespace ?? '', metadata.namespace ?? '')
    },
  )

  async function publish(namespace: string): Promise<void> {
    await published.listed
    if (isEnding(namespaces.get('', namespace))) return
    const stored = published.get(namespace, NAME)
    const data = { [KEY]: certificate }
    if (stored === undefined) {
      const metadata = { name: NAME, namespace, annotations: { [DESCRIPTION]: DESCRIPTION_TEXT } }
      const configMap: KubeObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data }
      await unlessEnding(client.create(CONFIG_MAPS, configMap))
    } else if (stringMap(stored.data)[KEY] !== certificate || !annotationsOf(stored)[DESCRIPTION]) {
      const annotations = { ...annotationsOf(stored), [DESCRIPTION]: DESCRIPTION_TEXT }
      await client.update(CONFIG_MAPS, { ...stored, metadata: { ...stored.metadata, annotations }, data })
    }
  }

  return () => {
    namespaces.stop()
    published.stop()
    queue.stop()
  }
}
