import { conditions, objectSchema, type Schema } from '../../crds/index.ts'

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
      },
    },
    status: {
      type: 'object',
      description: 'What became of the export; controllers write it.',
      properties: {
        conditions: conditions(
          'Valid: there is a Service that can be exported. Ready: the other clusters have it. Conflict: the exports of other clusters disagree with it.',
        ),
      },
    },
  },
)
