import { addressSource, parseIp, type Service } from '../../endpointslice/index.ts'
import { blockListOf, grantedRanges } from '../../settings/index.ts'
import { commaSeparated } from '../../values/index.ts'
import { ANNOTATION_ADDRESSES } from './annotations.ts'
import type { Permissions } from './permissions.ts'
import { AnnotationError, RefusedError, type Source } from './source.ts'

/** Addresses that the Service itself names. */
export const ADDRESSES = {
  name: 'addresses',
  summary: 'plain addresses, always ready',
  annotations: {
    // Some 1,000 IPv4 addresses.
    [ANNOTATION_ADDRESSES]: [{ kind: 'length', most: 16_384 }, { kind: 'addresses' }],
  },
  grantedBy: 'allowedAddresses',
  asks: ANNOTATION_ADDRESSES,
  select: (service, permissions) => addressesIn(ANNOTATION_ADDRESSES, service, permissions),
  read: (addresses) => addressSource(addresses),
  explained: { kind: 'Addresses', endpoints: 'the addresses that its annotation gives' },
} as const satisfies Source

/**
 * Reads the addresses of an annotation whose checks were passed.
 * @throws AnnotationError where the namespace may not name one of them, or a port has no number
 */
export function addressesIn(
  annotation: string,
  { metadata, spec }: Service,
  { cluster, settings }: Permissions,
): string[] {
  const named = spec?.ports?.find(({ targetPort }) => typeof targetPort === 'string')
  if (named !== undefined)
    throw new AnnotationError(
      annotation,
      `the targetPort "${named.targetPort}" is a name, which only pods can resolve: give a number`,
    )
  const namespace = metadata?.namespace ?? ''
  const addresses = commaSeparated(metadata?.annotations?.[annotation] ?? '')
  const allowed = blockListOf(grantedRanges(settings.allowedAddresses, { cluster, namespace }))
  const refused = addresses.find((address) => {
    const { text = '', type } = parseIp(address) ?? {}
    return !allowed.check(text, type === 'IPv4' ? 'ipv4' : 'ipv6')
  })
  if (refused === undefined) return addresses
  throw new RefusedError(
    annotation,
    `Services of namespace ${namespace} may not name the address ${refused} (setting allowedAddresses)`,
  )
}
