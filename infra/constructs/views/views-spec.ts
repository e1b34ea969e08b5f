import { readFileSync } from 'node:fs'
import { assertServiceSpec, ServiceSpecError } from '../../../functions/view-publisher/service-spec.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { loadSpec, SpecError } from '../../../shared/views/index.ts'
import { DeploymentError } from '../../settings/index.ts'

/**
 * Reads the text of a spec that the view publisher can use.
 * @param file YAML or JSON
 * @param operator the operator's name where the spec has none
 * @throws DeploymentError where there is none, or where it cannot be used: the function would say so with
 *   every message
 */
export function readViewsSpec(file: string, operator: string | undefined): string {
  const text = readText(file)
  try {
    assertServiceSpec(loadSpec(text, { file, ...(operator !== undefined && { name: operator }) }))
  } catch (cause) {
    if (!(cause instanceof SpecError || cause instanceof ServiceSpecError)) throw cause
    throw new DeploymentError(`views.spec: ${cause.message.replaceAll('\n', '; ')}`, { cause })
  }
  return text
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const reason = errorMessage(cause)
    throw new DeploymentError(
      `views.spec: cannot read ${file}: ${reason}; give the path of the spec’s file`,
      {
        cause,
      },
    )
  }
}
