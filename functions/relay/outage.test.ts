import { beforeEach, describe, expect, it } from 'vitest'
import { ConnectionError } from '../../shared/kubernetes/index.ts'
import { createOutage, type Outage } from './outage.ts'

const refused = new ConnectionError('failed to watch', 'ECONNREFUSED')
const silent = new ConnectionError('failed to watch', 'ESILENT')

describe('an outage of a cluster’s watches', () => {
  let told: string[]
  let clock: number
  let outage: Outage

  beforeEach(() => {
    told = []
    clock = 0
    outage = createOutage({
      onLong: () => told.push('long'),
      onOver: () => told.push('over'),
      silenceMs: 80_000,
      now: () => clock,
    })
  })

  it('of less than 30 s is none', () => {
    outage.failed('pods', refused)
    clock = 29_999
    outage.recovered('pods')
    expect(told).toEqual([])
  })

  it('of 30 s is told when it has lasted so long, and when it is over', () => {
    outage.failed('pods', refused)
    clock = 30_000
    outage.failed('pods', refused)
    expect(told).toEqual(['long'])
    expect(outage.isLong()).toBe(true)
    clock = 90_000
    outage.recovered('pods')
    expect(told).toEqual(['long', 'over'])
    expect(outage.isLong()).toBe(false)
  })

  it('is told though no further try failed meanwhile', () => {
    outage.failed('pods', refused)
    clock = 30_000
    expect(outage.isLong()).toBe(true)
    outage.recovered('pods')
    expect(told).toEqual(['long', 'over'])
  })

  it('lasts until the last watch works again', () => {
    outage.failed('pods', refused)
    clock = 20_000
    outage.failed('nodes', refused)
    outage.recovered('pods')
    clock = 30_000
    outage.recovered('nodes')
    expect(told).toEqual(['long', 'over'])
  })

  it('began with the silence of a watch that was silently dead', () => {
    clock = 80_000
    outage.failed('pods', silent)
    outage.recovered('pods')
    expect(told).toEqual(['long', 'over'])
  })

  it('is a new one after the watches worked', () => {
    outage.failed('pods', refused)
    outage.recovered('pods')
    clock = 40_000
    outage.failed('pods', refused)
    outage.recovered('pods')
    expect(told).toEqual([])
  })
})
