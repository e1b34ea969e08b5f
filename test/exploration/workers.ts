import { podsTwice, reconcileOnce, wrongSlices } from './at-rest.ts'
import { createEnvironmentChoices } from './environment-choices.ts'
import type { Choice, Model } from './explore.ts'
import { createProcessModel } from './process.ts'
import { createProcessChoices } from './process-choices.ts'
import { keyOfState, type Scenario, type WorkersState } from './scenario.ts'
import type { SimulatedCluster } from './simulated-api.ts'
import { createSteps } from './steps.ts'

/** All but the workers. */
const OTHERS = -1

/** Workers that reconcile one Service while it changes: every call of theirs and every change is a choice. */
interface WorkersModel extends Model<WorkersState> {
  /** Histories of one process that the real code was run for. */
  readonly histories: number
}

export function createWorkersModel(scenario: Scenario): WorkersModel {
  const model = createProcessModel(scenario.settings)
  const checked = new Map<number, Promise<readonly string[]>>()
  const steps = createSteps(scenario, model)
  const processChoices = createProcessChoices(scenario, steps)
  const environmentChoices = createEnvironmentChoices(scenario, steps)
  const { crashes = 0, losses = 0, duplicates = 0, strays = 0, relayOutages = 0 } = scenario.faults ?? {}

  /** Returns the actors, the current one first, so that the first choice goes on with what was begun. */
  function actorsOf({ actor, processes }: WorkersState): Set<number> {
    return new Set([...(actor === OTHERS ? [] : [actor]), ...processes.keys(), OTHERS])
  }

  function choicesOf(state: WorkersState, actor: number): readonly Choice<WorkersState>[] {
    const process = state.processes[actor]
    return process === undefined ? environmentChoices(state) : processChoices(state, actor, process)
  }

  function check(state: WorkersState, isEnd: boolean): Promise<readonly string[]> | readonly string[] {
    const wrong = [
      ...state.cluster.violations,
      ...(scenario.neverTwice === true ? podsTwice(state.cluster) : []),
    ]
    if (!isEnd || wrong.length > 0) return wrong
    const { key } = state.cluster
    const known = checked.get(key) ?? checkEnd(state.cluster)
    checked.set(key, known)
    return known
  }

  async function checkEnd(cluster: SimulatedCluster): Promise<readonly string[]> {
    const wrong = wrongSlices(scenario, cluster)
    return wrong.length > 0 ? wrong : (await reconcileOnce(scenario, cluster, model)).writes
  }

  return {
    start: {
      cluster: scenario.cluster,
      stepsDone: 0,
      queue: [],
      finished: new Set(),
      processes: Array.from({ length: scenario.processes }, () => steps.fresh),
      strays: [],
      faults: { crashes, losses, duplicates, strays, relayOutages },
      isRelayDown: false,
      actor: OTHERS,
      interruptions: scenario.maxInterruptions ?? 0,
    },
    choices(state) {
      const current = state.processes[state.actor]
      const isBusy = scenario.maxInterruptions !== undefined && (current?.state.calls.length ?? 0) > 0
      const choices: Choice<WorkersState>[] = []
      for (const actor of actorsOf(state)) {
        const isInterrupted = isBusy && actor !== state.actor
        if (isInterrupted && state.interruptions === 0) continue
        const interruptions = state.interruptions - (isInterrupted ? 1 : 0)
        const before = scenario.maxInterruptions === undefined ? state : { ...state, actor, interruptions }
        choices.push(...choicesOf(before, actor))
      }
      return choices
    },
    key: keyOfState,
    check,
    get histories() {
      return model.size
    },
  }
}
