import { badRequest } from '../../../apimachinery/errors/factories.ts'
import { ApiError } from '../../../apimachinery/errors/status.ts'
import { type JsonObject, jsonText } from '../../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { ResourceDefinition } from '../../registry/definition/resource-definition.ts'
import type { TableColumns } from '../../registry/definition/table-columns.ts'
import { canonical } from '../../schema/decode.ts'
import { nameAndAge } from '../../table/columns.ts'
import type { Transform } from '../media-types.ts'
import type { ObjectList } from './list.ts'

/** Shows objects in another form than their own, as JSON texts. */
export interface ObjectPrinter {
  object(object: KubeObject): string
  list(list: ObjectList): string
  /** Prints the object as part of a watch event. */
  event(object: KubeObject): string
  bookmark(object: KubeObject): string
}

/** Returns the printer for what the client asked for. `now` is in milliseconds since 1970. */
export function printerFor(
  as: Transform,
  definition: ResourceDefinition,
  query: URLSearchParams,
  now: number,
): ObjectPrinter {
  if (as.kind === 'Table') return new TablePrinter(definition, as.version, includeOf(query), now)
  return new MetadataPrinter(as, definition)
}

type Include = 'Metadata' | 'Object' | 'None'

function includeOf(query: URLSearchParams): Include {
  const value = query.get('includeObject') ?? ''
  if (value === '' || value === 'Metadata') return 'Metadata'
  if (value === 'Object' || value === 'None') return value
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  )
}

function partial({ metadata }: KubeObject, version: string, { codec }: ResourceDefinition): JsonObject {
  const object = { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata }
  // Those that are made at run time have the members of theirs in the order of their names.
  return codec ? canonical(object, 'meta.PartialObjectMetadata') : object
}

class TablePrinter implements ObjectPrinter {
  readonly #definition: ResourceDefinition
  readonly #columns: TableColumns
  readonly #version: string
  readonly #include: Include
  readonly #now: number
  /** True once the columns were sent: only the first event of a watch has them. */
  #hasColumns = false

  constructor(definition: ResourceDefinition, version: string, include: Include, now: number) {
    this.#definition = definition
    this.#columns = definition.table ?? nameAndAge
    this.#version = version
    this.#include = include
    this.#now = now
  }

  object(object: KubeObject): string {
    return this.#table({ resourceVersion: object.metadata.resourceVersion }, [object], true)
  }

  list({ metadata, items }: ObjectList): string {
    const { compare } = this.#columns
    const objects = items.map(({ object }) => object)
    return this.#table(metadata, compare ? objects.sort(compare) : objects, true)
  }

  event(object: KubeObject): string {
    const first = !this.#hasColumns
    this.#hasColumns = true
    return this.#table({ resourceVersion: object.metadata.resourceVersion }, [object], first)
  }

  bookmark(object: KubeObject): string {
    const first = !this.#hasColumns
    this.#hasColumns = true
    return this.#table({ resourceVersion: object.metadata.resourceVersion }, [object], first)
  }

  #table(metadata: JsonObject, objects: readonly KubeObject[], columns: boolean): string {
    const table = this.#columns
    const rows = objects.map((object) => ({ cells: table.cells(object, this.#now), ...this.#shown(object) }))
    return jsonText({
      kind: 'Table',
      apiVersion: `meta.k8s.io/${this.#version}`,
      metadata,
      columnDefinitions: columns ? table.columns : null,
      rows: rows.length === 0 && table.nullWithoutRows ? null : rows,
    })
  }

  #shown(object: KubeObject): JsonObject {
    if (this.#include === 'None') return { object: null }
    return { object: this.#include === 'Object' ? object : partial(object, this.#version, this.#definition) }
  }
}

class MetadataPrinter implements ObjectPrinter {
  readonly #as: Transform
  readonly #definition: ResourceDefinition

  constructor(as: Transform, definition: ResourceDefinition) {
    this.#as = as
    this.#definition = definition
  }

  object(object: KubeObject): string {
    if (this.#as.kind === 'PartialObjectMetadataList') {
      throw this.#unfit('PartialObjectMetadataList', 'is not a list', '')
    }
    return jsonText(partial(object, this.#as.version, this.#definition))
  }

  list({ metadata, items }: ObjectList): string {
    if (this.#as.kind === 'PartialObjectMetadata')
      throw this.#unfit('PartialObjectMetadata', 'is a list', 'List')
    return jsonText({
      kind: 'PartialObjectMetadataList',
      apiVersion: `meta.k8s.io/${this.#as.version}`,
      metadata,
      items: items.map(({ object }) => partial(object, this.#as.version, this.#definition)),
    })
  }

  event(object: KubeObject): string {
    return jsonText(partial(object, this.#as.version, this.#definition))
  }

  bookmark(object: KubeObject): string {
    return jsonText(partial(object, this.#as.version, this.#definition))
  }

  #unfit(wanted: string, why: string, suffix: string): ApiError {
    const { group, kind, codec } = this.#definition
    const type = codec
      ? `*unstructured.Unstructured${suffix}`
      : `*${group.split('.')[0] || 'core'}.${kind}${suffix}`
    return new ApiError(
      406,
      'NotAcceptable',
      `you requested ${wanted}, but the requested object ${why} (${type})`,
    )
  }
}
