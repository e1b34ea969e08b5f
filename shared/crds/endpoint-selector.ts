import { ENDPOINT_SELECTORS, EXPRESSION_OPERATORS } from '../kubernetes/index.ts'
import { type CustomResourceDefinition, customResourceDefinition } from './definition.ts'
import { listMap, objectSchema, type Schema } from './schema.ts'

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const LABEL_VALUE = '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$'
const NAME_PART = '([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]'
const QUALIFIED_NAME = `^(${DNS_LABEL}([.]${DNS_LABEL})*/)?${NAME_PART}$`
/** A prefix of 253 characters, a slash and a name of 63. */
const MAX_QUALIFIED_NAME = 317
const MAX_LABEL_VALUE = 63
/** Of ports, of labels and of expressions: more cannot be meant, and the rules have a budget. */
const MAX_ITEMS = 64

const labelValue: Schema = { type: 'string', maxLength: MAX_LABEL_VALUE, pattern: LABEL_VALUE }

const EXPRESSION: Schema = {
  type: 'object',
  description: 'One condition on a label.',
  required: ['key', 'operator'],
  properties: {
    key: {
      type: 'string',
      description: 'The label.',
      maxLength: MAX_QUALIFIED_NAME,
      pattern: QUALIFIED_NAME,
    },
    operator: {
      type: 'string',
      description: 'How the label relates to the values.',
      enum: Object.keys(EXPRESSION_OPERATORS),
    },
    values: {
      type: 'array',
      description: 'For In and NotIn at least one; for Exists and DoesNotExist none.',
      'x-kubernetes-list-type': 'atomic',
      maxItems: MAX_ITEMS,
      items: labelValue,
    },
  },
  'x-kubernetes-validations': [
    {
      rule: "self.operator in ['In', 'NotIn'] == (has(self.values) && size(self.values) > 0)",
      message: 'In and NotIn need values, Exists and DoesNotExist have none',
    },
  ],
}

const SELECTOR: Schema = {
  type: 'object',
  description: 'The Pods of the namespace that are endpoints: those that match all of it.',
  properties: {
    matchLabels: {
      type: 'object',
      description: 'Labels and the value that each must have.',
      maxProperties: MAX_ITEMS,
      additionalProperties: labelValue,
    },
    matchExpressions: {
      type: 'array',
      description: 'Further conditions.',
      'x-kubernetes-list-type': 'atomic',
      maxItems: MAX_ITEMS,
      items: EXPRESSION,
    },
  },
  'x-kubernetes-validations': [
    {
      rule: '(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)',
      message:
        'an empty selector would match every Pod of the namespace: give matchLabels or matchExpressions',
    },
  ],
}

const PORT: Schema = {
  type: 'object',
  description: 'A port of the endpoints.',
  required: ['targetPort'],
  properties: {
    name: {
      type: 'string',
      description: 'Name of the port in the slices, which no other port has; it may be empty.',
      default: '',
      maxLength: MAX_LABEL_VALUE,
      pattern: `^(${DNS_LABEL})?$`,
    },
    protocol: {
      type: 'string',
      description: 'Protocol of the port.',
      default: 'TCP',
      enum: ['TCP', 'UDP', 'SCTP'],
    },
    targetPort: {
      description: 'A number, or the name of a port of each Pod’s containers, of the same protocol.',
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      minimum: 1,
      maximum: 65_535,
      maxLength: 15,
      allOf: [{ pattern: '^([a-z0-9]+-)*[a-z0-9]+$' }, { pattern: '[a-z]' }],
    },
    appProtocol: {
      type: 'string',
      description: 'Application protocol, which is copied to the slices.',
      maxLength: MAX_QUALIFIED_NAME,
      pattern: QUALIFIED_NAME,
    },
  },
}

const SCHEMA: Schema = {
  ...objectSchema(
    'Pods whose EndpointSlices are published without a Service, as KEP-6116 plans it for Kubernetes.',
    {
      spec: {
        type: 'object',
        description: 'What is published.',
        required: ['selector'],
        properties: {
          selector: SELECTOR,
          ipFamilies: {
            type: 'array',
            description: 'Families of the addresses; default: those that the Pods have.',
            'x-kubernetes-list-type': 'set',
            maxItems: 2,
            items: { type: 'string', enum: ['IPv4', 'IPv6'] },
          },
          ports: {
            ...listMap('Ports of the slices; default: none.', 'name', PORT),
            maxItems: MAX_ITEMS,
          },
        },
      },
    },
  ),
  required: ['spec'],
  'x-kubernetes-validations': [
    {
      rule: `size(self.metadata.name) <= ${MAX_LABEL_VALUE} && self.metadata.name.matches('^${DNS_LABEL}$')`,
      message: 'metadata.name must be a DNS label of at most 63 characters: it is a label of the slices',
    },
  ],
}

const { group, version, plural, kind } = ENDPOINT_SELECTORS

/** Returns the definition of EndpointSelector, like KEP-6116's without a status: it refuses what is wrong. */
export const endpointSelectorDefinition = (): CustomResourceDefinition =>
  customResourceDefinition({ resource: ENDPOINT_SELECTORS, versions: [version], schema: SCHEMA })

const roleOf = (to: readonly string[], verbs: readonly string[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: {
    name: `${kind.toLowerCase()}s-${to[0]}`,
    labels: Object.fromEntries(to.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true'])),
  },
  rules: [{ apiGroups: [group], resources: [plural], verbs }],
})

/** Returns the rules by which the roles view, edit and admin of a namespace cover EndpointSelectors. */
export const endpointSelectorRoles = () => [
  roleOf(['view', 'edit', 'admin'], ['get', 'list', 'watch']),
  roleOf(['edit', 'admin'], ['create', 'delete', 'deletecollection', 'patch', 'update']),
]
