import { NAMESPACES, NODES, PODS, SERVICES } from '../../../../shared/kubernetes/index.ts'
import { createRandom } from '../../../support/random.ts'
import { createFakePods } from '../../../support/world/index.ts'
import type { Work } from './index.ts'
import { nodeName, plainNode, plainPod, plainService, podAddress } from './plain-pods.ts'
import { sideBySide } from './side-by-side.ts'

interface CreateSizes {
  readonly namespaces: number
  /** Services of each namespace. */
  readonly services: number
  /** Pods of each Service. */
  readonly pods: number
}

const NODE_COUNT = 10

/**
 * Gives all pods of many Services their addresses and makes them ready, as quickly as the API server takes
 * it.
 */
export const create = ({ namespaces, services, pods }: CreateSizes): Work => ({
  title: `create ${namespaces * services} Services × ${pods} pods`,
  async prepare({ client, report }) {
    const refs = Array.from({ length: namespaces }, (_, index) => `create-${index}`).flatMap((namespace) =>
      Array.from({ length: services }, (_, index) => ({ namespace, app: `web-${index}` })),
    )
    const all = refs.flatMap(({ namespace, app }) =>
      Array.from({ length: pods }, (_, index) => ({ namespace, app, name: `${app}-${index}` })),
    )
    report(`making ${refs.length} Services and ${all.length} pods without addresses`)
    const numbered = all.map((pod, number) => ({ ...pod, number }))
    await sideBySide([...new Set(refs.map(({ namespace }) => namespace))], (name) =>
      client.create(NAMESPACES, { metadata: { name } }),
    )
    await sideBySide([...Array(NODE_COUNT).keys()], (index) => client.create(NODES, plainNode(index)))
    await sideBySide(refs, ({ namespace, app }) => client.create(SERVICES, plainService(namespace, app)))
    await sideBySide(numbered, ({ number, ...pod }) =>
      client.create(PODS, plainPod({ ...pod, nodeName: nodeName(number % NODE_COUNT) })),
    )
    const fake = createFakePods(client)
    const order = createRandom(1).shuffled(numbered)
    return () => sideBySide(order, ({ number, ...pod }) => fake.setStatus(pod, [podAddress(number)]))
  },
})
