import { type KeyText, keyText, type ServiceKey } from '../../changes/index.ts'
import type { EndpointPort, Service } from '../../endpointslice/index.ts'

/** The fields of a slice that show its Service. */
interface RecordedSlice {
  readonly addressType: string
  readonly ports: readonly EndpointPort[]
}

/** What a slice shows of its Service: it is `new`, was `found`, is `changed`, or the `same` as before. */
export type ServiceChange = 'new' | 'found' | 'changed' | 'same'

/** A Service, as far as its slices show it. */
interface Known {
  readonly key: ServiceKey
  readonly slices: Map<string, RecordedSlice>
  /** The slices that its last sync created, and the id of that sync. */
  made: { readonly sync: string; readonly slices: Set<string> }
  /** Grows whenever it is deleted and created again. */
  incarnation: number
  /** Grows with changes that its slices do not show, such as those of its labels. */
  revision: number
  revisedAt: number
  shape: string
  service: Service
}

/** Reconstructs Services from slices: address types, ports. One with several numbers is a named target. */
interface RecordedServices {
  find(key: ServiceKey): Service | undefined
  /** Returns the known content of one of its slices. */
  slice(key: ServiceKey, name: string): RecordedSlice | undefined
  /** Stores the content of a slice. @param isRead it was read, not written just now */
  put(key: ServiceKey, slice: string, content: RecordedSlice, isRead?: boolean): ServiceChange
  /** Records a change of the Service that its slices do not show. Simultaneous changes are one. */
  touch(key: ServiceKey, atMs: number): ServiceChange
  /** Notes that a sync created the slice. */
  made(key: ServiceKey, slice: string, sync: string): void
  /** Notes that the Service was made again if the sync created every existing slice. A sync counts once. */
  renewIfAllMade(key: ServiceKey, sync: string): ServiceChange
  /** @returns the Service if that was its last slice: an existing one has at least an empty slice */
  removeSlice(key: ServiceKey, slice: string): Service | undefined
  remove(key: ServiceKey): Service | undefined
  all(): Service[]
  /** Lists all slices as `namespace/name`. */
  slices(): string[]
}

export function createRecordedServices(): RecordedServices {
  const services = new Map<KeyText, Known>()

  function refresh(known: Known, ifChanged: ServiceChange): ServiceChange {
    const shape = JSON.stringify(shapeOf(known))
    if (shape === known.shape) return 'same'
    known.shape = shape
    known.service = serviceOf(known)
    return ifChanged
  }

  function remove(key: ServiceKey): Service | undefined {
    const text = keyText(key)
    const known = services.get(text)
    services.delete(text)
    return known?.service
  }

  return {
    find: (key) => services.get(keyText(key))?.service,
    slice: (key, name) => services.get(keyText(key))?.slices.get(name),
    put(key, slice, content, isRead = false) {
      const text = keyText(key)
      const known = services.get(text)
      if (known === undefined) {
        const slices = new Map([[slice, content]])
        const created: Known = {
          key,
          slices,
          made: { sync: '', slices: new Set() },
          incarnation: 0,
          revision: 0,
          revisedAt: 0,
          shape: '',
          service: {},
        }
        services.set(text, created)
        refresh(created, 'new')
        return isRead ? 'found' : 'new'
      }
      const before = known.slices.get(slice)
      known.slices.set(slice, content)
      if (before !== undefined && isSameSlice(before, content)) return 'same'
      // The slice of a Service without Pods has no ports, even if the Service has some.
      const hadPorts = known.service.spec?.ports?.length !== 0
      return refresh(known, isRead || !hadPorts ? 'found' : 'changed')
    },
    touch(key, atMs) {
      const known = services.get(keyText(key))
      if (known === undefined || known.revisedAt === atMs) return 'same'
      known.revision++
      known.revisedAt = atMs
      return refresh(known, 'changed')
    },
    made(key, slice, sync) {
      const known = services.get(keyText(key))
      if (known === undefined) return
      if (known.made.sync !== sync) known.made = { sync, slices: new Set() }
      known.made.slices.add(slice)
    },
    renewIfAllMade(key, sync) {
      const known = services.get(keyText(key))
      if (known?.made.sync !== sync || known.made.slices.size !== known.slices.size) return 'same'
      known.incarnation++
      known.made = { sync: '', slices: new Set() }
      return refresh(known, 'changed')
    },
    removeSlice(key, slice) {
      const known = services.get(keyText(key))
      if (known?.slices.delete(slice) !== true) return undefined
      if (known.slices.size === 0) return remove(key)
      refresh(known, 'found')
      return undefined
    },
    remove,
    all: () => [...services.values()].map(({ service }) => service),
    slices: () =>
      [...services.values()].flatMap(({ key, slices }) =>
        [...slices.keys()].map((name) => `${key.namespace}/${name}`),
      ),
  }
}

const isSameSlice = (one: RecordedSlice, other: RecordedSlice): boolean =>
  one.addressType === other.addressType && JSON.stringify(one.ports) === JSON.stringify(other.ports)

/** Derives the Service's fields from its slices. If none has ports, it keeps its previous ports. */
function shapeOf({ slices, incarnation, revision, service }: Known) {
  const all = [...slices.values()]
  const ports = portsOf(all)
  return {
    families: [...new Set(all.map(({ addressType }) => addressType))].sort(),
    ports: ports.length === 0 ? (service.spec?.ports ?? []) : ports,
    incarnation,
    revision,
  }
}

function portsOf(slices: readonly RecordedSlice[]): NonNullable<Service['spec']>['ports'] & object {
  const byName = Map.groupBy(
    slices.flatMap(({ ports }) => ports),
    ({ name }) => name ?? '',
  )
  return [...byName].map(([name, [first, ...others]]) => {
    const { port = 0, protocol = 'TCP', appProtocol } = first ?? {}
    const targetPort = others.some((other) => other.port !== port) ? targetName(name) : port
    return { name, port, protocol, targetPort, ...(appProtocol && { appProtocol }) }
  })
}

/** Returns the name that a Pod's container gives to the target of this port of the Service. */
export const targetName = (port: string): string => (port === '' ? 'port' : port)

function serviceOf(known: Known): Service {
  const { namespace, service: name } = known.key
  const { families, ports, incarnation, revision } = shapeOf(known)
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace,
      uid: `${String(incarnation).padStart(8, '0')}${UID_REST}`,
      ...(revision > 0 && { labels: { revision: String(revision) } }),
    },
    spec: { selector: { [name]: SELECTED }, clusterIP: '10.0.0.1', ipFamilies: families, ports },
  }
}

/** Value of a Pod's label for each Service that selects it; the Service's name is the key. */
export const SELECTED = 'selected'
/** Only its length matters. */
const UID_REST = '-0000-4000-8000-000000000002'
