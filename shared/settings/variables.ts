import { nearest } from '../schema/index.ts'
import { variableOf } from './setting-names.ts'
import { describeSettings } from './settings.ts'

/** A variable that means nothing, and the one of a setting that it was most likely meant to be. */
interface MisspeltVariable {
  readonly variable: string
  readonly meant: string
}

const PREFIX = 'SLICEFLOW_'

/**
 * Finds environment variables that are probably misspelled settings: without a report the setting would
 * silently have its default. Variables with the same prefix but another form, such as those that Kubernetes
 * sets for a Service named sliceflow, are ignored.
 */
export function misspeltVariables(
  environment: Readonly<Record<string, string | undefined>>,
): MisspeltVariable[] {
  const known = new Set(describeSettings().map(({ name }) => variableOf(name).slice(PREFIX.length)))
  return Object.keys(environment).flatMap((variable) => {
    const name = variable.slice(PREFIX.length)
    if (!variable.startsWith(PREFIX) || known.has(name)) return []
    const meant = nearest(name, known)
    return meant === undefined ? [] : [{ variable, meant: PREFIX + meant }]
  })
}

/**
 * Describes a misspelt variable: `SLICEFLOW_SHADOWS: is not the variable of a setting; did you mean
 * SLICEFLOW_SHADOW?`
 */
export const describeMisspelt = ({ variable, meant }: MisspeltVariable): string =>
  `${variable}: is not the variable of a setting; did you mean ${meant}?`
