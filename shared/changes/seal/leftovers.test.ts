import { describe, expect, it } from 'vitest'
import {
  type EndpointSlice,
  IN_TREE_CONTROLLER,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  type Service,
} from '../../endpointslice/index.ts'
import { ANNOTATION_SELECTOR, goesWithService, isOfOtherMode, isOurs, seal } from '../index.ts'

const slice = (managedBy: string, ownerReferences: { kind: string; name: string }[] = []): EndpointSlice => ({
  metadata: {
    name: 'web-a',
    labels: { [LABEL_MANAGED_BY]: managedBy, [LABEL_SERVICE_NAME]: 'web' },
    ownerReferences: ownerReferences.map((owner) => ({ apiVersion: 'v1', uid: 'u', ...owner })),
  },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'] }],
})
const edited = (of: EndpointSlice): EndpointSlice => ({ ...of, endpoints: [] })

describe('a slice that its Service left behind', () => {
  it.each([
    ['that we wrote is ours', seal(slice('sliceflow.dev')), true],
    ['that we wrote and somebody edited is ours', edited(seal(slice('sliceflow.dev'))), true],
    ['with our managed-by value alone is not', slice('sliceflow.dev'), false],
    ['that we wrote in the in-tree controller’s place is ours', seal(slice(IN_TREE_CONTROLLER)), true],
    [
      'that the in-tree controller has written over ours is not',
      edited(seal(slice(IN_TREE_CONTROLLER))),
      false,
    ],
    ['that the in-tree controller made is not', slice(IN_TREE_CONTROLLER), false],
  ])('%s', (_what, of, expected) => {
    expect(isOurs(of)).toBe(expected)
    expect(goesWithService(of)).toBe(expected)
  })

  it.each([
    ['its Service goes with it, whoever made it', { kind: 'Service', name: 'web' }, true],
    ['the Endpoints of its Service goes with it', { kind: 'Endpoints', name: 'web' }, true],
    ['other Endpoints does not', { kind: 'Endpoints', name: 'api' }, false],
    ['another Service does not', { kind: 'Service', name: 'api' }, false],
    ['something else does not', { kind: 'Machine', name: 'web' }, false],
  ])('and that is owned by %s', (_what, owner, expected) => {
    expect(goesWithService(slice(IN_TREE_CONTROLLER, [owner]))).toBe(expected)
  })

  it('and that names no owner at all stays', () => {
    expect(goesWithService({ metadata: { name: 'web-a' }, addressType: 'IPv4', endpoints: [] })).toBe(false)
  })
})

describe('a Service is of the other mode', () => {
  const service = (spec: Service['spec'], annotations: Record<string, string> = {}): Service => ({
    metadata: { name: 'web', namespace: 'shop', annotations },
    spec,
  })

  it.each([
    ['custom', 'with a selector', service({ selector: { app: 'web' } }), true],
    ['custom', 'that lost its annotation', service({}), false],
    ['custom', 'of type ExternalName', service({ selector: { app: 'web' }, type: 'ExternalName' }), false],
    ['replace', 'with the annotation', service({}, { [ANNOTATION_SELECTOR]: 'app=web' }), true],
    ['replace', 'with an annotation that is malformed', service({}, { [ANNOTATION_SELECTOR]: '(' }), true],
    ['replace', 'that lost its selector', service({}), false],
  ] as const)('than %s where it is one %s', (mode, _what, of, expected) => {
    expect(isOfOtherMode(of, mode)).toBe(expected)
  })
})
