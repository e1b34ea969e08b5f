// Apart from what the function bundles: only the reference page has these texts.

import { SOURCES } from '../../changes/index.ts'
import { GUARDS } from '../guards/guard-list.ts'

const GRANTS = [...new Set(SOURCES.flatMap(({ grantedBy }) => (grantedBy ? [`\`${grantedBy}\``] : [])))].join(
  ', ',
)

/** Every Event of a Service or ServiceImport, by its reason, on which people's rules and dashboards rely. */
export const EVENT_REASONS: Readonly<Record<string, string>> = {
  InvalidSelector: 'the selector in `sliceflow.dev/selector` cannot be read; the slices stay as they are',
  InvalidAnnotation:
    'another annotation of ours cannot be read, does not go with the others, or is misspelt; says whether the slices stay as they are, or which setting holds instead',
  RefusedAnnotation: `an annotation names what no setting grants to the namespace (${GRANTS}); the slices stay as they are`,
  ...Object.assign({}, ...GUARDS.map(({ events }) => events)),
  ClusterReachable: 'a cluster that gave a ServiceImport endpoints can be reached again',
  ProjectionConflict:
    'with `serviceProjection`: an EndpointSelector of the Service’s name does not stand for it; it stays as it is',
  ProjectionRefused:
    'with `serviceProjection`: the API server refuses the EndpointSelector that would stand for the Service, such as one of more than 64 ports; says why',
  TooManyAddressesToMirror:
    'a subset of the Endpoints has more than 1,000 addresses, and the others are not mirrored; it is on the Service, whereas the in-tree controller puts it on the Endpoints',
  InvalidIPAddress:
    'some addresses of the Endpoints are not IP addresses and are not mirrored; it is on the Service, too',
  TopologyAwareHintsEnabled: 'hints by CPU are given, as in the in-tree controller’s Event',
  TopologyAwareHintsDisabled:
    'hints by CPU are asked for and cannot be given; says why, as the in-tree controller does',
}
