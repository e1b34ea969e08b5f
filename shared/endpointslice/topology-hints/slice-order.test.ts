import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { plan } from '../index.ts'

const file = new URL('../testdata/hints-in-slice-order.json', import.meta.url)

it('hints are dealt out in the order of the slices given, whatever their ports: the last one that is too many is written', () => {
  const { service, pods, nodes, slices, controllerName, maxEndpointsPerSlice } = JSON.parse(
    readFileSync(file, 'utf8'),
  )

  const { create, update, ...planned } = plan(
    { service, pods, nodes, slices },
    { managedBy: controllerName, maxEndpointsPerSlice },
  )

  expect([create, planned.delete]).toEqual([[], []])
  expect(update.map(({ metadata }) => metadata?.name)).toEqual([slices.at(-1).metadata.name])
  const zones = update.flatMap(({ endpoints = [] }) =>
    endpoints.map(({ hints }) => hints?.forZones?.[0]?.name),
  )
  expect(zones.sort()).toEqual(['europe-west4-a', 'europe-west4-a', 'europe-west4-b', 'europe-west4-d'])
})
