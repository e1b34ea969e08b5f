import { expect, it } from 'vitest'
import { drawRounds, playHistory } from './history.ts'
import type { Scene } from './world.ts'

/** Seconds for what a machine does in less than 10 that is not busy with other tests. */
const BUSY_SECONDS = 40
const TIMEOUT_MS = 180_000
const SCENE: Scene = {
  seed: 1,
  servers: 'embedded',
  mode: 'custom',
  clusters: 1,
  boundSeconds: BUSY_SECONDS,
}

it('a random history has no late key', { timeout: TIMEOUT_MS }, async () => {
  const { late, lines, folder } = await playHistory(SCENE, drawRounds(SCENE).take(3))
  expect(late.length === 0 ? [] : [...lines, ...late, `logs: ${folder}`]).toEqual([])
})
