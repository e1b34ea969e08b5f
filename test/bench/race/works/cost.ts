import { setTimeout as sleep } from 'node:timers/promises'
import { NAMESPACES, NODES, SERVICES } from '../../../../shared/kubernetes/index.ts'
import { createFakePods } from '../../../support/world/index.ts'
import type { CostSize, Work } from './index.ts'
import { nodeName, plainNode, plainPod, plainService, podAddress } from './plain-pods.ts'
import { sideBySide } from './side-by-side.ts'

const NAMESPACE = 'cost'
const APP = 'web'
const PODS_CHANGED = 10
/** The next change finds the Service at rest. */
const PAUSE_MS = 1_200

/** Makes one pod after the other unready and ready again, each once the change before is published. */
export const cost = ({ pods: count, nodes }: CostSize): Work => ({
  title: `one change, ${count} pods, ${nodes} nodes`,
  async prepare({ client, report, right }) {
    const pods = createFakePods(client)
    const ref = (number: number): { namespace: string; name: string } => ({
      namespace: NAMESPACE,
      name: `${APP}-${number}`,
    })
    report(`making ${nodes} nodes and a Service of ${count} pods`)
    await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
    await sideBySide([...Array(nodes).keys()], (index) => client.create(NODES, plainNode(index)))
    await client.create(SERVICES, plainService(NAMESPACE, APP))
    await sideBySide([...Array(count).keys()], (number) =>
      pods.start(plainPod({ ...ref(number), app: APP, nodeName: nodeName(number % nodes) }), [
        podAddress(number),
      ]),
    )
    const step = Math.max(1, Math.floor(count / PODS_CHANGED))
    const changed = Array.from({ length: PODS_CHANGED }, (_, index) => (index * step) % count)
    return async () => {
      for (const ready of [false, true]) {
        report(`${changed.length} pods become ${ready ? 'ready again' : 'not ready'}`)
        for (const number of changed) {
          await pods.setReady(ref(number), ready)
          await right()
          await sleep(PAUSE_MS)
        }
      }
    }
  },
})
