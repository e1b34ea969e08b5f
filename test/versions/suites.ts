const inCluster = (...names: readonly string[]): string[] =>
  names.map((name) => `test/cluster/${name}.test.ts`)

/**
 * What is run on each version of Kubernetes: test files by the name of their suite. What compares every word
 * of kubectl or of the API server's errors is not here: it is recorded on one release.
 */
export const SUITES: Readonly<Record<string, readonly string[]>> = {
  reconciler: inCluster('servers', 'end-to-end', 'second-controller', 'shadow', 'leftovers', 'restored'),
  'run, and its settings': inCluster(
    'run-command',
    'run-command-bad-input',
    'run-command-custom',
    'one-cluster-two-names',
  ),
  preflight: inCluster('preflight'),
  'roles of sliceflow rbac': inCluster('least-privilege', 'fleet-least-privilege'),
  'kubeconfigs, beside kubectl': inCluster('kubeconfig/kubectl'),
  'mirroring of Endpoints': inCluster('mirroring', 'mirroring-run'),
  'cluster set': inCluster('fleet', 'fleet-definitions', 'odd-imports'),
  'views, read by kubectl': inCluster('views-kubectl'),
  'what differs, as said below': inCluster('version-differences'),
  'controllers of Kubernetes and ours': ['shared/control-plane/test/cluster/controllers.test.ts'],
}

/** The race of `npm run bench -- race`, which is judged by the slices in the end and not by its times. */
export const RACE = 'race, judged by the slices in the end'

export const SUITE_NAMES: readonly string[] = [...Object.keys(SUITES), RACE]
