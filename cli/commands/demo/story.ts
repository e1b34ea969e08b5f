import { setTimeout as sleep } from 'node:timers/promises'
import { counted } from '../../terminal/index.ts'
import type { Figures } from './figures.ts'
import type { Narrator } from './narrator.ts'
import { type Scene, ZONES } from './scene.ts'

const PODS = 120
const ROLLING_STEP = 12
/** Between the steps of a rolling update, in milliseconds: so that the slices visibly follow it. */
const STEP_MS = 150
/** Milliseconds between chapters: time to read, and longer than the delay of a key. */
const PAUSE_MS = 700

interface Stage {
  readonly scene: Scene
  readonly figures: Figures
  readonly narrator: Narrator
}

/** Shows the main job in seven chapters. If the slices are wrong after one, it stops with the differences. */
export async function showStory(stage: Stage): Promise<void> {
  const { scene } = stage
  const old = podNames('web-7f9c', PODS)
  const fresh = podNames('web-d41e', PODS)

  await chapter(stage, `a Service "web" and ${PODS} pods in three zones`, ['web'], async () => {
    await scene.addService('web', 'app=web')
    await scene.startPods(old, { app: 'web' })
  })
  await chapter(stage, `a rolling update, ${ROLLING_STEP} pods at a time`, ['web'], async () => {
    for (let done = 0; done < PODS; done += ROLLING_STEP) {
      await scene.startPods(fresh.slice(done, done + ROLLING_STEP), { app: 'web' })
      await scene.stopPods(old.slice(done, done + ROLLING_STEP))
      await sleep(STEP_MS)
    }
  })
  await chapter(stage, '9 pods cease to be ready', ['web'], () => scene.setReady(fresh.slice(0, 9), false))
  await chapter(stage, 'and are ready again', ['web'], () => scene.setReady(fresh.slice(0, 9), true))
  await chapter(stage, `a node of ${ZONES[1]} disappears: the state of its pods is unknown`, ['web'], () =>
    scene.removeNode(`${ZONES[1]}-node-1`),
  )
  await chapter(
    stage,
    'a label moves a pod from "web" to a Service "canary"',
    ['web', 'canary'],
    async () => {
      await scene.addService('canary', 'app=canary')
      await scene.relabel(fresh[0] ?? '', { app: 'canary' })
    },
  )
  await chapter(stage, 'the Service "web" is deleted, and its slices go with it', ['web', 'canary'], () =>
    scene.removeService('web'),
  )
}

const podNames = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`)

async function chapter(
  { scene, figures, narrator }: Stage,
  title: string,
  services: readonly string[],
  happen: () => Promise<void>,
): Promise<void> {
  await sleep(PAUSE_MS)
  narrator.chapter(title)
  const before = { ...figures.totals }
  await happen()
  const began = performance.now()
  await scene.untilRight()
  const settled = Math.round(performance.now() - began)
  await figures.untilHandled()
  narrator.line(`${difference(before, figures.totals)}; right ${settled} ms after the last change`)
  for (const service of services) narrator.published(service, await scene.published(service))
}

function difference(before: Figures['totals'], after: Figures['totals']): string {
  const { events, keys, batches, writes } = after
  return [
    counted(events - before.events, 'event'),
    counted(keys - before.keys, 'key'),
    counted(batches - before.batches, 'batch'),
    counted(writes - before.writes, 'write'),
  ].join(' → ')
}
