import { describe, expect, it } from 'vitest'
import type { Service } from '../../endpointslice/index.ts'
import { type Mode, parseSettings, type SettingsInput } from '../../settings/index.ts'
import { ANNOTATION_SELECTOR, permissionsOf, type Selection, selectionOf } from '../index.ts'

const select = (service: Service, mode: Mode, settings: SettingsInput = {}): Selection =>
  selectionOf(service, mode, permissionsOf('eu-1', parseSettings(settings)))

const annotated = (selector: string, spec: Service['spec'] = {}): Service => ({
  metadata: { name: 'cart', annotations: { [ANNOTATION_SELECTOR]: selector } },
  spec,
})

describe('with Endpoints to be mirrored', () => {
  const ON = { mirrorEndpoints: true }

  it.each<[string, Service, Mode]>([
    ['custom', { spec: {} }, 'custom'],
    ['replace', { spec: {} }, 'replace'],
  ])(
    'a Service without a selector is mirrored, and other slices fare as before: %s',
    (_what, service, mode) => {
      expect(select(service, mode, ON)).toEqual({ ...select(service, mode), kind: 'mirrored' })
      expect(select({ spec: { ...service.spec, type: 'ExternalName' } }, mode, ON).kind).toBe('mirrored')
    },
  )

  it.each<[string, Service, Mode]>([
    ['with a selector in custom mode', { spec: { selector: { app: 'web' } } }, 'custom'],
    ['that asks for pods', annotated('app=web'), 'custom'],
    ['that asks for them in vain', annotated('app='), 'custom'],
    ['that asks for pods in the other mode', annotated('app=web'), 'replace'],
    ['that did so and became an ExternalName', annotated('app=web', { type: 'ExternalName' }), 'custom'],
  ])('a Service %s is as without', (_what, service, mode) => {
    expect(select(service, mode, ON)).toEqual(select(service, mode))
  })
})
