import { internalError } from '../apimachinery/errors/factories.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import type { AdmissionAttributes } from '../apiserver/registry/admission/types.ts'
import { DecodeError } from '../apiserver/schema/decode.ts'

/** Replaces the object of a request. @throws ApiError 500 for one that is not of its kind's form */
export function replaceObject(attributes: AdmissionAttributes, object: KubeObject): void {
  try {
    attributes.replaceObject(object)
  } catch (error) {
    if (error instanceof DecodeError) throw internalError(error.message)
    throw error
  }
}
