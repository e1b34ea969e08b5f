import { createHash } from 'node:crypto'
import { type JsonObject, jsonText, parseJson } from '../../apimachinery/json/exact-numbers.ts'
import type { ResourceDefinition } from '../registry/definition/resource-definition.ts'
import type { Registry } from '../registry/registry.ts'
import { DocumentV2Writer } from './document-v2.ts'
import { groupVersionDocument, rootDocument, rootNames } from './documents.ts'
import { encodeDocumentV2 } from './gnostic/encode.ts'

export interface OpenApiDocument {
  readonly text: string
  /** SHA-512 in upper-case hexadecimal digits. */
  readonly hash: string
}

/** Documents of other servers about the groups that they serve beside this one: those of APIServices. */
export interface OpenApiSource {
  /** Grows with every change of what `v2` returns. */
  readonly generation: number
  /** Returns v2 documents, with the paths and definitions of their own groups. */
  v2(): readonly JsonObject[]
  /** Returns index entries of v3 documents that the other servers serve, as `apis/metrics.k8s.io/v1beta1`. */
  openApiPaths(): JsonObject
}

/** Number of v3 documents whose text is cached; of others the hash: there may be thousands of groups. */
const KEPT_TEXTS = 64

interface Kept {
  readonly definitions: readonly ResourceDefinition[]
  readonly hash: string
}

/** A document of all that is served, with the generation that it is of. */
interface Current {
  readonly of: string
  readonly document: OpenApiDocument
  protobuf?: Uint8Array
}

/** The OpenAPI documents of what is served, each made when first asked for, and again on changes. */
export class OpenApi {
  readonly #registry: Registry
  readonly #source: OpenApiSource | undefined
  readonly #hashes = new Map<string, Kept>()
  /** The ones asked for last at the end. */
  readonly #texts = new Map<string, string>()
  readonly #writer = new DocumentV2Writer()
  #v2: Current | undefined

  constructor(registry: Registry, source?: OpenApiSource) {
    this.#registry = registry
    this.#source = source
  }

  /** Returns the answer at `/openapi/v3`. */
  index(): JsonObject {
    const names = [...this.#groupVersions.keys(), ...rootNames(this.#registry.definitions)]
    const own = names.map((name) => [
      name,
      { serverRelativeURL: `/openapi/v3/${name}?hash=${this.#hashOf(name)}` },
    ])
    const all: JsonObject = { ...Object.fromEntries(own), ...this.#source?.openApiPaths() }
    return { paths: Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))) }
  }

  /** Returns the answer at `/openapi/v3/NAME`; undefined if no document of this server has the name. */
  v3(name: string): OpenApiDocument | undefined {
    const hash = this.#hashOf(name)
    if (hash === undefined) return undefined
    const text = this.#texts.get(name) ?? goText(this.#make(name))
    this.#keep(name, text)
    return { text, hash }
  }

  /** Returns the answer at `/openapi/v2`. */
  v2(): OpenApiDocument {
    return this.#currentV2().document
  }

  /** Returns the answer at `/openapi/v2` in gnostic's protobuf. */
  v2Protobuf(): Uint8Array {
    const current = this.#currentV2()
    current.protobuf ??= encodeDocumentV2(parseJson<JsonObject>(current.document.text))
    return current.protobuf
  }

  #currentV2(): Current {
    const generation = this.#generation
    if (this.#v2?.of === generation) return this.#v2
    const text = this.#writer.write(this.#registry.definitions, this.#source?.v2() ?? [])
    const made = { of: generation, document: documentOf(text) }
    this.#v2 = made
    return made
  }

  get #generation(): string {
    return `${this.#registry.generation}/${this.#source?.generation ?? ''}`
  }

  /** Returns the hash of a document, which is made again only if its definitions have changed. */
  #hashOf(name: string): string | undefined {
    const definitions = this.#groupVersions.get(name) ?? []
    const kept = this.#hashes.get(name)
    if (kept && isSame(kept.definitions, definitions)) return kept.hash
    this.#texts.delete(name)
    this.#hashes.delete(name)
    const made = this.#make(name)
    if (made === undefined) return undefined
    const { text, hash } = documentOf(goText(made))
    this.#hashes.set(name, { definitions, hash })
    this.#keep(name, text)
    return hash
  }

  #make(name: string): JsonObject | undefined {
    const definitions = this.#groupVersions.get(name)
    return definitions ? groupVersionDocument(definitions) : rootDocument(name, this.#registry.definitions)
  }

  get #groupVersions(): Map<string, ResourceDefinition[]> {
    return Map.groupBy(this.#registry.definitions, ({ group, version }) =>
      group === '' ? `api/${version}` : `apis/${group}/${version}`,
    )
  }

  #keep(name: string, text: string): void {
    this.#texts.delete(name)
    this.#texts.set(name, text)
    const [oldest] = this.#texts.keys()
    if (this.#texts.size > KEPT_TEXTS && oldest !== undefined) this.#texts.delete(oldest)
  }
}

function documentOf(text: string): OpenApiDocument {
  return { text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() }
}

/** Writes JSON as Go does: safe within HTML. v3 documents are written so, and v2 ones are not. */
function goText(document: JsonObject | undefined): string {
  return jsonText(document ?? {}).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function isSame(a: readonly ResourceDefinition[], b: readonly ResourceDefinition[]): boolean {
  return a.length === b.length && a.every((definition, index) => definition === b[index])
}
