import { describe, expect, it } from 'vitest'
import { aService } from '../plan.fixtures.ts'
import { hintModeOf } from './mode.ts'

const OLDER = 'service.kubernetes.io/topology-aware-hints'
const NEWER = 'service.kubernetes.io/topology-mode'

describe('hintModeOf', () => {
  it.each([
    ['PreferClose', 'zone'],
    ['PreferSameZone', 'zone'],
    ['PreferSameNode', 'node'],
    ['SomethingElse', 'none'],
    [undefined, 'none'],
  ])('follows the trafficDistribution %s', (trafficDistribution, mode) => {
    expect(hintModeOf(aService({ trafficDistribution: trafficDistribution as string }))).toBe(mode)
  })

  it.each([
    [{ [NEWER]: 'Auto' }, 'topology'],
    [{ [NEWER]: 'auto' }, 'topology'],
    [{ [NEWER]: 'AUTO' }, 'none'],
    [{ [OLDER]: 'Auto' }, 'topology'],
    [{ [OLDER]: 'Disabled', [NEWER]: 'Auto' }, 'none'],
    [{ [OLDER]: 'Auto', [NEWER]: 'Disabled' }, 'topology'],
  ])('follows the annotations %j', (annotations, mode) => {
    expect(hintModeOf(aService({}, { annotations }))).toBe(mode)
  })

  it('prefers the annotation to the field', () => {
    const service = aService({ trafficDistribution: 'PreferClose' }, { annotations: { [NEWER]: 'Auto' } })
    expect(hintModeOf(service)).toBe('topology')
  })
})
