import type { Context } from 'aws-lambda'
import type { Environment } from './environment.ts'

/** Fields of a call that every line of its log has. */
export interface InvocationFields {
  /** Lambda's, as its own lines have it. */
  readonly requestId?: string
  /** X-Ray's, of which traces are found. */
  readonly traceId?: string
}

/** The call that a function works on: an execution environment has one at a time. */
export interface Invocation {
  began(context: Pick<Context, 'awsRequestId'>): void
  fields(): InvocationFields
}

/** Set by Lambda for each call: `Root=1-…;Parent=…;Sampled=1` */
const TRACE_VARIABLE = '_X_AMZN_TRACE_ID'

/** @param environment of the process itself: Lambda changes it with each call */
export function createInvocation(environment: Environment): Invocation {
  let requestId: string | undefined
  return {
    began({ awsRequestId }) {
      requestId = awsRequestId
    },
    fields() {
      const traceId = /Root=([^;]+)/.exec(environment[TRACE_VARIABLE] ?? '')?.[1]
      return {
        ...(requestId !== undefined && { requestId }),
        ...(traceId !== undefined && { traceId }),
      }
    },
  }
}
