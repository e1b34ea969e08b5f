import type { JsonObject } from '../../../apimachinery/json/index.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'

/** Reads and writes the objects of a resource that no Go struct describes. */
export interface Codec {
  /**
   * Submitted JSON as an object: pruned, defaults filled in. Throws DecodeError where metadata has a wrong
   * type.
   */
  decode(value: JsonObject): KubeObject
  /** The object with its members in order. */
  encode(object: KubeObject): KubeObject
  /** The paths of fields that `decode` drops, as `spec.a[0].b`. */
  unknownFields(value: JsonObject): string[]
  /** A stored object as the version of this definition; the object itself is left as it is. */
  fromStorage(object: KubeObject): KubeObject
  toStorage(object: KubeObject): KubeObject
  /** As `decode`, of what a server-side apply makes of the stored object. Default: `decode`. */
  readonly decodeApplied?: (value: JsonObject) => KubeObject
  /** The OpenAPI schemas of all versions, by apiVersion, where there are several. */
  readonly versions?: ReadonlyMap<string, JsonObject>
  /** An object as another version, where that takes nobody outside. */
  readonly rename?: (object: KubeObject, apiVersion: string) => KubeObject
  /** Instead of `fromStorage` and `toStorage`, where somebody outside knows how, as a conversion webhook. */
  readonly external?: ExternalConversion
}

/** Conversion that takes time and may fail: it rejects with an ApiError. */
export interface ExternalConversion {
  /** Stored objects, of any versions, as the version of the definition; in their order. */
  fromStorage(objects: readonly KubeObject[]): Promise<KubeObject[]>
  toStorage(object: KubeObject): Promise<KubeObject>
  /** An object of any version as another. */
  convert(object: KubeObject, apiVersion: string): Promise<KubeObject>
}

/**
 * Where the objects of a resource are that another resource stores, as events.k8s.io shares its events with
 * the core group.
 */
export interface SharedStorage {
  /** Group of that resource: validation errors name the kind with it. */
  readonly group: string
  /** The resource that stores them, as `events`. */
  readonly resource: string
  /** A stored object as one of this resource; the object itself is left as it is. */
  fromStorage(object: KubeObject): KubeObject
  toStorage(object: KubeObject): KubeObject
}
