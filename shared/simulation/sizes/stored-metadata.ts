import type { ObjectMeta } from '../../endpointslice/index.ts'

const SOME_TIME = '2026-01-01T00:00:00Z'

/** Adds what an API server adds to the metadata from a controller. Watch events contain all of it. */
export function storedMetadata(
  metadata: ObjectMeta,
  { version, fields, writer }: { version: number; fields: object; writer: string },
): ObjectMeta {
  return {
    ...metadata,
    creationTimestamp: SOME_TIME,
    generation: 1,
    resourceVersion: String(version),
    uid: metadata.uid ?? '00000000-0000-4000-8000-000000000003',
    managedFields: [
      {
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { ...fields, 'f:metadata': metadataFields(metadata) },
        manager: writer,
        operation: 'Update',
        time: SOME_TIME,
      },
    ],
  }
}

function metadataFields({ annotations, labels, ownerReferences, generateName }: ObjectMeta): object {
  return {
    ...(annotations && { 'f:annotations': membersOf(Object.keys(annotations)) }),
    ...(generateName && { 'f:generateName': {} }),
    ...(labels && { 'f:labels': membersOf(Object.keys(labels)) }),
    ...(ownerReferences && {
      'f:ownerReferences': {
        '.': {},
        ...Object.fromEntries(ownerReferences.map(({ uid }) => [`k:{"uid":"${uid}"}`, {}])),
      },
    }),
  }
}

const membersOf = (names: readonly string[]): object => ({
  '.': {},
  ...Object.fromEntries(names.map((name) => [`f:${name}`, {}])),
})
