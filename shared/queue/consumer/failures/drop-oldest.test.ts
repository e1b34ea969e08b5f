import { expect, it } from 'vitest'
import { createDelayedKeys } from './delayed-keys.ts'
import { createFailingSince } from './failing-since.ts'

const failing = createFailingSince<number>()
const delayed = createDelayedKeys<number>()

it.each([
  ['failing', (key: number) => failing.note(key, 'Forbidden'), () => failing.size],
  ['delayed keys', (key: number) => delayed.delay(key, ['m'], 900), () => delayed.size],
])('keeps no more than 50,000 %s, whatever keys come', (_, note, size) => {
  for (let key = 0; key < 60_000; key++) note(key)
  expect(size()).toBe(50_000)
})
