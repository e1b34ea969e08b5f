import { expect, it } from 'vitest'
import { NO_ENDPOINT } from './pod-facts.ts'
import { matchedPods, type PodEntry } from './pod-matches.ts'
import { createLabelPool } from './pool.ts'
import type { ServiceEntry } from './service-table.ts'

const WEB = { name: 'web' } as ServiceEntry

it('gives each pod that can be an endpoint its Services, matching once for the pods of a Deployment', () => {
  const pool = createLabelPool()
  const pod = (namespace: string, app: string, digest = '["u"]'): PodEntry => ({
    namespace,
    labels: pool.acquire({ app }),
    digest,
    traffic: 'ready',
    ports: '',
    node: 'n1',
    readyTime: undefined,
  })
  const pods: [string, PodEntry][] = [
    ['shop/a', pod('shop', 'web')],
    ['shop/b', pod('shop', 'web')],
    ['other/a', pod('other', 'web')],
    ['shop/c', pod('shop', 'api')],
    ['other/b', pod('other', 'web')],
    ['shop/d', pod('shop', 'web')],
    ['shop/e', pod('shop', 'web', NO_ENDPOINT)],
    ['shop/f', pod('shop', 'ended', NO_ENDPOINT)],
  ]
  const asked: string[] = []
  const matched = matchedPods({
    pods: () => pods,
    matching: (namespace, { app }) => {
      asked.push(`${namespace} ${app}`)
      return namespace === 'shop' && app === 'web' ? [WEB] : []
    },
  })
  expect([...matched].map(([key, , services]) => [key, services])).toEqual([
    ['shop/a', [WEB]],
    ['shop/b', [WEB]],
    ['other/a', []],
    ['shop/c', []],
    ['other/b', []],
    ['shop/d', [WEB]],
  ])
  expect(asked).toEqual(['shop web', 'other web', 'shop api'])
})
