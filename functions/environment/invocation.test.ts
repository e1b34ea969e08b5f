import { expect, it } from 'vitest'
import { createInvocation } from './index.ts'

it('gives each call its request and its trace, as Lambda sets them', () => {
  const environment: Record<string, string> = {}
  const invocation = createInvocation(environment)
  expect(invocation.fields()).toEqual({})
  invocation.began({ awsRequestId: 'one' })
  environment._X_AMZN_TRACE_ID = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1'
  expect(invocation.fields()).toEqual({ requestId: 'one', traceId: '1-5759e988-bd862e3fe1be46a994272793' })
  invocation.began({ awsRequestId: 'two' })
  environment._X_AMZN_TRACE_ID = 'none'
  expect(invocation.fields()).toEqual({ requestId: 'two' })
})
