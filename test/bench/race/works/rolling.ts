import { setTimeout as sleep } from 'node:timers/promises'
import { NAMESPACES, NODES, SERVICES } from '../../../../shared/kubernetes/index.ts'
import { runChanges } from '../../../support/change-stream.ts'
import { createRandom } from '../../../support/random.ts'
import { createFakePods } from '../../../support/world/index.ts'
import type { Work } from './index.ts'
import { nodeName, plainNode, plainPod, plainService, podAddress } from './plain-pods.ts'
import { sideBySide } from './side-by-side.ts'

interface RollingSizes {
  readonly pods: number
  /** Pods a second that are replaced. */
  readonly rate: number
}

const NAMESPACE = 'rolling'
const APP = 'web'
const NODE_COUNT = 10
/** Time from the request to end a pod until it is gone. */
const TERMINATION_MS = 1_000

/** Replaces each pod of one Service: a new one is ready, an old one terminating, then gone. */
export const rolling = ({ pods: count, rate }: RollingSizes): Work => ({
  title: `rolling update of ${count} pods at ${rate}/s`,
  async prepare({ client, report }) {
    const pods = createFakePods(client)
    const ref = (number: number): { namespace: string; name: string } => ({
      namespace: NAMESPACE,
      name: `${APP}-${number}`,
    })
    const start = (number: number): Promise<void> =>
      pods.start(plainPod({ ...ref(number), app: APP, nodeName: nodeName(number % NODE_COUNT) }), [
        podAddress(number),
      ])
    report(`making a Service of ${count} pods`)
    await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
    await sideBySide([...Array(NODE_COUNT).keys()], (index) => client.create(NODES, plainNode(index)))
    await client.create(SERVICES, plainService(NAMESPACE, APP))
    await sideBySide([...Array(count).keys()], start)
    const old = createRandom(1).shuffled([...Array(count).keys()])
    let next = count
    return async () => {
      await runChanges({
        rate,
        count,
        report,
        draw: () => ({
          kind: 'replacement',
          object: `pod ${next}`,
          number: next++,
          old: ref(old.pop() ?? 0),
        }),
        async run(replacement) {
          await start(replacement.number)
          await pods.terminate(replacement.old)
          await sleep(TERMINATION_MS)
          await pods.finish(replacement.old)
        },
      })
    }
  },
})
