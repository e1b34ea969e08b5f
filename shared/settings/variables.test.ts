import { expect, it } from 'vitest'
import { describeSettings, misspeltVariables, variableOf } from './index.ts'

it.each([
  ['SLICEFLOW_SHADOWS', 'SLICEFLOW_SHADOW'],
  ['SLICEFLOW_MAXIMUM_CONCURENCY', 'SLICEFLOW_MAXIMUM_CONCURRENCY'],
  ['SLICEFLOW_BATCHWINDOW', 'SLICEFLOW_BATCH_WINDOW'],
  ['SLICEFLOW_managed_by', 'SLICEFLOW_MANAGED_BY'],
])('%s was meant to be %s', (variable, meant) => {
  expect(misspeltVariables({ [variable]: 'x', PATH: '/bin' })).toEqual([
    `${variable}: is not the variable of a setting; did you mean ${meant}?`,
  ])
})

it('leaves the variables of settings, those of others and those of a Service named sliceflow alone', () => {
  const settings = describeSettings().map(({ name }) => [variableOf(name), 'x'])
  const others = {
    PATH: '/bin',
    MODE: 'x',
    SLICEFLOW_PORT: 'tcp://10.96.0.7:9090',
    SLICEFLOW_PORT_9090_TCP: 'tcp://10.96.0.7:9090',
    SLICEFLOW_PORT_9090_TCP_ADDR: '10.96.0.7',
    SLICEFLOW_PORT_9090_TCP_PROTO: 'tcp',
    SLICEFLOW_SERVICE_HOST: '10.96.0.7',
    SLICEFLOW_SERVICE_PORT: '9090',
    SLICEFLOW_SERVICE_PORT_METRICS: '9090',
  }
  expect(misspeltVariables({ ...Object.fromEntries(settings), ...others })).toEqual([])
})
