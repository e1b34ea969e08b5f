/** A setting that others leave no room for. */
interface Contradiction {
  readonly name: string
  /** Says what is wrong, and what is nearest. */
  readonly message: string
}

/**
 * The managed-by value of kube-controller-manager's controller for Services with a selector.
 */
const IN_TREE_CONTROLLER = 'endpointslice-controller.k8s.io'

/** Settings that bear on each other. */
interface Related {
  readonly mode: string
  readonly managedBy: string
  readonly endpointSelectors: boolean
  readonly serviceProjection: boolean
  readonly batchSize: number
  readonly batchWindow: number
  readonly relayStandby: boolean
  readonly shadow: boolean
  readonly stateDir: string
}

/** Finds settings, each of them in its range, that contradict each other. */
export function contradictions(settings: Related): Contradiction[] {
  const { mode, managedBy, batchSize, batchWindow, relayStandby } = settings
  const found: Contradiction[] = []
  if (batchSize > 10 && batchWindow < 1)
    found.push({
      name: 'batchSize',
      message:
        'above 10 needs a batch window of at least 1 s (a rule of Lambda’s event source mappings for SQS)',
    })
  if (mode === 'custom' && managedBy === IN_TREE_CONTROLLER)
    found.push({
      name: 'managedBy',
      message: `${IN_TREE_CONTROLLER} is the in-tree controller’s, and in mode custom the slices of every Service with a selector stay its own: set mode to replace to take them over (with that controller off), or leave managedBy out`,
    })
  if (settings.endpointSelectors && managedBy === IN_TREE_CONTROLLER)
    found.push({
      name: 'endpointSelectors',
      message: `slices of EndpointSelectors never carry the in-tree controller’s value ${IN_TREE_CONTROLLER}: leave managedBy out, or endpointSelectors`,
    })
  if (settings.serviceProjection && !settings.endpointSelectors)
    found.push({
      name: 'serviceProjection',
      message: 'needs endpointSelectors, without which EndpointSelectors are not watched',
    })
  const against = relayStandby ? againstStandby(settings) : undefined
  if (against !== undefined) found.push({ name: 'relayStandby', message: against })
  return found
}

function againstStandby({ shadow, stateDir }: Pick<Related, 'shadow' | 'stateDir'>): string | undefined {
  if (shadow)
    return 'a shadow compares slices that are not as Sliceflow writes them: a standby cannot tell which are wrong'
  if (stateDir !== '')
    return 'a standby keeps no checkpoint: leave stateDir to the relay that it stands by for'
  return undefined
}
