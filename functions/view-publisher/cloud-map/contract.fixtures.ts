import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Instance, InstanceRegistry } from './instance-registry.ts'

/**
 * Tests what every registry of instances does.
 * @param replaces false for an emulator that stores both instances of one id, unlike Cloud Map
 */
export function describeInstanceRegistry(
  name: string,
  open: () => Promise<{ registry: InstanceRegistry; close: () => Promise<void> }>,
  { replaces = true } = {},
): void {
  describe(`an instance registry ${name}`, () => {
    let registry: InstanceRegistry
    let close: (() => Promise<void>) | undefined
    beforeAll(async () => {
      const opened = await open()
      registry = opened.registry
      close = opened.close
    })
    afterAll(() => close?.())

    const { signal } = new AbortController()
    const instance = (id: string, port = 80): Instance => ({
      id,
      attributes: { AWS_INSTANCE_IPV4: '10.0.0.1', AWS_INSTANCE_PORT: String(port), note: 'a b' },
    })
    const idsOf = async (service: string): Promise<string[]> =>
      (await registry.list(service, signal)).map(({ id }) => id).sort()

    it('has no instances of a service that is not there', async () => {
      expect(await registry.list('none.shop', signal)).toEqual([])
      await registry.deregister('none.shop', 'a', signal)
    })

    it.runIf(replaces)('registers an instance again in the place of the one before', async () => {
      await registry.register('new.shop', instance('a'), signal)
      await registry.register('new.shop', instance('a', 81), signal)
      expect(await registry.list('new.shop', signal)).toMatchObject([instance('a', 81)])
    })

    it('registers and deregisters', async () => {
      await registry.register('cart.shop', instance('a'), signal)
      expect(await registry.list('cart.shop', signal)).toMatchObject([instance('a')])
      await registry.deregister('cart.shop', 'a', signal)
      await registry.deregister('cart.shop', 'a', signal)
      expect(await registry.list('cart.shop', signal)).toEqual([])
    })

    it('takes many at once, and keeps services apart', async () => {
      const many = Array.from({ length: 150 }, (_, index) => `i${String(index).padStart(3, '0')}`)
      await registry.register('other.shop', instance('i000'), signal)
      await Promise.all(many.map((id) => registry.register('many.shop', instance(id), signal)))
      expect(await idsOf('many.shop')).toEqual(many)
      expect(await idsOf('other.shop')).toEqual(['i000'])
    })

    it('does nothing more once its signal aborts', async () => {
      const stopped = AbortSignal.abort(new Error('stopped'))
      await expect(registry.register('stopped.shop', instance('a'), stopped)).rejects.toThrow()
      expect(await idsOf('stopped.shop')).toEqual([])
    })
  })
}
