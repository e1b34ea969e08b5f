import { expect, it } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { evaluatorOf } from './evaluators/index.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const container = (requests: JsonObject, more: JsonObject = {}): JsonObject => ({
  name: 'c',
  resources: { requests, limits: requests },
  ...more,
})

function usage(spec: JsonObject, more: JsonObject = {}): Record<string, string> {
  const list = evaluatorOf('pods')?.usage({ metadata: {}, spec, ...more }, NOW) ?? new Map()
  return Object.fromEntries([...list].map(([name, amount]) => [name, String(amount)]))
}

it('adds up what containers ask for, by both names', () => {
  expect(
    usage({ containers: [container({ cpu: '100m' }), container({ cpu: '400m', memory: '1Gi' })] }),
  ).toEqual({
    'count/pods': '1',
    pods: '1',
    cpu: '500m',
    'requests.cpu': '500m',
    'limits.cpu': '500m',
    memory: '1Gi',
    'requests.memory': '1Gi',
    'limits.memory': '1Gi',
  })
})

it('takes the most that is asked for at any time, sidecars with all that comes after them', () => {
  const always = { restartPolicy: 'Always' }
  const spec = {
    initContainers: [container({ cpu: '1' }), container({ cpu: '200m' }, always), container({ cpu: '900m' })],
    containers: [container({ cpu: '300m' })],
  }
  expect(usage(spec)).toMatchObject({ 'requests.cpu': '1100m' })
  expect(usage({ ...spec, containers: [container({ cpu: '2' })] })).toMatchObject({ 'requests.cpu': '2200m' })
})

it('takes what a pod asks for as a whole, and what it costs to run it', () => {
  const spec = {
    resources: { requests: { cpu: '2' } },
    overhead: { cpu: '50m', memory: '10Mi' },
    containers: [container({ cpu: '1' })],
  }
  const counted = usage(spec)
  expect(counted).toMatchObject({ 'requests.cpu': '2050m', 'limits.cpu': '1050m', 'requests.memory': '10Mi' })
  expect(counted['limits.memory']).toBeUndefined()
})

it('counts devices and huge pages by their requests', () => {
  const requests = { 'example.org/device': '2', 'hugepages-2Mi': '4Mi', 'kubernetes.io/odd': '1' }
  expect(usage({ containers: [container(requests)] })).toEqual({
    'count/pods': '1',
    pods: '1',
    'requests.example.org/device': '2',
    'hugepages-2Mi': '4Mi',
    'requests.hugepages-2Mi': '4Mi',
  })
})

it('counts pods that are over by their place alone', () => {
  const spec = { containers: [container({ cpu: '1' })] }
  expect(usage(spec, { status: { phase: 'Succeeded' } })).toEqual({ 'count/pods': '1' })
  const metadata = { deletionTimestamp: '2025-12-31T23:00:00Z', deletionGracePeriodSeconds: 30 }
  expect(usage(spec, { metadata })).toEqual({ 'count/pods': '1' })
})
