import { stringify } from 'yaml'
import type { Schema } from './schema.ts'

export interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'date'
  readonly jsonPath: string
}

export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1'
  readonly kind: 'CustomResourceDefinition'
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly spec: {
    readonly group: string
    readonly scope: 'Namespaced'
    readonly names: {
      readonly plural: string
      readonly singular: string
      readonly kind: string
      readonly shortNames?: readonly string[]
    }
    readonly versions: readonly {
      readonly name: string
      readonly served: boolean
      readonly storage: boolean
      readonly subresources?: { readonly status: Readonly<Record<string, never>> }
      readonly additionalPrinterColumns: readonly PrinterColumn[]
      readonly schema: { readonly openAPIV3Schema: Schema }
    }[]
  }
}

export const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

/** Returns objects as YAML, for `kubectl apply`. */
export const yamlOf = (objects: readonly object[]): string =>
  objects.map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 110 })).join('---\n')
