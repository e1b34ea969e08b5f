import { readdirSync, readFileSync } from 'node:fs'
import { VERSION } from '../root/version.ts'
import type { Metric } from './exposition.ts'

/** Returns the process' metrics that Prometheus clients read from the system, and Kubernetes' version. */
export function processMetrics(): Metric[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, heapTotal } = process.memoryUsage()
  const started = Date.now() / 1000 - process.uptime()
  return [
    metric(
      'process_cpu_seconds_total',
      'Seconds of CPU time, of user and system.',
      (user + system) / 1e6,
      'counter',
    ),
    metric('process_start_time_seconds', 'When the process was started, in seconds since 1970.', started),
    metric('process_resident_memory_bytes', 'Resident memory.', rss),
    metric('process_virtual_memory_bytes', 'Virtual memory.', virtualMemory()),
    metric('process_open_fds', 'Open file descriptors.', openFiles()),
    metric('process_max_fds', 'How many file descriptors may be open.', mostFiles()),
    metric('nodejs_heap_size_used_bytes', 'Memory that JavaScript objects take.', heapUsed),
    metric('nodejs_heap_size_total_bytes', 'Memory that is there for JavaScript objects.', heapTotal),
    buildInfo(),
  ]
}

function metric(
  name: string,
  help: string,
  value: number | undefined,
  type: Metric['type'] = 'gauge',
): Metric {
  return { name, help, type, samples: value === undefined ? [] : [{ labels: {}, value }] }
}

function buildInfo(): Metric {
  const label = (name: string): string => String(VERSION[name])
  const labels = {
    build_date: label('buildDate'),
    compiler: label('compiler'),
    git_commit: label('gitCommit'),
    git_tree_state: label('gitTreeState'),
    git_version: label('gitVersion'),
    go_version: label('goVersion'),
    major: label('major'),
    minor: label('minor'),
    platform: label('platform'),
  }
  return {
    name: 'kubernetes_build_info',
    help: 'Always 1; the labels name the release of Kubernetes that the server behaves as.',
    type: 'gauge',
    samples: [{ labels, value: 1 }],
  }
}

/** Reads the virtual memory from Linux's files; undefined elsewhere. */
function virtualMemory(): number | undefined {
  const kilobytes = /^VmSize:\s+(\d+)/m.exec(read('/proc/self/status') ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

function mostFiles(): number | undefined {
  const most = /^Max open files\s+(\d+)/m.exec(read('/proc/self/limits') ?? '')?.[1]
  return most === undefined ? undefined : Number(most)
}

function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
