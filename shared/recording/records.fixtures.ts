import type {
  ChangeRecord,
  GoneRecord,
  LostRecord,
  SnapshotRecord,
  StartRecord,
  WriteRecord,
} from './index.ts'

const BY = { v: 1, time: '2026-11-22T03:12:04.123Z', worker: 'host-1' } as const
const SHOP_WEB = { cluster: 'eu-1', namespace: 'shop', service: 'web' } as const

export const A_START: StartRecord = {
  ...BY,
  kind: 'start',
  cluster: 'eu-1',
  share: 1,
  settings: { maxEndpointsPerSlice: 100 },
}

export const A_SNAPSHOT: SnapshotRecord = {
  ...BY,
  ...SHOP_WEB,
  kind: 'snapshot',
  slice: 'web-x7f2k',
  version: '811',
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  endpoints: [
    { addresses: ['10.1.2.3'], targetRef: { kind: 'Pod', namespace: 'shop', name: 'web-7', uid: 'u7' } },
  ],
}

export const A_WRITE: WriteRecord = {
  ...BY,
  ...SHOP_WEB,
  kind: 'write',
  slice: 'web-x7f2k',
  action: 'update',
  addressType: 'IPv4',
  versionBefore: '811',
  versionAfter: '823',
  came: [{ addresses: ['10.1.2.9'], conditions: { ready: true } }],
  went: [{ endpoint: { addresses: ['10.1.2.3'] }, cause: 'Moved', to: 'web-b9s4j' }],
  changed: [
    {
      addresses: ['10.1.2.4'],
      target: 'web-8',
      from: { conditions: { ready: true } },
      to: { conditions: { ready: false }, zone: 'eu-1a' },
    },
  ],
  pods: { 'web-8': '812' },
  trigger: '2026-11-22T03:12:04Z',
  message: { ids: ['m1'], lane: 'live', sentAt: '2026-11-22T03:12:04.001Z', receiveCount: 1 },
  sync: 'hint',
  hold: 'released',
  fights: ['web-c'],
  request: 'r1',
}

export const A_GONE: GoneRecord = { ...BY, ...SHOP_WEB, kind: 'gone', slice: 'web-x7f2k', version: '823' }

export const A_CHANGE: ChangeRecord = {
  ...BY,
  ...SHOP_WEB,
  kind: 'change',
  about: ['pod', 'node'],
  count: 3,
  ages: [40, 3, 1],
  bytes: 240,
  seen: 17,
  lane: 'live',
  trigger: '2026-11-22T03:12:04Z',
  pods: ['web-7'],
}

export const LOST: LostRecord = { ...BY, kind: 'lost', cluster: 'eu-1', count: 12 }
