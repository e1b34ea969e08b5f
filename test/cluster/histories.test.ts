import { expect, it } from 'vitest'
import { drawRounds, playHistory } from '../histories/history.ts'

it('a random history on kube-apiserver has no late key', async () => {
  const scene = { seed: 3, servers: 'real', mode: 'replace', clusters: 1, boundSeconds: 40 } as const
  const { late, lines, folder } = await playHistory(scene, drawRounds(scene).take(8))
  expect(late.length === 0 ? [] : [...lines, ...late, `logs: ${folder}`]).toEqual([])
})
