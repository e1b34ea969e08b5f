import { describe, expect, it } from 'vitest'
import { ENDPOINT_LISTS } from '../cases.fixtures.ts'
import { dot, loadSpec, mermaid } from '../index.ts'

const hostile = loadSpec(`
controllers:
  - name: 'a"] --> b; click "x"'
    sources: [{ kind: 'K"\\n', apiGroup: "" }, { type: Periodic, kind: Tick }]
    target: { kind: V, type: Patcher }
`)

describe('a graph of a spec', () => {
  it('is a Mermaid flowchart of kinds, controllers and their steps', () => {
    expect(mermaid(loadSpec(ENDPOINT_LISTS))).toBe(`flowchart LR
  k0[("Service")]
  k1(["ServiceView"])
  k2[("EndpointSlice<br/>discovery.k8s.io")]
  k3(["EndpointView"])
  c0["service-controller<br/>@select<br/>@project<br/>@unwind $.spec.ports<br/>@project"]
  c1["endpointslice-controller<br/>@join<br/>@project<br/>@unwind $.endpoint<br/>@select<br/>@unwind $.endpoint.addresses<br/>@gather<br/>@project"]
  k0 --> c0
  c0 --> k1
  k1 --> c1
  k2 --> c1
  c1 --> k3
`)
  })

  it('is a Graphviz digraph of the same', () => {
    const text = dot(loadSpec(ENDPOINT_LISTS))
    expect(text).toMatch(/^digraph views \{\n {2}rankdir=LR;\n {2}k0 \[shape=cylinder, label="Service"\];/)
    expect(text).toContain('  k2 [shape=cylinder, label="EndpointSlice\\ndiscovery.k8s.io"];')
    expect(text).toMatch(/ {2}k0 -> c0;[\s\S]*\n\}\n$/)
  })

  it('names what is no plain watch or update', () => {
    expect(mermaid(hostile)).toMatch(/k1 -->\|Periodic\| c0\n {2}c0 -->\|Patcher\| k2/)
    expect(dot(hostile)).toMatch(/k1 -> c0 \[label="Periodic"\];\n {2}c0 -> k2 \[label="Patcher"\];/)
  })

  it('takes no markup from a spec', () => {
    expect(mermaid(hostile)).toContain('c0["a#34;#93; --#62; b#59; click #34;x#34;"]')
    expect(dot(hostile)).toContain('label="a\\"] --> b; click \\"x\\""')
  })
})
