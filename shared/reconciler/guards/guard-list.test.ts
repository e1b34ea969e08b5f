import { expect, it } from 'vitest'
import { GUARDS } from './guard-list.ts'

it.each([
  ['none', { maximumRemoval: 1, maximumEndpoints: 0 }, undefined, []],
  ['a limit of removals', { maximumRemoval: 0.5, maximumEndpoints: 0 }, 3, ['held']],
  ['a limit that is reached', { maximumRemoval: 1, maximumEndpoints: 3 }, 3, []],
  ['a limit that is exceeded', { maximumRemoval: 1, maximumEndpoints: 3 }, 4, ['oversized']],
  ['a limit of an unknown number', { maximumRemoval: 1, maximumEndpoints: 3 }, undefined, ['oversized']],
] as const)('with %s, the guards that need all endpoints are these', (_, settings, endpoints, names) => {
  const needing = GUARDS.filter((guard) => guard.needsAllEndpoints?.(settings, endpoints))
  expect(needing.map(({ name }) => name)).toEqual(names)
})

it('no two guards have a name, an Event, a metric or an alarm in common', () => {
  const names = GUARDS.flatMap(({ name, events, metric, alarm }) => [
    `name ${name}`,
    ...Object.keys(events).map((reason) => `Event ${reason}`),
    ...(metric === undefined ? [] : [`metric ${metric.name}`]),
    ...(alarm === undefined ? [] : [`alarm ${alarm.id}`, `CloudWatch ${alarm.metric}`]),
  ])
  expect(names).toEqual([...new Set(names)])
})
