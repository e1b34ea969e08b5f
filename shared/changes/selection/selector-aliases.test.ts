import { describe, expect, it } from 'vitest'
import type { Service } from '../../endpointslice/index.ts'
import { parseSettings, type SettingsInput } from '../../settings/index.ts'
import { permissionsOf } from './permissions.ts'
import { selectionOf } from './selection.ts'
import type { Selection } from './types.ts'

const ALLOWED = {
  allowedPods: '*/*=*/*',
  allowedNetworks: '*/*=0.0.0.0/0',
  allowedAddresses: '*/*=0.0.0.0/0',
}

const withAnnotations = (annotations: Record<string, string>): Service => ({
  metadata: { name: 'cart', namespace: 'shop', annotations },
  spec: {},
})

const select = (service: Service, mode: 'custom' | 'replace', input: SettingsInput): Selection =>
  selectionOf(service, mode, permissionsOf('eu-1', parseSettings(input)))

describe('selectors in annotations of other projects, in custom mode', () => {
  const DANM = 'danm.k8s.io/selector'
  const CALICO = 'extensions.projectcalico.org/selector'
  const ALIASES = { ...ALLOWED, selectorAliases: 'danm,calico' }
  const app = [{ key: 'app', operator: 'in', values: ['web'] }]

  it.each([
    [DANM, '{"app":"web"}'],
    [CALICO, 'app=web'],
  ])('count by a setting alone: %s', (annotation, text) => {
    const service = withAnnotations({ [annotation]: text })
    expect(select(service, 'custom', ALLOWED)).toMatchObject({ kind: 'unmanaged', reason: 'NotAnnotated' })
    expect(select(service, 'custom', ALIASES)).toMatchObject({
      kind: 'managed',
      selector: app,
      alias: annotation,
    })
    expect(select(service, 'replace', ALIASES)).toMatchObject({ kind: 'unmanaged' })
  })

  it('count of the projects that the setting names only', () => {
    const service = withAnnotations({ [CALICO]: 'app=web' })
    expect(select(service, 'custom', { selectorAliases: 'danm' })).toMatchObject({ kind: 'unmanaged' })
  })

  it('ask for all labels of a map, and go with Sliceflow’s other annotations', () => {
    const service = withAnnotations({
      [DANM]: '{"app":"web","tier":"a.b"}',
      'sliceflow.dev/cluster': 'eu-2',
      'sliceflow.dev/network': 'fast',
      'danm.k8s.io/network': 'external',
    })
    expect(select(service, 'custom', ALIASES)).toMatchObject({
      kind: 'managed',
      selector: [...app, { key: 'tier', operator: 'in', values: ['a.b'] }],
      clusters: ['eu-2'],
      network: 'fast',
    })
  })

  it.each(['sliceflow.dev/selector', 'sliceflow.dev/addresses'])('mean nothing beside %s', (own) => {
    const value = own.endsWith('selector') ? 'app=own' : '10.0.0.5'
    const selection = select(withAnnotations({ [own]: value, [DANM]: 'no JSON' }), 'custom', ALIASES)
    expect(selection.kind).toBe(own.endsWith('selector') ? 'managed' : 'static')
    expect(selection).not.toHaveProperty('alias')
  })

  it.each([
    [DANM, 'app=web', 'not a JSON map of labels'],
    [DANM, '["app"]', 'not a JSON map of labels'],
    [DANM, '{"app":1}', 'not a JSON map of labels'],
    [DANM, '{"app":"a,tier=b"}', 'not a JSON map of labels'],
    [DANM, '{}', 'it is empty'],
    [DANM, `{"app":"${'x'.repeat(5000)}"}`, 'characters, and may have 4096'],
    [CALICO, '', 'it is empty'],
    [CALICO, '-x', ''],
    [CALICO, 'a'.repeat(4097), 'it has 4097 characters, and may have 4096'],
  ])('are refused by name when they cannot be used: %s %s', (annotation, text, problem) => {
    expect(select(withAnnotations({ [annotation]: text }), 'custom', ALIASES)).toEqual({
      kind: 'invalid',
      annotation,
      problem: expect.stringContaining(problem),
    })
  })

  it.each([
    [DANM, '{"app":"web"}', 'danm.k8s.io/tenantNetwork'],
    [CALICO, 'app=web', 'extensions.projectcalico.org/network'],
  ])('are refused where %s goes with a network that Sliceflow does not know', (annotation, text, network) => {
    const service = withAnnotations({ [annotation]: text, [network]: 'blue' })
    expect(select(service, 'custom', ALIASES)).toEqual({
      kind: 'invalid',
      annotation: network,
      problem: expect.stringContaining('name it in sliceflow.dev/network'),
    })
  })
})
