import { createHash } from 'node:crypto'
import type { JsonObject } from '../json.ts'
import { apiVersionOf, type Registry } from '../registry/index.ts'

export interface OpenApiDocument {
  readonly text: string
  readonly hash: string
}

/** The OpenAPI v3 documents, one a group-version; made when first asked for. */
export class OpenApi {
  readonly #registry: Registry
  readonly #documents = new Map<string, OpenApiDocument>()

  constructor(registry: Registry) {
    this.#registry = registry
  }

  /** `/openapi/v3` */
  index(): JsonObject {
    const paths = this.#registry.groupVersions.map(({ group, version }) => {
      const path = group === '' ? `api/${version}` : `apis/${group}/${version}`
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${this.document(path)?.hash ?? ''}` }]
    })
    return { paths: Object.fromEntries(paths) }
  }

  document(path: string): OpenApiDocument | undefined {
    const known = this.#documents.get(path)
    if (known) return known
    const found = this.#registry.groupVersions.find(
      ({ group, version }) => path === (group === '' ? `api/${version}` : `apis/${group}/${version}`),
    )
    if (!found) return undefined
    const text = JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'Kubernetes', version: '1.36' },
      paths: {},
      components: { schemas: {} },
      groupVersion: apiVersionOf(found),
    })
    const document = { text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() }
    this.#documents.set(path, document)
    return document
  }
}
