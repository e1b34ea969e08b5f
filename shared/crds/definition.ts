import { stringify } from 'yaml'
import type { Resource } from '../kubernetes/index.ts'
import type { Schema } from './schema.ts'

interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'date'
  readonly jsonPath: string
}

interface DefinitionOptions {
  readonly resource: Resource
  /** Served versions; the first one is stored. */
  readonly versions: readonly string[]
  readonly schema: Schema
  /** Default: its age alone. */
  readonly columns?: readonly PrinterColumn[]
  /** Whether the status is a subresource; default false. */
  readonly hasStatus?: boolean
  /** Default: none. */
  readonly shortNames?: readonly string[]
  /** Default: none. */
  readonly labels?: Readonly<Record<string, string>>
}

export type CustomResourceDefinition = ReturnType<typeof customResourceDefinition>

export const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

/** Makes the definition of a kind with namespaces. */
export const customResourceDefinition = ({
  resource: { group, plural, kind },
  versions,
  schema,
  columns = [AGE],
  hasStatus = false,
  shortNames,
  labels,
}: DefinitionOptions) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}`, ...(labels && { labels }) },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, singular: kind.toLowerCase(), kind, ...(shortNames && { shortNames }) },
    versions: versions.map((name, index) => ({
      name,
      served: true,
      storage: index === 0,
      ...(hasStatus && { subresources: { status: {} } }),
      additionalPrinterColumns: columns,
      schema: { openAPIV3Schema: schema },
    })),
  },
})

/** Returns objects as YAML, for `kubectl apply`, also behind what another command prints. */
export const yamlOf = (objects: readonly object[]): string =>
  objects
    .map((object) => `---\n${stringify(object, { aliasDuplicateObjects: false, lineWidth: 110 })}`)
    .join('')
