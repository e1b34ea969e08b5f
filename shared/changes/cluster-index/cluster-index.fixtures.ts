import {
  type EndpointSlice,
  LABEL_SERVICE_NAME,
  LABEL_ZONE,
  type Node,
  type Pod,
  type Service,
} from '../../endpointslice/index.ts'
import type { Change } from '../index.ts'

export const service = (name: string, app: string, more: Partial<Service> = {}): Service => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { selector: { app } },
  ...more,
})

export interface PodOptions {
  app?: string
  ip?: string
  ready?: boolean
  readyTime?: string
  node?: string
  phase?: string
  terminating?: boolean
  version?: string
}

export function pod(name: string, options: PodOptions = {}): Pod {
  const {
    app = 'web',
    ip = '10.0.0.1',
    ready = true,
    node = 'n1',
    phase = 'Running',
    version = '7',
  } = options
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion: version,
      labels: { app },
      ...(options.terminating && { deletionTimestamp: '2026-01-01T00:00:09Z' }),
    },
    spec: { containers: [], nodeName: node },
    status: {
      phase,
      podIPs: ip === '' ? [] : [{ ip }],
      conditions: [
        {
          type: 'Ready',
          status: ready ? 'True' : 'False',
          lastTransitionTime: options.readyTime ?? '2026-01-01T00:00:05Z',
        },
      ],
    },
  }
}

export const node = (name: string, zone: string, more: Partial<Node> = {}): Node => ({
  metadata: { name, labels: { [LABEL_ZONE]: zone } },
  ...more,
})

export const slice = (name: string, of: string): EndpointSlice => ({
  metadata: { name, namespace: 'shop', labels: { [LABEL_SERVICE_NAME]: of } },
  addressType: 'IPv4',
  endpoints: [],
})

export const services = (changes: Change[]): string[] => changes.map((change) => change.service).sort()
