import { beforeEach, describe, expect, it } from 'vitest'
import { LABEL_ZONE, type Node } from '../../endpointslice/index.ts'
import { createNodeTable, type NodeTable } from './node-table.ts'

const node = (zone: string, resourceVersion: string): Node => ({
  metadata: { name: 'n1', resourceVersion, labels: { [LABEL_ZONE]: zone } },
})

describe('a table of nodes', () => {
  let table: NodeTable

  beforeEach(() => {
    table = createNodeTable()
    table.listing()
    table.put('n1', node('a', '5'))
    table.put('n2', node('a', '6'))
    table.listed('10')
  })

  it('says when one last came, went or changed its zone, and of nothing else', () => {
    expect(table.changedAt).toBe('10')
    table.put('n1', node('a', '11'))
    expect(table.changedAt).toBe('10')
    table.put('n1', node('b', '12'))
    expect(table.changedAt).toBe('12')
    expect(table.delete('n2', node('a', '13'))).toBe(true)
    expect([table.changedAt, table.size()]).toEqual(['13', 1])
    expect(table.delete('n2', node('a', '14'))).toBe(false)
    expect(table.changedAt).toBe('13')
    table.put('n3', node('a', '15'))
    expect(table.changedAt).toBe('15')
  })

  it('says which are gone after a list, and takes each for a change, as a zone may have come and gone', () => {
    table.listing()
    for (const name of ['n1', 'n2']) table.put(name, node('a', '5'))
    expect([...table.listed('20')]).toEqual([])
    expect(table.changedAt).toBe('20')
    table.listing()
    table.put('n1', node('a', '5'))
    expect([...table.listed('30')]).toEqual(['n2'])
    expect([table.changedAt, [...table.entries()].map(([name]) => name)]).toEqual(['30', ['n1']])
  })

  it('forgets a version that a list does not have yet, as of a server that was set back', () => {
    table.listing()
    for (const name of ['n1', 'n2']) table.put(name, node('a', '5'))
    table.listed('7')
    expect(table.changedAt).toBe('7')
    table.put('n1', node('b', '8'))
    expect(table.changedAt).toBe('8')
  })
})
