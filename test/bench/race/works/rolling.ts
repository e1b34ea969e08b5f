import { setTimeout as sleep } from 'node:timers/promises'
import { runChanges } from '../../../support/change-stream.ts'
import { createRandom } from '../../../support/random.ts'
import type { Work } from './index.ts'
import { makeNumberedPods } from './plain-pods.ts'

interface RollingSizes {
  readonly pods: number
  /** Pods a second that are replaced. */
  readonly rate: number
}

const NODE_COUNT = 10
/** Time from the request to end a pod until it is gone. */
const TERMINATION_MS = 1_000

/** Replaces each pod of one Service: a new one is ready, an old one terminating, then gone. */
export const rolling = ({ pods: count, rate }: RollingSizes): Work => ({
  title: `rolling update of ${count} pods at ${rate}/s`,
  async prepare(arena) {
    const { report } = arena
    const { pods, ref, start } = await makeNumberedPods(arena, {
      namespace: 'rolling',
      count,
      nodes: NODE_COUNT,
    })
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
