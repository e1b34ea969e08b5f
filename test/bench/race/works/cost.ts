import { setTimeout as sleep } from 'node:timers/promises'
import type { CostSize, Work } from './index.ts'
import { makeNumberedPods } from './plain-pods.ts'

const PODS_CHANGED = 10
/** The next change finds the Service at rest. */
const PAUSE_MS = 1_200

/** Makes one pod after the other unready and ready again, each once the change before is published. */
export const cost = ({ pods: count, nodes }: CostSize): Work => ({
  title: `one change, ${count} pods, ${nodes} nodes`,
  async prepare(arena) {
    const { report, right } = arena
    const { pods, ref } = await makeNumberedPods(arena, { namespace: 'cost', count, nodes })
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
