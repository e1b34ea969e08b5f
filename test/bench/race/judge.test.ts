import { beforeEach, describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import { type ApiObject, NODES, PODS, type Resource, SERVICES } from '../../../shared/kubernetes/index.ts'
import { makeNode, makePod, makePodStatus, makeService, makeSlice } from '../../support/world/index.ts'
import { createJudge, type Judge } from './judge.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { createPublications, type Publications } from './publications.ts'

const SPEC = { clusterIP: '10.0.0.1', ipFamilies: ['IPv4'] }
const POD = { namespace: 'default', name: 'web-1' }
const pod = (ready: boolean, app = 'web'): ApiObject =>
  makePod({ labels: { app }, status: makePodStatus(['10.1.0.1'], { ready }) })
const slice = (ready?: boolean, { name = 's', service = 'web', port = 8080 } = {}): EndpointSlice =>
  makeSlice({
    ...{ name, service, ports: [{ name: 'http', port, protocol: 'TCP' }] },
    endpoints: ready === undefined ? [] : [{ addresses: ['10.1.0.1'], conditions: { ready } }],
  })

describe('the judge, of the writes in the ledger and of the slices that a watch publishes', () => {
  let judge: Judge
  let ledger: Ledger
  let publications: Publications
  let now: number
  /** Notes a write that took 5 ms and ended at this time. */
  const at = (ended: number) => ({ begun: ended - 5, ended })
  const wrote = (ended: number, object: ApiObject, resource: Resource = PODS): void =>
    ledger.wrote(resource, object, at(ended))
  const shown = (time: number, one: EndpointSlice): void => {
    now = time
    publications.put(one)
  }
  const latencies = (): object => Object.fromEntries(judge.judgement().latencies)

  beforeEach(() => {
    judge = createJudge()
    ledger = createLedger(judge)
    publications = createPublications((address, value) => judge.see(address, value, now))
    wrote(0, makeNode(), NODES)
    wrote(0, makeService({ spec: SPEC }), SERVICES)
  })

  it('takes the time from the end of a write to the event after which the address is right, by what became of it', () => {
    wrote(100, pod(false))
    expect([...judge.wrong]).toEqual(['default/web 10.1.0.1'])
    shown(101, slice(false))
    expect([...judge.wrong]).toEqual([])
    wrote(200, pod(true))
    shown(202, slice(true))
    wrote(300, pod(false))
    shown(303, slice(false))
    ledger.terminating(POD, at(400))
    expect([...judge.wrong]).toEqual(['default/web 10.1.0.1'])
    ledger.deleted(PODS, POD, at(500))
    shown(505, slice())
    expect(latencies()).toEqual({ added: [1], ready: [2], 'not ready': [3], gone: [5] })
    expect(judge.judgement().superseded).toBe(1)
    expect([...judge.wrong]).toEqual([])
  })

  it('calls what a write of the Service changes by the Service, which owes nothing new while it is deleted', () => {
    wrote(0, pod(true))
    shown(10, slice(true))
    judge.reset()
    wrote(100, makeService({ ports: [{ name: 'http', port: 80, targetPort: 9090 }], spec: SPEC }), SERVICES)
    shown(130, slice(true, { port: 9090 }))
    ledger.deleted(SERVICES, { namespace: 'default', name: 'web' }, at(200))
    ledger.deleted(PODS, POD, at(210))
    expect([...judge.wrong]).toEqual([])
    wrote(300, makeService({ spec: SPEC }), SERVICES)
    shown(340, slice())
    expect(latencies()).toEqual({ service: [30, 40] })
  })

  it('counts changes that newer ones overtook, or took back, as superseded', () => {
    wrote(100, pod(false))
    wrote(200, pod(true))
    shown(250, slice(true))
    wrote(300, pod(false))
    wrote(400, pod(true))
    expect([...judge.wrong]).toEqual([])
    expect(latencies()).toEqual({ ready: [50] })
    expect(judge.judgement().superseded).toBe(3)
  })

  it('counts an address that is wrong for more than two seconds, over changes that were superseded, too', () => {
    wrote(0, pod(true))
    wrote(1_500, pod(false))
    shown(2_001, slice(false))
    wrote(5_000, pod(true))
    shown(7_000, slice(true))
    expect(judge.judgement().late).toBe(1)
  })

  it('takes an address for right while it moves from one slice to another, unless the two differ', () => {
    wrote(0, pod(true))
    shown(10, slice(true))
    shown(20, slice(true, { name: 'to' }))
    publications.remove(slice())
    expect([...judge.wrong]).toEqual([])
    shown(30, slice(true, { name: 'third', port: 9090 }))
    expect([...judge.wrong]).toEqual(['default/web 10.1.0.1'])
  })
})
