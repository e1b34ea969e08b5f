import { labelKey, labelName } from '../../kubernetes/index.ts'
import { isRecord } from '../../values/index.ts'
import { isAbsent, numberOf, type ReportFault, wordOf } from '../faults.ts'
import type { ImportPort } from '../resources.ts'
import { createPortUnion, MAX_PORTS } from './port-union.ts'

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'] as const

/** Reads the ports of a Service as an import has them; impossible ones are skipped and reported. */
export function readPorts(ports: unknown, reportFault: ReportFault): readonly ImportPort[] {
  if (isAbsent(ports)) return []
  if (!Array.isArray(ports)) {
    reportFault('spec.ports is not a list')
    return []
  }
  if (ports.length > MAX_PORTS) reportFault(`spec.ports after the first ${MAX_PORTS}`)
  const union = createPortUnion()
  for (const [index, item] of ports.slice(0, MAX_PORTS).entries()) {
    const port = readPort(item, `spec.ports[${index}]`, reportFault)
    const reason = port && union.add(port)
    if (reason !== undefined) reportFault(`spec.ports[${index}], as ${reason}`)
  }
  return union.ports
}

function readPort(item: unknown, path: string, reportFault: ReportFault): ImportPort | undefined {
  if (!isRecord(item)) {
    reportFault(`${path} is not an object`)
    return undefined
  }
  const faults: string[] = []
  const addFault: ReportFault = (fault) => faults.push(fault)
  const port = numberOf(item.port, { path: `${path}.port`, most: 65_535, otherwise: undefined }, addFault)
  const protocol = wordOf(
    item.protocol,
    { path: `${path}.protocol`, words: PROTOCOLS, otherwise: 'TCP' },
    addFault,
  )
  const name = nameOf(item.name, `${path}.name`, addFault)
  if (port === undefined && isAbsent(item.port)) addFault(`${path}.port is missing`)
  if (port === undefined || faults.length > 0) {
    for (const fault of faults) reportFault(fault)
    return undefined
  }
  const appProtocol = appProtocolOf(item.appProtocol, `${path}.appProtocol`, reportFault)
  return { name: name || undefined, protocol, appProtocol, port }
}

function nameOf(name: unknown, path: string, reportFault: ReportFault): string {
  if (isAbsent(name) || name === '') return ''
  if (typeof name === 'string' && labelName(name).length === 0) return name
  reportFault(`${path} is not a DNS label`)
  return ''
}

function appProtocolOf(value: unknown, path: string, reportFault: ReportFault): string | undefined {
  if (isAbsent(value)) return undefined
  if (typeof value === 'string' && labelKey(value).length === 0) return value
  reportFault(`${path} is not of the form of a label's key`)
  return undefined
}
