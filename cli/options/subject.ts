import { type OwnerName, otherOwnerNamed, ownerNameRule } from '../../shared/changes/index.ts'
import { parseIp } from '../../shared/endpointslice/index.ts'
import { labelName, type NameRule, subdomainName } from '../../shared/kubernetes/index.ts'
import type { Subject } from '../explain/index.ts'
import { UsageError } from '../usage.ts'

/** A Service as it is named on the command line. */
interface ServiceArgument {
  /** Absent: the one of the kubeconfig's context, else `default`. */
  readonly namespace?: string
  readonly name: string
}

/**
 * Reads NAME or NAMESPACE/NAME.
 * @param given the namespace of `--namespace`
 * @param rule of the name: another kind may have dots in it
 * @throws UsageError also where the two name different namespaces
 */
export function parseService(text: string, given?: string, rule: NameRule = labelName): ServiceArgument {
  const argument = namesOf(text, rule)
  if (argument === undefined)
    throw new UsageError(
      `"${text}" is not the name of a Service: give NAME or NAMESPACE/NAME, such as shop/web`,
    )
  const { namespace = given, name } = argument
  if (namespace !== undefined && given !== undefined && namespace !== given)
    throw new UsageError(
      `-n ${given} and ${text} name two namespaces: give ${given}/${name}, or ${text} without -n`,
    )
  return { name, namespace }
}

/** Takes NAME or NAMESPACE/NAME apart; undefined where the text is neither. */
function namesOf(text: string, rule: NameRule): ServiceArgument | undefined {
  const parts = text.split('/')
  const [namespace, name = ''] = parts.length === 1 ? [undefined, text] : parts
  const isNamespace = namespace === undefined || labelName(namespace).length === 0
  return parts.length > 2 || !isNamespace || rule(name).length > 0 ? undefined : { namespace, name }
}

/** An owner of slices as it is named on the command line. */
export interface OwnerArgument extends ServiceArgument, Pick<OwnerName, 'ownerKind'> {}

/**
 * Reads a Service as {@link parseService} does, or another owner after its kind: `endpointselector/web`.
 * @param given the namespace of `--namespace`
 * @throws UsageError
 */
export function parseOwner(text: string, given?: string): OwnerArgument {
  const { ownerKind, rest } = splitOwner(text)
  const named = parseService(rest, given, ownerNameRule(ownerKind))
  return ownerKind === undefined ? named : { ...named, ownerKind }
}

/** Takes the kind before a slash off, if it is one of an owner that is no Service. */
export function splitOwner(text: string): Pick<OwnerName, 'ownerKind'> & { readonly rest: string } {
  const slash = text.indexOf('/')
  const ownerKind = slash < 0 ? undefined : otherOwnerNamed(text.slice(0, slash))?.owner.kind
  return { ownerKind, rest: ownerKind === undefined ? text : text.slice(slash + 1) }
}

/** Words before a slash that name a kind, as kubectl has them. */
const KINDS: Readonly<Record<string, 'Pod' | 'Node' | 'Service'>> = {
  pod: 'Pod',
  pods: 'Pod',
  po: 'Pod',
  node: 'Node',
  nodes: 'Node',
  no: 'Node',
  service: 'Service',
  services: 'Service',
  svc: 'Service',
}

/**
 * Reads pod/NAME, pod/NAMESPACE/NAME, node/NAME or an IP address. Any other text is the name of a Service, as
 * is what follows service/.
 * @param given the namespace of `--namespace`
 * @throws UsageError
 */
export function parseSubject(text: string, given?: string): Subject | string {
  const address = parseIp(text.replace(/^\[(.*)\]$/, '$1'))
  if (address !== undefined) return { kind: 'Address', name: address.text, namespace: given }
  const slash = text.indexOf('/')
  const kind = slash < 0 ? undefined : KINDS[text.slice(0, slash).toLowerCase()]
  const rest = text.slice(slash + 1)
  if (kind === undefined) return text
  if (kind === 'Service') return rest
  if (kind === 'Pod') return podSubject(text, rest, given)
  if (subdomainName(rest).length > 0)
    throw new UsageError(`"${text}" is not the name of a Node: give node/NAME, such as node/worker-1`)
  return { kind, name: rest, namespace: given }
}

/** @throws UsageError */
function podSubject(text: string, rest: string, given: string | undefined): Subject {
  const argument = namesOf(rest, subdomainName)
  if (argument === undefined)
    throw new UsageError(
      `"${text}" is not the name of a Pod: give pod/NAME or pod/NAMESPACE/NAME, such as pod/shop/web-1`,
    )
  const { namespace = given, name } = argument
  if (given !== undefined && namespace !== given)
    throw new UsageError(`-n ${given} and ${text} name two namespaces: leave -n out, or give pod/${name}`)
  return { kind: 'Pod', name, namespace }
}
