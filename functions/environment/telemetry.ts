import type { Context } from 'aws-lambda'
import { parseSetting, SettingsError, variableOf } from '../../shared/settings/index.ts'
import {
  createEmfMetrics,
  createLogger,
  DEPLOYMENT_DIMENSION,
  type EmfMetrics,
  type EmfOptions,
  type Log,
  type LoggerOptions,
} from '../../shared/telemetry/index.ts'
import { type Environment, EnvironmentError, optional, VARIABLES } from './environment.ts'

/** Set by Lambda for each call: `Root=1-…;Parent=…;Sampled=1` */
const TRACE_VARIABLE = '_X_AMZN_TRACE_ID'

export type Invocation = ReturnType<typeof createInvocation>

/**
 * The call that a function works on: an execution environment has one at a time.
 * @param environment of the process itself: Lambda changes it with each call
 */
export function createInvocation(environment: Environment) {
  let requestId: string | undefined
  return {
    began({ awsRequestId }: Pick<Context, 'awsRequestId'>): void {
      requestId = awsRequestId
    },
    /** Fields of the call for every line of its log: Lambda's id, and X-Ray's, by which traces are found. */
    fields(): { readonly requestId?: string; readonly traceId?: string } {
      return { requestId, traceId: /Root=([^;]+)/.exec(environment[TRACE_VARIABLE] ?? '')?.[1] }
    },
  }
}

/** Opens the metrics of a function or the relay, each with the dimension of its deployment. */
export function openDeployedMetrics(
  environment: Environment,
  { write }: { readonly write?: EmfOptions['write'] | undefined },
): EmfMetrics {
  const deployment = optional(environment, VARIABLES.deployment)
  return createEmfMetrics({
    write,
    ...(deployment !== undefined && { dimensions: { [DEPLOYMENT_DIMENSION]: deployment } }),
  })
}

/**
 * Opens the log of a function or the relay, which begins before its settings are read.
 * @throws EnvironmentError where the level is none
 */
export function openDeployedLog(
  environment: Environment,
  { fields, write }: { readonly [Option in 'fields' | 'write']?: LoggerOptions[Option] | undefined },
): Log {
  try {
    const level = parseSetting('logLevel', environment[variableOf('logLevel')], variableOf)
    return createLogger({ level, fields, write })
  } catch (cause) {
    if (cause instanceof SettingsError) throw new EnvironmentError(cause.message, { cause })
    throw cause
  }
}
