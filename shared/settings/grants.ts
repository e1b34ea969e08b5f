import { commaSeparated } from '../values/index.ts'
import { isCidr } from './address-ranges.ts'

/** A namespace of a cluster, by the name that the cluster has in Sliceflow. */
interface NamespaceOfCluster {
  readonly cluster: string
  readonly namespace: string
}

/** Nothing is granted. */
export const NO_GRANTS = 'none'

/** `CLUSTER/NAMESPACE=GRANTED`: what Services of these namespaces may name. */
interface Grant {
  readonly to: string
  readonly granted: string
}

/** Returns what is wrong with grants of pods, in words, or `undefined` if they can be used. */
export const podGrantsProblem = (text: string): string | undefined =>
  grantsProblem(text, isPlace, 'CLUSTER/NAMESPACE=CLUSTER/NAMESPACE, such as eu-1/shop=us-*/shop')

/** Returns what is wrong with grants of addresses, in words, or `undefined` if they can be used. */
export const addressGrantsProblem = (text: string): string | undefined =>
  grantsProblem(text, isCidr, 'CLUSTER/NAMESPACE=CIDR, such as */edge=10.20.0.0/16')

/**
 * Reports whether Services of one namespace may take pods of another. A Service's own namespace is always
 * granted. In a grant `*` stands for any text, and `.` after the equals sign for the Service's own cluster or
 * namespace.
 * @param grants already checked
 */
export function grantsPods(grants: string, to: NamespaceOfCluster, of: NamespaceOfCluster): boolean {
  if (to.cluster === of.cluster && to.namespace === of.namespace) return true
  return grantsTo(grants, to).some((granted) => matchesPlace(granted, of, to))
}

/**
 * Lists the CIDR ranges whose addresses Services of a namespace may name.
 * @param grants already checked
 */
export const grantedRanges = (grants: string, to: NamespaceOfCluster): string[] => grantsTo(grants, to)

const grantsTo = (grants: string, to: NamespaceOfCluster): string[] =>
  grants === NO_GRANTS
    ? []
    : commaSeparated(grants).flatMap((item) => {
        const grant = parseGrant(item)
        return grant !== undefined && matchesPlace(grant.to, to) ? [grant.granted] : []
      })

function grantsProblem(text: string, isGranted: (text: string) => boolean, form: string): string | undefined {
  if (text.trim() === NO_GRANTS) return undefined
  const bad = commaSeparated(text).find((item) => {
    const grant = parseGrant(item)
    return grant === undefined || !isPlace(grant.to) || hasOwn(grant.to) || !isGranted(grant.granted)
  })
  return bad === undefined ? undefined : `"${bad}" is not a grant: expected ${form}, or "${NO_GRANTS}"`
}

function parseGrant(item: string): Grant | undefined {
  const [to = '', granted = '', ...more] = item.split('=').map((part) => part.trim())
  return more.length > 0 ? undefined : { to, granted }
}

/** Splits a place at its last slash into cluster and namespace: names of clusters may have slashes. */
function placeOf(text: string): NamespaceOfCluster {
  const slash = text.lastIndexOf('/')
  return { cluster: text.slice(0, Math.max(slash, 0)), namespace: text.slice(slash + 1) }
}

function isPlace(text: string): boolean {
  const { cluster, namespace } = placeOf(text)
  return cluster !== '' && /^(?:\.|[-a-z0-9*]{1,63})$/.test(namespace)
}

const OWN = '.'

function hasOwn(text: string): boolean {
  const { cluster, namespace } = placeOf(text)
  return cluster === OWN || namespace === OWN
}

/** Stands for the own cluster and namespace where a pattern has none. */
const NOWHERE: NamespaceOfCluster = { cluster: '', namespace: '' }

function matchesPlace(pattern: string, place: NamespaceOfCluster, own = NOWHERE): boolean {
  const { cluster, namespace } = placeOf(pattern)
  return (
    (cluster === OWN ? place.cluster === own.cluster : matchesPattern(cluster, place.cluster)) &&
    (namespace === OWN ? place.namespace === own.namespace : matchesPattern(namespace, place.namespace))
  )
}

/** Reports whether a text matches a pattern with `*` for any text; linear in the length of the text. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return first === text
  if (!text.startsWith(first)) return false
  let from = first.length
  for (const piece of others) {
    const at = text.indexOf(piece, from)
    if (at < 0) return false
    from = at + piece.length
  }
  return text.length - last.length >= from && text.endsWith(last)
}
