import { expect, it } from 'vitest'
import { compareVersions } from './versions.ts'

it('orders versions by stability, then by number, and others by name behind them', () => {
  const ordered = [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'bar',
    'foo1',
  ]
  expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered)
})
