import { expect, test } from 'vitest'
import { createControlPlane } from './control-plane.ts'
import type { ControlPlaneOptions } from './options.ts'

test.each<[string, ControlPlaneOptions]>([
  ['storage.historyWindow must be a whole number, 0 or more, not -1', { storage: { historyWindow: -1 } }],
  ['storage.historyWindow must be a whole number, 0 or more, not 0.5', { storage: { historyWindow: 0.5 } }],
  ['eventTtlSeconds must be a number above 0, not NaN', { eventTtlSeconds: Number.NaN }],
  ['eventTtlSeconds must be a number above 0, not 0', { eventTtlSeconds: 0 }],
  ['limits.reads must be a whole number, 0 or more, not Infinity', { limits: { reads: Infinity } }],
  ['limits.timeoutSeconds must be a number above 0, not -5', { limits: { timeoutSeconds: -5 } }],
])('a control plane is not made where %s', async (problem, options) => {
  await expect(createControlPlane(options)).rejects.toThrow(`failed to make a control plane: ${problem}`)
})

test('a control plane is made with the least that options allow', async () => {
  const least = { storage: { historyWindow: 0 }, eventTtlSeconds: 0.001, limits: { reads: 0, writes: 0 } }
  const controlPlane = await createControlPlane(least)
  await controlPlane.close()
})
