import { describe, expect, it } from 'vitest'
import type { Service } from '../../endpointslice/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { createSelect } from './select-service.ts'

const service = (resourceVersion: string, selector: string, uid = 'u'): Service => ({
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid,
    resourceVersion,
    annotations: { 'sliceflow.dev/selector': selector },
  },
  spec: {},
})

describe('the selection of a Service', () => {
  it('is parsed once as long as its version stays', () => {
    const select = createSelect('a', parseSettings({}))
    const first = select(service('1', 'app=web'))
    expect(select(service('1', 'app=web'))).toBe(first)
    expect(select(service('2', 'app=web'))).not.toBe(first)
    expect(select(service('2', 'app=web'))).toEqual(first)
  })

  it('is that of another Service of the same name and version', () => {
    const select = createSelect('a', parseSettings({}))
    select(service('1', 'app=web'))
    expect(select(service('1', 'app in (', 'other'))).toMatchObject({ kind: 'invalid' })
  })
})
