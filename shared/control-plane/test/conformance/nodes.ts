import { afterAll, expect, it } from 'vitest'
import { describeRefusals } from './refusals.ts'
import { describeIn, type Subject } from './subject.ts'

const NODES = '/api/v1/nodes'

/** Describes taints of nodes, and the blocks from which their pods get addresses. */
export function describeNodes(subject: Subject): void {
  describeIn(subject, 'nodes', (place) => {
    const made: string[] = []
    const create = async (name: string, spec: object) => {
      const { status, body } = await place.client.post(NODES, {
        metadata: { name: `${name}-${place.namespace}` },
        spec,
      })
      if (status === 201) made.push(body.metadata.name)
      return {
        status,
        body,
        reported: status === 201 ? undefined : body.message.replace(/^.*? is invalid: /, ''),
      }
    }

    afterAll(async () => {
      for (const name of made) await place.client.delete(`${NODES}/${name}`)
    })

    it('have one block of addresses under both of its names', async () => {
      const { body } = await create('one', { podCIDR: '10.0.0.0/24' })
      expect(body.spec.podCIDRs).toEqual(['10.0.0.0/24'])
      const many = await create('many', { podCIDRs: ['10.1.0.0/24', 'fd00::/64'] })
      expect(many.body.spec.podCIDR).toBe('10.1.0.0/24')
      const odd = await create('odd', { podCIDR: '10.2.0.0/24', podCIDRs: ['10.3.0.0/24', 'fd00::/64'] })
      expect(odd.body.spec.podCIDRs).toEqual(['10.2.0.0/24'])
    })

    it('keep their block', async () => {
      const { body: node } = await create('kept', { podCIDR: '10.0.0.0/24' })
      const path = `${NODES}/${node.metadata.name}`
      const fixed = 'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'
      for (const spec of [{}, { podCIDR: '10.9.0.0/24' }]) {
        const { body } = await place.client.put(path, { metadata: { name: node.metadata.name }, spec })
        expect(body.message).toBe(`Node "${node.metadata.name}" is invalid: ${fixed}`)
      }
    })

    describeRefusals(place, 'nodes')
  })
}
