import type { ClusterSet } from '../../shared/cluster-sets/index.ts'
import { shellWord } from '../../shared/kubernetes/index.ts'
import { parseSettings, type Settings } from '../../shared/settings/index.ts'
import type { LaneStatus } from '../local/index.ts'

/** What the commands of an operator need to know of the run that they are about. */
export interface CommandContext {
  readonly settings: Pick<Settings, 'mode' | 'managedBy'>
  /** Files that were named by flags; default: those that every command finds itself. */
  readonly kubeconfig?: readonly string[]
  /** URL of the run's `/status`, as far as it is served by now. */
  readonly relay?: () => string | undefined
  readonly sets?: readonly ClusterSet[]
}

export type OperatorCommands = ReturnType<typeof createOperatorCommands>

const ALL_NAMESPACES = '*'
const NO_SET = { members: [], namespaces: [ALL_NAMESPACES] }

/** Commands for an operator, ready to be typed. Services are named `namespace/name`. */
export function createOperatorCommands({
  settings,
  kubeconfig = [],
  relay = () => undefined,
  sets = [],
}: CommandContext) {
  const files = kubeconfig.flatMap((file) => ['--kubeconfig', file])
  const usual = parseSettings({})
  const mode = flagOf('--mode', settings.mode, usual.mode)
  const managedBy = flagOf('--managed-by', settings.managedBy, usual.managedBy)
  /** Names the run, whose settings the command takes then, or the settings themselves. */
  const ofRun = (): readonly string[] => {
    const url = relay()
    return url === undefined ? [...mode, ...managedBy] : ['--relay', url]
  }
  return {
    /** Releases the held plan of a Service. */
    release: (cluster: string, service: string): string =>
      lineOf('release', ...files, '--context', cluster, ...managedBy, service),
    explain: (cluster: string, service: string): string =>
      lineOf('explain', ...files, '--context', cluster, ...ofRun(), service),
    explainFleet(name: string, service: string): string {
      // A run that serves its settings names the members, too.
      const members = relay() === undefined ? memberFlags(sets.find((set) => set.name === name)) : []
      return lineOf('explain', ...files, '--fleet', name, ...members, ...ofRun(), service)
    },
    listDeadLetters(lanes: readonly LaneStatus[]): string {
      const url = relay()
      const queues = new Set(lanes.flatMap(({ deadLetters = [] }) => deadLetters))
      const from = url === undefined ? [...queues].flatMap((queue) => ['--queue', queue]) : ['--relay', url]
      return lineOf('dead-letters', 'list', ...from)
    },
  }
}

const flagOf = (flag: string, value: string, usual: string): readonly string[] =>
  value === usual ? [] : [flag, value]

/** Returns the flags that make the set as `run` has it. */
const memberFlags = ({
  members,
  namespaces,
  clusterSelection = false,
}: Pick<ClusterSet, 'members' | 'namespaces' | 'clusterSelection'> = NO_SET): readonly string[] => [
  ...members.flatMap(({ cluster }) => ['--context', cluster]),
  ...members.flatMap(({ cluster, id }) => (id === cluster ? [] : ['--fleet-id', `${cluster}=${id}`])),
  ...members.flatMap(({ cluster, role }) => (role === 'both' ? [] : ['--fleet-role', `${cluster}=${role}`])),
  ...(namespaces.join() === ALL_NAMESPACES ? [] : ['--fleet-namespaces', namespaces.join()]),
  ...(clusterSelection ? ['--fleet-cluster-selection'] : []),
  ...members.flatMap(({ cluster, properties = {} }) =>
    Object.entries(properties).flatMap(([name, value]) => [
      '--fleet-property',
      `${cluster}=${name}=${value}`,
    ]),
  ),
]

const lineOf = (...words: readonly string[]): string => ['sliceflow', ...words.map(shellWord)].join(' ')
