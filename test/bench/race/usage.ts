import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'

/** Clock ticks a second in /proc, on every Linux. */
const TICKS = 100
const SAMPLE_MS = 250

export interface Usage {
  readonly cpuSeconds: number
  readonly memoryMb: number
}

const NO_USAGE: Usage = { cpuSeconds: 0, memoryMb: 0 }

/** Resources that were used while a meter ran. */
export interface MeterReading {
  /** Processor time, in seconds. `others`: of processes that have no part in the race. */
  readonly cpuSeconds: {
    readonly controller: number
    readonly apiServer: number
    readonly etcd: number
    readonly driver: number
    readonly others: number
  }
  /** The most that the controller's processes had resident at once. */
  readonly memoryMb: number
  /** The machine's load of the last minute. */
  readonly load: number
}

interface MeteredProcesses {
  readonly controller: number
  readonly apiServer: number
  readonly etcd: number
  /** Stands between controller and API server; its CPU counts for neither. */
  readonly proxy?: number | undefined
}

/** Starts to meter processes by their ids, with their children. The result ends it and returns the sums. */
export async function startMeter(ids: MeteredProcesses): Promise<() => Promise<MeterReading>> {
  const sample = async (): Promise<MeterReading['cpuSeconds'] & { proxy: number; memoryMb: number }> => {
    const { user, system } = process.cpuUsage()
    const [controller, apiServer, etcd, proxy, others] = await Promise.all([
      treeUsage(ids.controller),
      treeUsage(ids.apiServer),
      treeUsage(ids.etcd),
      ids.proxy === undefined ? NO_USAGE : treeUsage(ids.proxy),
      busySeconds(),
    ])
    return {
      controller: controller.cpuSeconds,
      apiServer: apiServer.cpuSeconds,
      etcd: etcd.cpuSeconds,
      driver: (user + system) / 1e6,
      proxy: proxy.cpuSeconds,
      others,
      memoryMb: controller.memoryMb,
    }
  }
  const first = await sample()
  let { memoryMb } = first
  let sampling: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    // If it has ended, the last sample reports that.
    sampling = treeUsage(ids.controller).then(
      (usage) => {
        memoryMb = Math.max(memoryMb, usage.memoryMb)
      },
      () => undefined,
    )
  }, SAMPLE_MS)
  return async () => {
    clearInterval(timer)
    await sampling
    const last = await sample()
    const controller = last.controller - first.controller
    const apiServer = last.apiServer - first.apiServer
    const etcd = last.etcd - first.etcd
    const driver = last.driver - first.driver
    const known = controller + apiServer + etcd + driver + last.proxy - first.proxy
    const others = Math.max(0, last.others - first.others - known)
    const [load = 0] = loadavg()
    return {
      cpuSeconds: { controller, apiServer, etcd, driver, others },
      memoryMb: Math.max(memoryMb, last.memoryMb),
      load,
    }
  }
}

/**
 * Measures a process with its children. Children that have ended count as far as their parents have waited
 * for them.
 * @throws if the process does not run
 */
export async function treeUsage(id: number): Promise<Usage> {
  const folder = `/proc/${id}`
  const files = ['stat', 'status', `task/${id}/children`].map((file) => readFile(`${folder}/${file}`, 'utf8'))
  const [stat = '', status = '', children = ''] = await Promise.all(files).catch((cause: unknown) => {
    throw new Error(`process ${id} has ended`, { cause })
  })
  const ids = children.split(' ').filter((text) => text !== '')
  // A child may end while it is measured.
  const usages = await Promise.all(ids.map((child) => treeUsage(Number(child)).catch(() => NO_USAGE)))
  return usages.reduce(
    (sum, usage) => ({
      cpuSeconds: sum.cpuSeconds + usage.cpuSeconds,
      memoryMb: sum.memoryMb + usage.memoryMb,
    }),
    { cpuSeconds: cpuSecondsOf(stat), memoryMb: residentMb(status) },
  )
}

/** Sums fields 14 to 17: utime, stime, cutime, cstime. The second one is a name that may hold spaces. */
export function cpuSecondsOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / TICKS
}

const residentMb = (status: string): number => Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024

/**
 * Reads the busy time of all processors since the machine's start: user, nice, system, irq, softirq and
 * steal.
 */
async function busySeconds(): Promise<number> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n')
  const [, user, nice, system, , , irq, softirq, steal] = line.split(/\s+/).map(Number)
  return [user, nice, system, irq, softirq, steal].reduce<number>((sum, ticks = 0) => sum + ticks, 0) / TICKS
}
