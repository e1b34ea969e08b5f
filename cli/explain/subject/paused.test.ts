import { expect, it } from 'vitest'
import { ANNOTATION_PAUSED } from '../../../shared/changes/index.ts'
import { createNodeReader, readOnlyClient } from '../../../shared/reconciler/index.ts'
import { clientOf, podOf, worldOf } from '../../../shared/reconciler/shadow/world.fixtures.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { describeSubject } from './describe-subject.ts'
import { explainSubject } from './explain-subject.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

it('the explanation of a Pod names a paused Service that selects it, and says that nothing is written', async () => {
  const world = worldOf(['web-1'])
  const { service } = world
  const annotations = { [ANNOTATION_PAUSED]: '2026-03-01T09:00:00Z' }
  world.service = { ...service, metadata: { ...service?.metadata, annotations } }
  world.slices = []
  const memory = clientOf(world)
  const kinds = { Service: [world.service], Pod: [podOf('web-1', '10.0.0.1')] }
  const client = readOnlyClient({
    ...memory,
    async *pages(resource) {
      const items = (kinds[resource.kind as keyof typeof kinds] ?? []) as never[]
      yield { items, metadata: { resourceVersion: '1' } }
    },
  })
  const report = await explainSubject({
    ...{ subject: { kind: 'Pod', name: 'web-1' }, clusters: ['a'] },
    clusterOf: () => ({ client, nodes: createNodeReader(client) }),
    settings: parseSettings({ mode: 'replace' }),
    signal: new AbortController().signal,
    now: () => NOW,
  })
  expect(JSON.stringify(report)).toContain(
    'the Service is not written: it is paused since 2026-03-01T09:00:00Z',
  )
  expect(describeSubject(report, NOW)).toContain('it is paused since 2026-03-01T09:00:00Z')
})
