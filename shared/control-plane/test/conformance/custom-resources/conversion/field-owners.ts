import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../../../test/support/raw-client.ts'
import { accepted } from '../../subject.ts'
import type { ConversionScene } from './scene.ts'

/** Describes managedFields of several versions. */
export function describeFieldOwners(scene: ConversionScene): void {
  const { place, site, first } = scene
  describe('owners of fields', () => {
    const apply = (name: string, of: string, content: Json, query: string) =>
      place.client.send('PATCH', `${first(name, of)}?${query}`, {
        body: site(name, content, of),
        headers: { 'content-type': 'application/apply-patch+yaml' },
      })
    const owners = async (name: string, of = 'v1'): Promise<Json> => {
      const { body } = await place.client.get(first(name, of))
      const shown = body.metadata.managedFields.map(({ manager, apiVersion, fieldsV1 }: Json) => [
        manager,
        apiVersion.split('/')[1],
        Object.keys(fieldsV1),
      ])
      return shown.sort()
    }

    it('of another version are asked in theirs when somebody applies', async () => {
      accepted(await apply('owned', 'v2', { address: 'h:1' }, 'fieldManager=a'))
      const refused = await apply('owned', 'v1', { host: 'k' }, 'fieldManager=b')
      expect([refused.status, refused.body.message]).toEqual([
        409,
        'Apply failed with 1 conflict: conflict with "a": .address',
      ])
      accepted(await apply('owned', 'v1', { port: '1' }, 'fieldManager=b'))
      expect(await owners('owned')).toEqual([
        ['a', 'v2', ['f:address']],
        ['b', 'v1', ['f:port']],
      ])
      const forced = accepted(await apply('owned', 'v1', { host: 'k' }, 'fieldManager=b&force=true'))
      expect([forced.host, forced.port]).toEqual(['k', '1'])
      expect(await owners('owned')).toEqual([['b', 'v1', ['f:host']]])
    })

    it('lose in their version what an update of another changes', async () => {
      accepted(await apply('taken', 'v1', { host: 'h', port: '1', tag: 'x' }, 'fieldManager=a'))
      accepted(await place.client.patch(`${first('taken', 'v2')}?fieldManager=b`, { address: 'h:2' }))
      expect(await owners('taken', 'v2')).toEqual([
        ['a', 'v1', ['f:host', 'f:tag']],
        ['b', 'v2', ['f:address']],
      ])
      expect((await place.client.get(first('taken'))).body.port).toBe('2')
    })

    it('may go on in another version, and give up there what they had before', async () => {
      accepted(await apply('moved', 'v2', { address: 'h:1', spec: { replicas: 3 } }, 'fieldManager=a'))
      const moved = accepted(await apply('moved', 'v1', { host: 'h', port: '1' }, 'fieldManager=a'))
      expect([moved.host, moved.port, moved.spec]).toEqual(['h', '1', undefined])
      expect(await owners('moved')).toEqual([['a', 'v1', ['f:host', 'f:port']]])
    })

    it('of another version keep what only its applier gives up', async () => {
      accepted(await apply('kept', 'v2', { address: 'h:1', tag: 'x' }, 'fieldManager=a'))
      accepted(await apply('kept', 'v1', { tag: 'x', port: '1' }, 'fieldManager=b'))
      const left = accepted(await apply('kept', 'v2', {}, 'fieldManager=a'))
      expect([left.address, left.tag]).toEqual([expect.stringContaining(':1'), 'x'])
      expect(await owners('kept')).toEqual([['b', 'v1', ['f:port', 'f:tag']]])
    })
  })
}
