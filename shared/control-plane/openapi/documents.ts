import { createHash } from 'node:crypto'
import type { JsonObject } from '../json.ts'
import type { Registry } from '../registry/index.ts'
import { schemasOf } from './components.ts'
import { pathsOf } from './paths.ts'

export interface OpenApiDocument {
  readonly text: string
  readonly hash: string
}

/** The OpenAPI v3 documents, one a group-version; made when first asked for, and again when other resources are served. */
export class OpenApi {
  readonly #registry: Registry
  readonly #documents = new Map<string, OpenApiDocument>()
  /** The registry's, when the documents were made. */
  #generation = 0

  constructor(registry: Registry) {
    this.#registry = registry
  }

  /** `/openapi/v3` */
  index(): JsonObject {
    const paths = this.#registry.groupVersions.map((groupVersion) => {
      const path = pathOf(groupVersion)
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${this.document(path)?.hash ?? ''}` }]
    })
    return { paths: Object.fromEntries(paths) }
  }

  /** `/openapi/v3/PATH`; undefined for a group-version that is not served. */
  document(path: string): OpenApiDocument | undefined {
    if (this.#generation !== this.#registry.generation) this.#documents.clear()
    this.#generation = this.#registry.generation
    const known = this.#documents.get(path)
    if (known) return known
    const found = this.#registry.groupVersions.find((groupVersion) => pathOf(groupVersion) === path)
    if (!found) return undefined
    const definitions = this.#registry.definitions.filter(
      ({ group, version }) => group === found.group && version === found.version,
    )
    const text = JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'Kubernetes', version: '1.36' },
      paths: pathsOf(definitions),
      components: { schemas: schemasOf(definitions) },
    })
    const document = { text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() }
    this.#documents.set(path, document)
    return document
  }
}

function pathOf({ group, version }: { group: string; version: string }): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`
}
