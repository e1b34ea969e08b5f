import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../cases.fixtures.ts'
import { loadSpec, viewKinds } from '../index.ts'

describe('the kinds of a spec’s views', () => {
  it('have the fields of the last projection that names any', () => {
    const common = { group: 'shop.view.dcontroller.io', version: 'v1alpha1' }
    expect(viewKinds(loadSpec(ENDPOINTS, { name: 'shop' }))).toEqual([
      { ...common, kind: 'ServiceView', fields: ['serviceName', 'type', 'ports'] },
      {
        ...common,
        kind: 'EndpointView',
        fields: ['serviceName', 'type', 'protocol', 'port', 'targetPort', 'address'],
      },
    ])
  })

  it('have no fields where the spec copies objects as they are, and no kinds of the API among them', () => {
    const spec = loadSpec(`
controllers:
  - { name: a, sources: [{ kind: Input }], target: { kind: Copy } }
  - { name: b, sources: [{ apiGroup: "", kind: Pod }], target: { apiGroup: "", kind: ConfigMap } }
`)
    expect(viewKinds(spec).map(({ kind, fields }) => [kind, fields])).toEqual([
      ['Input', []],
      ['Copy', []],
    ])
  })
})
