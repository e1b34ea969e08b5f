import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

interface Fault {
  /** Path from the root of the repository. */
  readonly file: string
  /** Stands there once. */
  readonly code: string
  readonly instead: string
}

/**
 * Single-line faults of Sliceflow. But for `no-live`, they have no effect as long as nothing is perturbed.
 */
const FAULTS = {
  /** The relay's sweep finds what is wrong and sends nothing. */
  'no-sweep': {
    file: 'functions/relay/sweeps.ts',
    code: "    sweep(keys, 'sweep')",
    instead: "    sweep([], 'sweep')",
  },
  /** The relay sends no key for what a watch brings: its sweep does. */
  'no-live': {
    file: 'functions/relay/cluster-relay.ts',
    code: "lanes.add('live', about, changes)",
    instead: "lanes.add('live', about, [])",
  },
  /** The relay takes all slices for right. */
  'all-right': {
    file: 'shared/changes/compare-with-desired.ts',
    code: "every(({ length }) => length === 0) ? 'right' : 'wrong'",
    instead: "every(({ length }) => length >= 0) ? 'right' : 'wrong'",
  },
  /** The relay goes on where it was on a server that was set back. */
  'no-set-back': {
    file: 'shared/kubernetes/watcher.ts',
    code: 'compareVersions(metadata.resourceVersion, version) < 0',
    instead: 'false',
  },
  /** The relay takes what a new list does not name for still there. */
  'no-gone': {
    file: 'shared/kubernetes/object-table.ts',
    code: 'for (const key of missing ?? []) {',
    instead: 'for (const key of new Set<string>()) {',
  },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof FAULTS
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[]

const ROOT = new URL('../../', import.meta.url)

/**
 * Returns the file of a fault, and its text with the fault.
 * @throws Error if the code is not as the fault expects it
 */
export function faultySource(name: FaultName): { readonly url: string; readonly source: string } {
  const { file, code, instead } = FAULTS[name]
  const url = new URL(file, ROOT).href
  const text = readFileSync(fileURLToPath(url), 'utf8')
  if (text.split(code).length !== 2) throw new Error(`the fault ${name} has no place in ${file} any more`)
  return { url, source: text.replace(code, instead) }
}

/** Puts a fault into Sliceflow's code as it is loaded; to be called before. */
export function putFault(name: FaultName): void {
  const { url, source } = faultySource(name)
  registerHooks({
    load: (loaded, context, next) =>
      loaded === url ? { format: 'module-typescript', source, shortCircuit: true } : next(loaded, context),
  })
}
