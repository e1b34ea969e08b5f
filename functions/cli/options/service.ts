import { labelName } from '../../../shared/kubernetes/index.ts'
import { UsageError } from '../usage.ts'

/** A Service as it is named on the command line. */
export interface ServiceArgument {
  /** Absent: the one of the kubeconfig's context, else `default`. */
  readonly namespace?: string
  readonly name: string
}

/**
 * Reads NAME or NAMESPACE/NAME.
 * @param given the namespace of `--namespace`
 * @throws UsageError also where the two name different namespaces
 */
export function parseService(text: string, given?: string): ServiceArgument {
  const { namespace = given, name } = parseArgument(text)
  if (namespace !== undefined && given !== undefined && namespace !== given)
    throw new UsageError(
      `-n ${given} and ${text} name two namespaces: give ${given}/${name}, or ${text} without -n`,
    )
  return { name, ...(namespace !== undefined && { namespace }) }
}

function parseArgument(text: string): ServiceArgument {
  const parts = text.split('/')
  const [namespace, name] = parts.length === 1 ? [undefined, text] : parts
  const isValid = (part: string | undefined): part is string =>
    part !== undefined && labelName(part).length === 0
  if (parts.length > 2 || !isValid(name) || (namespace !== undefined && !isValid(namespace)))
    throw new UsageError(
      `"${text}" is not the name of a Service: give NAME or NAMESPACE/NAME, such as shop/web`,
    )
  return { name, ...(namespace !== undefined && { namespace }) }
}
