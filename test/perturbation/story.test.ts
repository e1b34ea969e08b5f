import { describe, expect, it } from 'vitest'
import { createRandom } from '../support/random.ts'
import { createStory, STEP_KINDS, type Step } from './story.ts'

function tell(seed: number, namespace = 'one'): readonly Step[] {
  const story = createStory({ namespace, mode: 'custom', random: createRandom(seed) })
  return [story.beginning, ...Array.from({ length: 100 }, () => story.next()), story.passing(), story.nudge()]
}
const words = (steps: readonly Step[]): string[] => steps.map(({ kind, what }) => `${kind}: ${what}`)

describe('a story', () => {
  it('is the same with the same seed wherever it is told, and another one with another seed', () => {
    expect(words(tell(1, 'two'))).toEqual(words(tell(1)))
    expect(words(tell(2))).not.toEqual(words(tell(1)))
  })

  it('has steps of every kind', () => {
    expect(new Set(tell(3).map(({ kind }) => kind))).toEqual(new Set(STEP_KINDS))
  })

  it('ends with a change of a Service that exists, however many were deleted', () => {
    for (let seed = 0; seed < 50; seed++)
      expect(words(tell(seed)).at(-1)).toMatch(/^relabel: service-(labels|toggle) of service svc-\d$/)
  })
})
