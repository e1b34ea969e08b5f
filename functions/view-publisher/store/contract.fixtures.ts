import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServiceKey } from '../../../shared/changes/index.ts'
import type { ViewObject } from '../../../shared/views/index.ts'
import type { Publication, PublicationKey, PublicationStore } from './publication-store.ts'

const view = (name: string, v: unknown): ViewObject => ({
  apiVersion: 'op.view.dcontroller.io/v1alpha1',
  kind: 'EndpointView',
  metadata: { name, namespace: 'shop' },
  v: v as string,
})

/**
 * Tests what every store of publications does.
 * @param open resolves to a store and what ends it
 */
export function describePublicationStore(
  name: string,
  open: () => Promise<{ store: PublicationStore; close: () => Promise<void> }>,
): void {
  describe(`a publication store ${name}`, () => {
    let store: PublicationStore
    let close: (() => Promise<void>) | undefined
    let services = 0
    beforeAll(async () => {
      const opened = await open()
      store = opened.store
      close = opened.close
    })
    afterAll(() => close?.())

    const freshKey = (): PublicationKey => ({
      cluster: 'arn:aws:eks:eu-west-1:1:cluster/a',
      namespace: 'shop',
      service: `cart-${services++}`,
      sink: 'event bus é',
    })
    const keysOf = async (key: ServiceKey): Promise<ServiceKey[]> => {
      const found: ServiceKey[] = []
      for await (const one of store.keys()) if (one.service === key.service) found.push(one)
      return found
    }

    it('gives back what was saved, and what of it is still to be sent', async () => {
      const key = freshKey()
      expect(await store.load(key)).toBeUndefined()
      expect(await store.version(key)).toBeUndefined()
      const [a, b, c] = [view('a', 1), view('b', { text: 'é\u2028' }), view('c', null)]
      const publication = {
        version: 1_900_000_000_000,
        views: [a, b],
        pending: [
          { type: 'Deleted', object: c, old: c },
          { type: 'Updated', object: a, old: view('a', 0) },
          { type: 'Added', object: b },
        ],
      } as const
      expect(await store.save(key, publication, undefined)).toBe(true)
      expect(await store.load(key)).toEqual(publication)
      expect(await store.version(key)).toBe(publication.version)
      expect(await store.markSent(key, publication)).toBe(true)
      expect(await store.load(key)).toEqual({ ...publication, pending: [] })
    })

    it('takes a write only where nobody wrote since', async () => {
      const key = freshKey()
      const version = (number: number): Publication => ({
        version: number,
        views: [view('a', number)],
        pending: [],
      })
      expect(await store.save(key, version(1), 7)).toBe(false)
      expect(await store.save(key, version(2), undefined)).toBe(true)
      expect(await store.save(key, version(3), undefined)).toBe(false)
      const together = await Promise.all([4, 5, 6, 7].map((number) => store.save(key, version(number), 2)))
      expect(together.filter((saved) => saved)).toHaveLength(1)
      expect(await store.version(key)).toBe(4 + together.indexOf(true))
    })

    it('marks only the latest version as sent', async () => {
      const key = freshKey()
      const a = view('a', 1)
      const pending = [{ type: 'Added', object: a }] as const
      await store.save(key, { version: 1, views: [a], pending }, undefined)
      await store.save(key, { version: 2, views: [a], pending }, 1)
      expect(await store.markSent(key, { version: 1, views: [a] })).toBe(false)
      expect((await store.load(key))?.pending).toEqual(pending)
      expect(await store.markSent(freshKey(), { version: 1, views: [] })).toBe(false)
    })

    it('holds large contents, and goes back to small ones', async () => {
      const key = freshKey()
      const random = (seed: number): string =>
        Array.from({ length: 12 }, (_, index) => Math.sin(seed * 31 + index).toString(36)).join('')
      const many = (seed: number): ViewObject[] =>
        Array.from({ length: 200 }, (_, index) => view(`v${index}`, random(seed + index)))
      let previous: number | undefined
      for (const [version, views] of [many(1), many(2), [view('a', 1)], many(3), many(4), []].entries()) {
        expect(await store.save(key, { version, views, pending: [] }, previous)).toBe(true)
        expect(await store.load(key)).toEqual({ version, views, pending: [] })
        previous = version
      }
      expect(await store.save(key, { version: 9, views: many(5), pending: [] }, 3)).toBe(false)
      expect((await store.load(key))?.views).toEqual([])
    })

    it('keeps what one sink has apart from what another has', async () => {
      const key = freshKey()
      const other = { ...key, sink: 'Cloud Map ns-1' }
      const publication = { version: 1, views: [view('a', 1)], pending: [] }
      await store.save(key, publication, undefined)
      expect([await store.load(other), await store.version(other)]).toEqual([undefined, undefined])
      await store.save(other, { ...publication, version: 2 }, undefined)
      expect(await store.load(key)).toEqual(publication)
    })

    it('names once the Services of which a sink has views or something to send', async () => {
      const key = freshKey()
      const { sink: _, ...service } = key
      const a = view('a', 1)
      await store.save(key, { version: 1, views: [a], pending: [] }, undefined)
      expect(await keysOf(key)).toEqual([service])
      const other = { ...key, sink: 'Cloud Map ns-1' }
      await store.save(other, { version: 1, views: [a], pending: [] }, undefined)
      expect(await keysOf(key)).toEqual([service])
      await store.save(other, { version: 2, views: [], pending: [] }, 1)
      await store.save(key, { version: 2, views: [], pending: [{ type: 'Deleted', object: a, old: a }] }, 1)
      expect(await keysOf(key)).toEqual([service])
      await store.markSent(key, { version: 2, views: [] })
      expect(await keysOf(key)).toEqual([])
      expect(await store.version(key)).toBe(2)
    })
  })
}
