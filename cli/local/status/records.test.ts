import { describe, expect, it } from 'vitest'
import { SliceFightError } from '../../../shared/reconciler/index.ts'
import { createGuardRecord } from './records.ts'

const key = (service: string) => ({ cluster: 'a', namespace: 'shop', service })
const guarded = { acted: { held: 1 }, isBlocked: true }
const fleet = { exports: 1, imports: 1, isInConflict: false, blocked: 1, leftOut: 0 }

describe('what waits for a person', () => {
  it('is a held plan until the Service is reconciled without one', () => {
    const { reconciled, status } = createGuardRecord()
    reconciled({ key: key('web'), guarded })
    reconciled({ key: key('api'), guarded: { ...guarded, acted: {}, isBlocked: false } })
    expect(status()).toEqual({ problems: { held: { total: 1, services: ['shop/web'] } } })
    reconciled({ key: key('web') })
    expect(status()).toEqual({})
  })

  it('is a fight until a reconcile succeeds, whatever fails meanwhile', () => {
    const { reconciled, failed, status } = createGuardRecord()
    failed(key('api'), new Error('no answer'))
    failed(key('web'), new SliceFightError('shop/web', []))
    failed(key('web'), new Error('no answer'))
    expect(status()).toEqual({ problems: { fights: { total: 1, services: ['shop/web'] } } })
    reconciled({ key: key('web') })
    expect(status()).toEqual({})
  })

  it('is an import of a cluster set that is not written', () => {
    const { reconciled, status } = createGuardRecord()
    reconciled({ key: key('web'), fleet })
    expect(status()).toEqual({ problems: { unwritten: { total: 1, services: ['shop/web'] } } })
    reconciled({ key: key('web'), fleet: { ...fleet, blocked: 0 } })
    expect(status()).toEqual({})
  })

  it('names ten of many, and counts all', () => {
    const { reconciled, status } = createGuardRecord()
    for (let index = 0; index < 1_000; index++) reconciled({ key: key(`web-${index}`), guarded })
    const { held } = status().problems ?? {}
    expect(held?.total).toBe(1_000)
    expect(held?.services).toEqual(Array.from({ length: 10 }, (_, index) => `shop/web-${index}`))
  })
})
