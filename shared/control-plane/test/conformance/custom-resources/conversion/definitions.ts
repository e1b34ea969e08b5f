import { expect, it, vi } from 'vitest'
import type { Json } from '../../../../../../test/support/raw-client.ts'
import { accepted, PATIENCE } from '../../subject.ts'
import { CRDS, definition, GROUP } from '../scene.ts'
import type { ConversionScene } from './scene.ts'
import { spoilt } from './webhook.ts'

/** Definitions with a conversion: what they may say, and what happens when they change. */
export function describeConvertedDefinitions(scene: ConversionScene): void {
  const { place, define, webhook, versions, conversion, site, first } = scene
  it('speaks v1beta1 with who prefers that, and does not look at its uid', async () => {
    await define(
      definition(
        'olds',
        {},
        { versions, names: { plural: 'olds', kind: 'Old' }, conversion: conversion('v1beta1') },
      ),
    )
    accepted(
      await place.client.post(first('', 'v1', 'olds'), site('old', { host: 'h', port: '1' }, 'v1', 'Old')),
    )
    webhook.requests.length = 0
    webhook.answer(spoilt({ response: { uid: 'other' } }))
    const { body } = await place.client.get(first('old', 'v2', 'olds'))
    expect(body.address).toBe('h:1')
    expect(webhook.requests[0].apiVersion).toBe('apiextensions.k8s.io/v1beta1')
  })

  it('keeps what is stored in an earlier version when another becomes the one to store', async () => {
    const names = { plural: 'moves', kind: 'Move' }
    const crd = definition('moves', {}, { versions, names, conversion: conversion() })
    await define(crd)
    accepted(
      await place.client.post(
        first('', 'v1', 'moves'),
        site('early', { host: 'h', port: '1' }, 'v1', 'Move'),
      ),
    )
    const moved = versions.map((one: Json) => ({ ...one, storage: one.name === 'v2' }))
    const path = `${CRDS}/${crd.metadata.name}`
    const updated = accepted(await place.client.patch(path, { spec: { versions: moved } }))
    expect(updated.status.storedVersions).toEqual(['v1', 'v2'])
    let attempts = 0
    await vi.waitFor(async () => {
      const late = `late-${attempts++}`
      await place.client.post(first('', 'v2', 'moves'), site(late, { address: 'g:2' }, 'v2', 'Move'))
      webhook.requests.length = 0
      await place.client.get(first(late, 'v1', 'moves'))
      expect(webhook.requests.map(({ request }) => request.objects[0].apiVersion)).toContain(`${GROUP}/v2`)
    }, PATIENCE)
    for (const version of ['v1', 'v2']) {
      // kube-apiserver lists what it stores again only once it has read all of it.
      const { body } = await vi.waitFor(async () => {
        const answer = await place.client.get(first('', version, 'moves'))
        expect(answer.status).toBe(200)
        return answer
      }, PATIENCE)
      expect(new Set(body.items.map((item: Json) => item.apiVersion))).toEqual(
        new Set([`${GROUP}/${version}`]),
      )
    }
    const early = await place.client.get(first('early', 'v2', 'moves'))
    expect(early.body.address).toBe('h:1')
    const refused = await place.client.patch(path, { spec: { versions: [moved[1]] } })
    expect(refused.body.message).toContain(
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions',
    )
  })

  it('ends watches of a definition that is changed, and shows later ones what is new', async () => {
    const names = { plural: 'ends', kind: 'End' }
    const crd = definition('ends', {}, { versions, names, conversion: conversion() })
    await define(crd)
    const watch = await place.client.watch(first('', 'v2', 'ends'))
    const path = `${CRDS}/${crd.metadata.name}`
    accepted(await place.client.patch(path, { metadata: { labels: { a: 'b' } } }))
    accepted(
      await place.client.post(first('', 'v1', 'ends'), site('seen', { host: 'h', port: '1' }, 'v1', 'End')),
    )
    expect((await watch.next()).object.address).toBe('h:1')
    accepted(
      await place.client.patch(path, {
        spec: { conversion: { webhook: { conversionReviewVersions: ['v1', 'v1beta1'] } } },
      }),
    )
    expect(await watch.next()).toBeUndefined()
    const again = await vi.waitFor(async () => {
      const next = await place.client.watch(first('', 'v2', 'ends'))
      // The storage of the new definition may not be ready yet.
      expect((await next.next())?.object.metadata.name).toBe('seen')
      return next
    }, PATIENCE)
    accepted(await place.client.delete(path))
    expect((await again.until(({ type }) => type === 'DELETED')).at(-1).object.metadata.name).toBe('seen')
    expect(await again.next()).toBeUndefined()
  })

  it('takes a bundle without certificates until the definition is served', async () => {
    const url = 'https://example.com/convert'
    const bad = Buffer.from('foo').toString('base64')
    const webhookOf = (caBundle: string): Json => ({
      strategy: 'Webhook',
      webhook: { clientConfig: { url, caBundle }, conversionReviewVersions: ['v1'] },
    })
    const crd = definition('bundles', {}, { conversion: webhookOf(bad) })
    expect((await place.client.post(`${CRDS}?dryRun=All`, crd)).status).toBe(201)
    await define(definition('bundles'))
    const path = `${CRDS}/bundles.${GROUP}`
    const { status, body } = await place.client.patch(path, { spec: { conversion: webhookOf(bad) } })
    expect(status).toBe(422)
    expect(body.message).toContain(
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: "Zm9v": unable to load root certificates: unable to parse bytes as PEM block',
    )
  })
}
