import { rm } from 'node:fs/promises'
import { describe, it } from 'vitest'
import { drawRounds, playHistory } from './history.ts'
import type { Scene } from './world.ts'

const SCENE: Scene = { seed: 1, servers: 'embedded', mode: 'custom', clusters: 1 }

/** Plays this many rounds. Returns what was late, and what was done before. */
async function lateIn(scene: Scene, rounds: number): Promise<readonly string[]> {
  const { late, lines, folder } = await playHistory(scene, drawRounds(scene).take(rounds))
  return late.length === 0 ? [] : [...lines, ...late, `logs: ${folder}`]
}

/** Seconds for what a machine does in less than 10 that is not busy with other tests. */
const BUSY_SECONDS = 40
const TIMEOUT_MS = 180_000

describe.concurrent('a random history', { timeout: TIMEOUT_MS }, () => {
  it('has no late key', async ({ expect }) => {
    expect(await lateIn({ ...SCENE, boundSeconds: BUSY_SECONDS }, 3)).toEqual([])
  })

  it('has a late key if the relay sends none but those of its sweeps', async ({ expect }) => {
    const scene: Scene = { ...SCENE, fault: 'no-live', boundSeconds: 5 }
    const { late, folder } = await playHistory(scene, drawRounds(scene).take(1))
    if (folder !== undefined) await rm(folder, { recursive: true })
    expect(late).toContainEqual(expect.stringContaining('is missing'))
  })
})
