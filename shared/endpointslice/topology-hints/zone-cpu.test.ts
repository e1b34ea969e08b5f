import { describe, expect, it } from 'vitest'
import { aNode } from '../plan.fixtures.ts'
import type { Node } from '../types.ts'
import { zoneCpuOf } from './zone-cpu.ts'

const labelled = (node: Node, label: string): Node => ({
  ...node,
  metadata: { ...node.metadata, labels: { ...node.metadata?.labels, [label]: '' } },
})

describe('zoneCpuOf', () => {
  it('gives each zone its share of the CPU', () => {
    const nodes = [aNode('1', 'b', '2'), aNode('2', 'a', '4'), aNode('3', 'b', '2000m')]
    expect(zoneCpuOf(nodes)).toEqual(
      new Map([
        ['a', 0.5],
        ['b', 0.5],
      ]),
    )
  })

  it('leaves out the nodes of the control plane and those that are not ready', () => {
    const nodes = [
      aNode('1', 'a', '1'),
      aNode('2', 'b', '3'),
      labelled(aNode('3', 'c'), 'node-role.kubernetes.io/control-plane'),
      labelled(aNode('4', 'c'), 'node-role.kubernetes.io/master'),
      { metadata: { name: '5', labels: { 'topology.kubernetes.io/zone': 'c' } } },
    ]
    expect(zoneCpuOf(nodes)).toEqual(
      new Map([
        ['a', 0.25],
        ['b', 0.75],
      ]),
    )
  })

  it('gives the zones in the order of their names, whatever order the nodes are in', () => {
    const nodes = [aNode('1', 'b'), aNode('2', 'c'), aNode('3', 'a'), aNode('4', 'd')]
    for (const given of [nodes, nodes.toReversed()])
      expect([...(zoneCpuOf(given)?.keys() ?? [])]).toEqual(['a', 'b', 'c', 'd'])
  })

  it('asks no other condition of a node than whether it is ready', () => {
    const withConditions = (node: Node, pressure: string, ready: string): Node => ({
      ...node,
      status: {
        ...node.status,
        conditions: [
          { type: 'MemoryPressure', status: pressure },
          { type: 'Ready', status: ready },
        ],
      },
    })
    const nodes = [
      withConditions(aNode('1', 'a'), 'False', 'True'),
      withConditions(aNode('2', 'b'), 'True', 'True'),
      withConditions(aNode('3', 'c'), 'True', 'False'),
    ]
    expect([...(zoneCpuOf(nodes)?.keys() ?? [])]).toEqual(['a', 'b'])
  })

  it('says nothing when a node lacks a zone or CPU', () => {
    const two = [aNode('1', 'a'), aNode('2', 'b')]
    expect(zoneCpuOf([...two, aNode('3', '')])).toBeUndefined()
    expect(zoneCpuOf([...two, aNode('3', 'c', '0')])).toBeUndefined()
  })

  it('says nothing for fewer than two zones', () => {
    expect(zoneCpuOf([aNode('1', 'a'), aNode('2', 'a')])).toBeUndefined()
    expect(zoneCpuOf([])).toBeUndefined()
  })
})
