import { expect, it } from 'vitest'
import { createParkedKeys } from './delayed-keys.ts'
import { createRefusals } from './failing-since.ts'

const refusals = createRefusals<number>()
const parked = createParkedKeys<number>()

it.each([
  ['refusals', (key: number) => refusals.note(key, 'Forbidden'), () => refusals.size],
  ['parked keys', (key: number) => parked.park(key, ['m'], 900), () => parked.size],
])('keeps no more than 50,000 %s, whatever keys come', (_, note, size) => {
  for (let key = 0; key < 60_000; key++) note(key)
  expect(size()).toBe(50_000)
})
