import { beforeEach, describe, expect, it } from 'vitest'
import { ConnectionError, SilentServerError } from '../../../shared/kubernetes/index.ts'
import { type ClusterOutage, createClusterOutage } from './cluster-outage.ts'

const refused = new ConnectionError('failed to watch', 'ECONNREFUSED')
const silent = new ConnectionError('failed to watch', 'ESILENT')

describe('an outage of a cluster’s watches', () => {
  let reported: string[]
  let clock: number
  let outage: ClusterOutage

  beforeEach(() => {
    reported = []
    clock = 0
    outage = createClusterOutage({
      onLong: () => reported.push('long'),
      onOver: () => reported.push('over'),
      silenceMs: 80_000,
      now: () => clock,
    })
  })

  it('of less than 30 s is none', () => {
    outage.failed('pods', refused)
    clock = 29_999
    outage.recovered('pods')
    expect(reported).toEqual([])
  })

  it('of 30 s is reported when it has lasted for that time, and when it is over', () => {
    outage.failed('pods', refused)
    clock = 30_000
    outage.failed('pods', refused)
    expect(reported).toEqual(['long'])
    expect(outage.isLong()).toBe(true)
    clock = 90_000
    outage.recovered('pods')
    expect(reported).toEqual(['long', 'over'])
    expect(outage.isLong()).toBe(false)
  })

  it('is long at once where a server was silent for longer', () => {
    outage.failed('pods', new SilentServerError('silent', 45_000))
    expect(reported).toEqual(['long'])
  })

  it('lasts until the last watch works again', () => {
    outage.failed('pods', refused)
    clock = 20_000
    outage.failed('nodes', refused)
    outage.recovered('pods')
    clock = 30_000
    outage.recovered('nodes')
    expect(reported).toEqual(['long', 'over'])
  })

  it('began with the silence of a watch that was silently dead', () => {
    clock = 80_000
    outage.failed('pods', silent)
    outage.recovered('pods')
    expect(reported).toEqual(['long', 'over'])
  })

  it('began with the earliest failure, though another one was reported before', () => {
    clock = 75_000
    outage.failed('nodes', refused)
    expect(reported).toEqual([])
    // Silent since 0 s.
    clock = 80_000
    outage.failed('pods', silent)
    expect(reported).toEqual(['long'])
  })

  it('does not start again with a later failure', () => {
    outage.failed('pods', refused)
    for (clock = 10_000; clock < 30_000; clock += 5_000) outage.failed('nodes', refused)
    outage.failed('nodes', refused)
    expect(reported).toEqual(['long'])
  })

  it('is reported once each time it comes', () => {
    for (let time = 1; time <= 3; time++) {
      outage.failed('pods', refused)
      outage.failed('nodes', refused)
      clock += 30_000
      for (let probe = 0; probe < 5; probe++) expect(outage.isLong()).toBe(true)
      outage.recovered('nodes')
      outage.recovered('nodes')
      expect(reported).toHaveLength(2 * time - 1)
      outage.recovered('pods')
      expect(reported).toHaveLength(2 * time)
      clock += 1_000_000
      expect(outage.isLong()).toBe(false)
    }
  })

  it('is a new one after the watches worked', () => {
    outage.failed('pods', refused)
    outage.recovered('pods')
    clock = 40_000
    outage.failed('pods', refused)
    outage.recovered('pods')
    expect(reported).toEqual([])
  })
})
