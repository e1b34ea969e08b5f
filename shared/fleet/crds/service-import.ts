import { conditions, objectSchema, type Schema } from '../../crds/index.ts'
import { MAX_SELECTORS } from '../resources.ts'
import { clusterList, clusterSelectors } from './service-export.ts'

const PORT: Schema = {
  type: 'object',
  description: 'A port on which clients reach the Service.',
  required: ['port'],
  properties: {
    name: {
      type: 'string',
      description:
        'A DNS label that no other port of the Service has; may be absent where there is one port. Endpoints have their port by the same name.',
    },
    protocol: { type: 'string', description: 'TCP, UDP or SCTP; TCP where it is absent.' },
    appProtocol: {
      type: 'string',
      description:
        'What is spoken on the port: the name of a service at IANA, or a name with a prefix, such as kubernetes.io/h2c.',
    },
    port: { type: 'integer', format: 'int32', description: 'Its number.' },
  },
}

/** Lists that have an item for each of the two families of addresses. */
const perFamily = (description: string): Schema => ({
  type: 'array',
  description,
  maxItems: 2,
  items: { type: 'string' },
})

const SPEC: Schema = {
  type: 'object',
  description: 'How clients of this cluster reach the Service.',
  required: ['type', 'ports'],
  properties: {
    type: {
      type: 'string',
      description: 'ClusterSetIP: by the addresses in ips. Headless: by the addresses of its endpoints.',
      enum: ['ClusterSetIP', 'Headless'],
    },
    ports: {
      type: 'array',
      description: 'The ports of all exports, as far as they go together.',
      'x-kubernetes-list-type': 'atomic',
      items: PORT,
    },
    ips: perFamily('Virtual addresses, one of each family in ipFamilies; none of a headless Service.'),
    ipFamilies: perFamily('IPv4, IPv6 or both, in the order of ips.'),
    sessionAffinity: {
      type: 'string',
      description:
        'ClientIP: a client stays with the endpoint that it reached first. None, the default: it does not.',
    },
    sessionAffinityConfig: {
      type: 'object',
      description: 'More of the session affinity.',
      properties: {
        clientIP: {
          type: 'object',
          description: 'Of the affinity to the address of a client.',
          properties: {
            timeoutSeconds: {
              type: 'integer',
              format: 'int32',
              description: 'How long a client is remembered, 1 to 86400 seconds; 10800 where it is absent.',
            },
          },
        },
      },
    },
    internalTrafficPolicy: {
      type: 'string',
      description:
        'Local: clients reach endpoints on their own node only. Cluster, the default: all endpoints.',
    },
    clusterSelectors: clusterSelectors(
      'Those of the export, with the properties of this cluster filled in; status.clusterSelectorResults has what they select.',
    ),
    trafficDistribution: {
      type: 'string',
      description: 'Which endpoints are preferred to others, such as PreferSameZone: a wish, not a rule.',
    },
  },
}

export const SERVICE_IMPORT: Schema = objectSchema(
  'A Service that clusters of the set export, as this cluster has it.',
  {
    spec: SPEC,
    status: {
      type: 'object',
      description: 'Where the import is from, and whether it works; controllers write it.',
      properties: {
        clusters: clusterList('The clusters that export it.'),
        conditions: conditions('Ready: clients can use it.'),
        clusterSelectorResults: {
          type: 'array',
          description: 'What the selectors select, in their order.',
          maxItems: MAX_SELECTORS,
          'x-kubernetes-list-type': 'atomic',
          items: {
            type: 'object',
            description: 'The clusters of one selector.',
            properties: {
              clusters: {
                type: 'array',
                description: 'Their ids in the set; absent where it selects none.',
                'x-kubernetes-list-type': 'atomic',
                items: { type: 'string' },
              },
            },
          },
        },
        endpointSliceObjects: {
          type: 'string',
          description: 'Present: its endpoints are in EndpointSlices of this cluster. Absent: they are not.',
          enum: ['Present', 'Absent'],
        },
      },
    },
  },
)
