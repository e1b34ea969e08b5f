import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'

/** Reads and writes the objects of a resource that no Go struct describes. */
export interface Codec {
  /** Decodes JSON as an object: pruned, with defaults. Throws DecodeError for metadata of a wrong type. */
  decode(value: JsonObject): KubeObject
  /** Returns the object with its members in order. */
  encode(object: KubeObject): KubeObject
  /** Returns the paths of fields that `decode` drops, such as `spec.a[0].b`. */
  unknownFields(value: JsonObject): string[]
  /** Returns a stored object in the version of this definition; the object itself stays as it is. */
  fromStorage(object: KubeObject): KubeObject
  toStorage(object: KubeObject): KubeObject
  /** Decodes as `decode` does, for what a server-side apply makes of the stored object. Default: `decode`. */
  readonly decodeApplied?: (value: JsonObject) => KubeObject
  /** The OpenAPI schemas of all versions, by apiVersion, where there are several. */
  readonly versions?: ReadonlyMap<string, JsonObject>
  /** An object as another version, where no webhook is needed. */
  readonly rename?: (object: KubeObject, apiVersion: string) => KubeObject
  /** Instead of `fromStorage` and `toStorage`, where a conversion webhook converts. */
  readonly external?: ExternalConversion
}

/** Conversion that takes time and may fail: it rejects with an ApiError. */
export interface ExternalConversion {
  /** Returns stored objects, of any versions, in the version of the definition and in their order. */
  fromStorage(objects: readonly KubeObject[]): Promise<KubeObject[]>
  toStorage(object: KubeObject): Promise<KubeObject>
  /** Converts an object of any version to another. */
  convert(object: KubeObject, apiVersion: string): Promise<KubeObject>
}

/** Storage of a resource whose objects another one stores, as events.k8s.io shares the core group's. */
export interface SharedStorage {
  /** Group of that resource: validation errors name the kind with it. */
  readonly group: string
  /** The resource that stores them, as `events`. */
  readonly resource: string
  /** Returns a stored object as one of this resource; the object itself stays as it is. */
  fromStorage(object: KubeObject): KubeObject
  toStorage(object: KubeObject): KubeObject
}
