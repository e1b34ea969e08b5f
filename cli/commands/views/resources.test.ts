import { describe, expect, it } from 'vitest'
import type { JsonObject, ViewKind } from '../../../shared/views/index.ts'
import { viewResource } from './resources.ts'

const kind = (name: string, ...fields: readonly string[]): ViewKind => ({
  group: 'op.view.dcontroller.io',
  version: 'v1alpha1',
  kind: name,
  fields,
})
const cells = (spec: JsonObject | string, ...fields: readonly string[]): unknown[] =>
  viewResource(kind('V', ...fields)).table?.cells({ metadata: { name: 'web-TCP-80' }, spec } as never, 0) ??
  []

describe('the resource of a view', () => {
  it.each([
    ['EndpointView', 'endpointviews', 'endpointview'],
    ['Proxy', 'proxies', 'proxy'],
    ['Ingress', 'ingresses', 'ingress'],
  ])('%s is called %s and %s', (name, plural, singular) => {
    expect(viewResource(kind(name))).toMatchObject({ plural, singular, kind: name, namespaced: true })
  })

  it('has a column for each field, headed as kubectl heads its own', () => {
    const { table } = viewResource(kind('V', 'serviceName', 'targetPort', 'type'))
    expect(table?.columns.map(({ name }) => name)).toEqual([
      'Name',
      'Service-Name',
      'Target-Port',
      'Type',
      'Age',
    ])
  })

  it('shows values of any kind in little room', () => {
    const spec = { list: [1, 'b', true, 4, 5], none: null, empty: [], map: { a: 1 }, text: 'x'.repeat(100) }
    expect(cells(spec, 'list', 'none', 'empty', 'map', 'text', 'absent').slice(1, -1)).toEqual([
      '1,b,true + 2 more...',
      '<none>',
      '<none>',
      '{"a":1}',
      `${'x'.repeat(60)}...`,
      '<none>',
    ])
    expect(cells('no map', 'a').slice(1, -1)).toEqual(['<none>'])
  })
})
