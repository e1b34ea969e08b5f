import { describe, expect, it } from 'vitest'
import { fleetKey } from '../../cluster-sets/index.ts'
import { createFleetCache } from './fleet-cache.ts'

const NAMES = new Map([['eu', 'eu']])
const keyOf = (service: string) => fleetKey('default', 'shop', service)

/** @param metadata of the Service that is exported */
const stateWith = (metadata: { annotations?: Record<string, string> }) => ({
  imports: new Map(),
  exports: new Map([['eu', { export: { metadata: {} }, service: { metadata }, slices: [] }]]),
})

function keptOf(services: number, annotations: Record<string, string>): number {
  const cache = createFleetCache(() => 0)
  const names = Array.from({ length: services }, (_, number) => `web-${number}`)
  for (const name of names) cache.keep(keyOf(name), stateWith({ annotations }))
  return names.filter((name) => cache.find({ ...keyOf(name), fleetVersions: {} }, NAMES) !== undefined).length
}

describe('what is kept of the Services of a cluster set', () => {
  it('are thousands of them', () => {
    expect(keptOf(2_000, {})).toBe(2_000)
  })

  it('does not count for a message of another history', () => {
    const cache = createFleetCache(() => 0)
    const message = { ...keyOf('web'), fleetVersions: {}, history: 'first' }
    cache.keep(message, stateWith({}))
    expect(cache.find(message, NAMES)).toBeDefined()
    expect(cache.find({ ...message, history: 'restored' }, NAMES)).toBeUndefined()
  })

  it('are fewer where their annotations are large, as a cluster chooses these', () => {
    expect(keptOf(2_000, { note: 'x'.repeat(250_000) })).toBeLessThan(100)
  })
})
