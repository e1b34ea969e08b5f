import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ENDPOINT_LISTS } from './cases.fixtures.ts'
import { createEngine, type Engine, loadSpec, type ObjectEvent } from './index.ts'

const [walkthrough = ''] = readFileSync(new URL('testdata/cases.jsonl', import.meta.url), 'utf8').split('\n')
const { events } = JSON.parse(walkthrough) as { events: ObjectEvent[] }

describe.each(['incremental', 'snapshot'] as const)('the %s engine', (mode) => {
  function afterScaling(): Engine {
    const engine = createEngine(loadSpec(ENDPOINT_LISTS), { mode })
    for (const event of events.slice(0, 3)) engine.apply(event)
    return engine
  }

  it('explains a view object by the objects and list elements that it was made of, views of views as well', () => {
    const explained = afterScaling().explain({
      kind: 'EndpointView',
      namespace: 'default',
      name: 'testsvc-TCP-80',
    })
    const service = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'testsvc' }
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      namespace: 'default',
      name: 'testsvc-abc',
    }
    const view = {
      kind: 'ServiceView',
      name: 'testsvc-TCP-80',
      from: {
        controllers: [{ controller: 'service-controller', origins: [{ objects: [service], elements: [0] }] }],
      },
    }
    expect(explained).toMatchObject([
      {
        object: { kind: 'EndpointView', spec: { addresses: ['10.244.1.229', '10.244.1.69', '10.244.1.90'] } },
        controllers: [
          {
            controller: 'endpointslice-controller',
            steps: [
              '@join',
              '@project',
              '@unwind $.endpoint',
              '@select',
              '@unwind $.endpoint.addresses',
              '@gather',
              '@project',
            ],
            origins: [0, 1, 2].map((endpoint) => ({ objects: [view, slice], elements: [endpoint, 0] })),
          },
        ],
      },
    ])
  })

  it('explains all objects of a name, whatever their kind, and none that is not there', () => {
    const kinds = afterScaling()
      .explain({ namespace: 'default', name: 'testsvc-TCP-80' })
      .map(({ object }) => object.kind)
    expect(kinds).toEqual(['ServiceView', 'EndpointView'])
    expect(afterScaling().explain({ namespace: 'other', name: 'testsvc-TCP-80' })).toEqual([])
    expect(afterScaling().explain({ name: 'testsvc-TCP-80' })).toEqual([])
  })
})
