import { expect, it } from 'vitest'
import { FAULT_NAMES, faultySource } from './faults.ts'

it.each(FAULT_NAMES)('the fault %s has its place in the code', (name) => {
  expect(() => faultySource(name)).not.toThrow()
})
