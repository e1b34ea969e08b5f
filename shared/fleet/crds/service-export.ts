import { conditions, listMap, objectSchema, type Schema } from '../../crds/index.ts'
import { EXPRESSION_OPERATORS } from '../../kubernetes/index.ts'
import { MAX_REQUIREMENTS, MAX_SELECTORS } from '../resources.ts'

/** Clusters of the set by their ids, as exports and imports list them. */
export const clusterList = (description: string): Schema =>
  listMap(description, 'cluster', {
    type: 'object',
    description: 'A cluster of the set.',
    required: ['cluster'],
    properties: { cluster: { type: 'string', description: 'Its id in the set, a DNS label.' } },
  })

/** `clusterSelectors` of exports, and of imports, where the importing cluster's values are filled in. */
export const clusterSelectors = (description: string): Schema => ({
  type: 'array',
  description,
  maxItems: MAX_SELECTORS,
  'x-kubernetes-list-type': 'atomic',
  items: {
    type: 'object',
    description: 'Selects clusters of the set.',
    required: ['propertySelector'],
    properties: {
      propertySelector: {
        type: 'object',
        description: 'Selects them by their ClusterProperties; what it asks for must all be so.',
        minProperties: 1,
        properties: {
          matchProperties: {
            type: 'object',
            description:
              'Properties that a cluster must have, with these values; @SameAsImporter@ stands for the value of the cluster that imports.',
            minProperties: 1,
            maxProperties: MAX_REQUIREMENTS,
            additionalProperties: { type: 'string' },
          },
          matchExpressions: {
            type: 'array',
            description: 'Further requirements.',
            minItems: 1,
            maxItems: MAX_REQUIREMENTS,
            'x-kubernetes-list-type': 'atomic',
            items: {
              type: 'object',
              description: 'A requirement of one property.',
              required: ['key', 'operator'],
              properties: {
                key: { type: 'string', description: 'Name of the property.', minLength: 1, maxLength: 253 },
                operator: {
                  type: 'string',
                  description: 'How the property and the values are compared.',
                  enum: Object.keys(EXPRESSION_OPERATORS),
                },
                values: {
                  type: 'array',
                  description: 'Values of In and NotIn; none of the others.',
                  maxItems: MAX_REQUIREMENTS,
                  'x-kubernetes-list-type': 'atomic',
                  items: { type: 'string' },
                },
              },
            },
          },
        },
      },
    },
  },
})

const metadataMap = (description: string): Schema => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
})

export const SERVICE_EXPORT: Schema = objectSchema(
  'Makes the Service of the same name and namespace one that the other clusters of the set can reach.',
  {
    spec: {
      type: 'object',
      description: 'What of the export is not taken from the Service.',
      properties: {
        exportedLabels: metadataMap('Labels of the ServiceImports. Those of the Service are not copied.'),
        exportedAnnotations: metadataMap(
          'Annotations of the ServiceImports. Those of the Service are not copied.',
        ),
        clusterSelectors: clusterSelectors(
          'Which clusters an importing cluster prefers, the first choice first: those of the first selector that has an endpoint which is ready or serving. Without one, all clusters serve. Not for headless Services.',
        ),
      },
    },
    status: {
      type: 'object',
      description: 'What became of the export; controllers write it.',
      properties: {
        clusters: clusterList('The clusters that import it, where it is for some of the set alone.'),
        conditions: conditions(
          'Valid: there is a Service that can be exported. Ready: the other clusters have it. Conflict: the exports of other clusters disagree with it.',
        ),
      },
    },
  },
)
