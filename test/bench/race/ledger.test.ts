import { beforeEach, describe, expect, it } from 'vitest'
import { type ApiObject, NODES, PODS, type Resource, SERVICES } from '../../../shared/kubernetes/index.ts'
import { makeNode, makePod, makePodStatus, makeService } from '../../support/world/index.ts'
import { createLedger, type Ledger } from './ledger.ts'

const WRITE = { begun: 0, ended: 1 }
const IPV4 = { clusterIP: '10.0.0.1', ipFamilies: ['IPv4'] }
const pod = (ready: boolean, app = 'web'): ApiObject =>
  makePod({ labels: { app }, status: makePodStatus(['10.1.0.1'], { ready }) })

describe('the ledger', () => {
  let owed: Record<string, string | undefined>
  let causes: string[]
  let ledger: Ledger
  const wrote = (resource: Resource, object: ApiObject): void => ledger.wrote(resource, object, WRITE)
  beforeEach(() => {
    owed = {}
    causes = []
    ledger = createLedger({
      owe: (address, value, { of }) => {
        owed[address] = value
        causes.push(of)
      },
    })
    wrote(NODES, makeNode())
    wrote(SERVICES, makeService({ spec: IPV4 }))
  })

  it('owes a pod’s address to every Service that selects it', () => {
    wrote(SERVICES, makeService({ name: 'also', selector: { app: 'web' }, spec: IPV4 }))
    wrote(PODS, pod(true))
    expect(owed).toEqual({
      'default/web 10.1.0.1': 'ready http:8080/TCP',
      'default/also 10.1.0.1': 'ready http:8080/TCP',
    })
  })

  it('owes a pod that ends gracefully as terminating until it is gone', () => {
    wrote(PODS, pod(true))
    const ref = { namespace: 'default', name: 'web-1' }
    ledger.terminating(ref, WRITE)
    expect(owed).toEqual({ 'default/web 10.1.0.1': 'terminating not ready http:8080/TCP' })
    ledger.deleted(PODS, ref, WRITE)
    expect(owed).toEqual({ 'default/web 10.1.0.1': undefined })
  })

  it('moves an address when its pod’s labels change', () => {
    wrote(SERVICES, makeService({ name: 'other', spec: IPV4 }))
    wrote(PODS, pod(true))
    wrote(PODS, pod(true, 'other'))
    expect(owed).toEqual({
      'default/web 10.1.0.1': undefined,
      'default/other 10.1.0.1': 'ready http:8080/TCP',
    })
  })

  it('owes all of a Service’s addresses anew when it changes', () => {
    wrote(PODS, pod(false))
    wrote(SERVICES, makeService({ ports: [{ name: 'http', port: 80, targetPort: 9090 }], spec: IPV4 }))
    expect(owed).toEqual({ 'default/web 10.1.0.1': 'not ready http:9090/TCP' })
    expect(causes).toEqual(['pod', 'service'])
  })

  it('says nothing of a deleted Service until it is made again, then also of what was lost meanwhile', () => {
    wrote(PODS, pod(true))
    ledger.deleted(SERVICES, { namespace: 'default', name: 'web' }, WRITE)
    ledger.deleted(PODS, { namespace: 'default', name: 'web-1' }, WRITE)
    expect(owed).toEqual({ 'default/web 10.1.0.1': 'ready http:8080/TCP' })
    wrote(SERVICES, makeService({ spec: IPV4 }))
    expect(owed).toEqual({ 'default/web 10.1.0.1': undefined })
  })
})
