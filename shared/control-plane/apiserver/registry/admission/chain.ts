import { requestTimeout } from '../../../apimachinery/errors/factories.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { managersOf } from '../../managed-fields/managers.ts'
import { Reinvocation } from './reinvocation.ts'
import type { AdmissionAttributes, AdmissionPlugin, AdmissionRequest } from './types.ts'

/** Parts of the server that plugins may use while they handle a request. */
type AdmissionServices = Pick<
  AdmissionAttributes,
  'objects' | 'authorize' | 'now' | 'lifetime' | 'warn' | 'annotate'
> & {
  /** Reads JSON as an object of the request's kind, with defaults. */
  readonly decode: (value: JsonObject) => KubeObject
}

/** The plugins of one request. Without any, nothing is awaited, so that a write stays one step. */
export class Admission {
  readonly #request: AdmissionRequest
  readonly #services: AdmissionServices
  readonly #mutating: readonly AdmissionPlugin[]
  readonly #validating: readonly AdmissionPlugin[]

  constructor(plugins: readonly AdmissionPlugin[], request: AdmissionRequest, services: AdmissionServices) {
    const handling = plugins.filter((plugin) => plugin.handles?.(request) ?? true)
    this.#request = request
    this.#services = services
    this.#mutating = handling.filter(({ mutate }) => mutate)
    this.#validating = handling.filter(({ validate }) => validate)
  }

  get mutates(): boolean {
    return this.#mutating.length > 0
  }

  get validates(): boolean {
    return this.#validating.length > 0
  }

  /** Returns the object as the plugins have changed it. */
  async mutate(object: KubeObject, oldObject: KubeObject | undefined): Promise<KubeObject> {
    const changing = await this.#mutate(object, oldObject)
    if (changing === undefined || changing === object || managersOf(changing)) return changing ?? object
    this.#services.warn(
      '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: cannot be read',
    )
    const { managedFields } = object.metadata
    return { ...changing, metadata: { ...changing.metadata, managedFields } }
  }

  /** Admits a deletion. Mutating plugins see it too, and have nothing to change. */
  async admitDeletion(oldObject: KubeObject): Promise<void> {
    await this.#mutate(undefined, oldObject)
    await this.validate(undefined, oldObject)
  }

  async validate(object: KubeObject | undefined, oldObject: KubeObject | undefined): Promise<void> {
    const attributes = this.#attributes(oldObject, () => object)
    for (const plugin of this.#validating) {
      await plugin.validate?.(attributes)
      checkWaitedFor(attributes)
    }
  }

  async #mutate(
    object: KubeObject | undefined,
    oldObject: KubeObject | undefined,
  ): Promise<KubeObject | undefined> {
    let current = object
    const attributes = this.#attributes(
      oldObject,
      () => current,
      object &&
        ((value) => {
          current = this.#services.decode(value)
        }),
    )
    do {
      for (const plugin of this.#mutating) {
        await plugin.mutate?.(attributes)
        checkWaitedFor(attributes)
      }
    } while (!attributes.reinvocation.again && attributes.reinvocation.begin())
    return current
  }

  #attributes(
    oldObject: KubeObject | undefined,
    object: () => KubeObject | undefined,
    replaceObject: (value: JsonObject) => void = refuseReplacement,
  ): AdmissionAttributes {
    const { objects, authorize, now, lifetime, warn, annotate } = this.#services
    const request = this.#request
    return {
      ...request,
      // A generated name is known as soon as there is an object that has it.
      get name() {
        return request.name || (object()?.metadata.name ?? '')
      },
      get object() {
        return object()
      },
      oldObject,
      objects,
      authorize,
      now,
      lifetime,
      reinvocation: new Reinvocation(),
      replaceObject,
      warn,
      annotate,
    }
  }
}

/** Checks that the client still waits. After a timeout response, nothing is written. */
function checkWaitedFor({ lifetime }: AdmissionAttributes): void {
  if (lifetime.signal.aborted) throw requestTimeout()
}

function refuseReplacement(): void {
  throw new Error('failed to replace the object of a request: that is for mutate alone, and not for DELETE')
}
