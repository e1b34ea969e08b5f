import { afterAll, expect, it } from 'vitest'
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
        told: status === 201 ? undefined : body.message.replace(/^.*? is invalid: /, ''),
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

    it('have a block of each family at most, in the spelling of no other', async () => {
      const told = async (...podCIDRs: string[]) => (await create('bad', { podCIDRs })).told
      const invalid = (index: number, value: string, why: string) =>
        `spec.podCIDRs[${index}]: Invalid value: "${value}": ${why}`
      const noBlock = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'
      expect(await told('x')).toBe(invalid(0, 'x', noBlock))
      expect(await told('10.0.0.1/24')).toBe(
        invalid(0, '10.0.0.1/24', 'must not have bits set beyond the prefix length'),
      )
      expect(await told('010.1.0.0/24')).toBe(
        invalid(0, '010.1.0.0/24', 'must not have leading 0s in IP or prefix length'),
      )
      expect(await told('10.0.0.0/24', '10.1.0.0/24')).toBe(
        'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify no more than one CIDR for each IP family',
      )
      expect(await told('x', '10.1.0.0/24')).toBe(
        `[${invalid(0, 'x', noBlock)}, spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[0]: <nil> (invalid CIDR address: x), spec.podCIDRs: Invalid value: ["x","10.1.0.0/24"]: may specify no more than one CIDR for each IP family]`,
      )
    })

    it('have taints with effects, each once', async () => {
      const told = async (...taints: object[]) => (await create('tainted', { taints })).told
      expect(await told({ key: 'k' })).toBe('metadata.taints[0].effect: Required value')
      expect(await told({ key: 'k', effect: 'No' })).toBe(
        'metadata.taints[0].effect: Unsupported value: "No": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      )
      expect(await told({ key: '', effect: 'NoSchedule' })).toContain(
        'metadata.taints[0].key: Invalid value: "": name part must be non-empty',
      )
      const twice = { key: 'k', value: 'v', effect: 'NoExecute' }
      expect(await told(twice, twice)).toBe(
        'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"v","Effect":"NoExecute","TimeAdded":null}: taints must be unique by key and effect pair',
      )
    })
  })
}
