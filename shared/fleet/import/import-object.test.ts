import { describe, expect, it } from 'vitest'
import { importUpdate, newImport, type WantedImport } from './import-object.ts'

const wanted: WantedImport = {
  ...{ set: 'default', version: 'v1beta1', namespace: 'shop', name: 'web', writer: 'sliceflow', portsOf: {} },
  ...{ labels: {}, annotations: {}, spec: { type: 'ClusterSetIP', ports: [] } },
}

describe('importUpdate', () => {
  it('adds the addresses of the derived Service and their families, once it has them', () => {
    const addresses = { clusterIPs: ['10.96.0.7', 'fd00::7'], ipFamilies: ['IPv4', 'IPv6'] }
    const existing = newImport(wanted)
    expect(importUpdate(existing, wanted, { spec: { clusterIPs: [''] } })).toBeUndefined()
    const update = importUpdate(existing, wanted, { spec: addresses })
    expect(update?.spec).toMatchObject({ ips: addresses.clusterIPs, ipFamilies: addresses.ipFamilies })
    expect(importUpdate(update ?? {}, wanted, { spec: addresses })).toBeUndefined()
  })
})
