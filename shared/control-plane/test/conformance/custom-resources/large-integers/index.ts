import { describe } from 'vitest'
import type { Scene } from '../scene.ts'
import { describeJudgement } from './judgement.ts'
import { useLedgers } from './ledgers.ts'
import { describeWrites } from './writes.ts'

/** Describes integers of 64 bits, most of which are not float64. */
export function describeLargeIntegers(scene: Scene): void {
  describe('large integers', () => {
    const ledgers = useLedgers(scene)
    describeWrites(ledgers)
    describeJudgement(ledgers)
  })
}
