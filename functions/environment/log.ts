import { parseSetting, SettingsError, variableOf } from '../../shared/settings/index.ts'
import { createLogger, type Log, type LoggerOptions } from '../../shared/telemetry/index.ts'
import { type Environment, EnvironmentError } from './environment.ts'

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
    return createLogger({ level, ...(fields && { fields }), ...(write && { write }) })
  } catch (cause) {
    if (cause instanceof SettingsError) throw new EnvironmentError(cause.message, { cause })
    throw cause
  }
}
