import { rm } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { drawRounds, type Outcome, playHistory, type Round } from './history.ts'
import { shrink } from './shrink.ts'
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
    expect(await lateIn({ ...SCENE, boundSeconds: BUSY_SECONDS }, 4)).toEqual([])
  })

  it('has a late key if the relay sends none but those of its sweeps', async ({ expect }) => {
    const scene: Scene = { ...SCENE, fault: 'no-live' }
    const { late, folder } = await playHistory(scene, drawRounds(scene).take(1))
    if (folder !== undefined) await rm(folder, { recursive: true })
    expect(late).toContainEqual(expect.stringContaining('is missing'))
  })

  it('is the same with the same seed, and another with another', ({ expect }) => {
    const drawn = (seed: number) => [...drawRounds({ ...SCENE, seed }).take(5)]
    expect(drawn(1)).toEqual(drawn(1))
    expect(drawn(1)).not.toEqual(drawn(2))
  })
})

it('a history that fails is cut down to the steps that make it fail', async () => {
  const culprits = [7, 40]
  const play = async (_: Scene, rounds: readonly Round[]): Promise<Outcome> => {
    const numbers = rounds.flat().map(({ number }) => number)
    const fails = culprits.every((culprit) => numbers.includes(culprit))
    return { rounds, lines: [], slowest: 0, late: fails ? ['late'] : [] }
  }
  const failed = await play(SCENE, [...drawRounds(SCENE).take(6)])
  const { rounds } = await shrink(SCENE, failed, { minutes: 1, play })
  expect(rounds.flat().map(({ number }) => number)).toEqual(culprits)
})
