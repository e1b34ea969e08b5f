import type { CommandEntry } from '../command-entry.ts'

/** Every command, in the order of the help. Each has a folder here. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    group: 'Run',
    summary:
      'reconcile EndpointSlices of real clusters from this machine: relay, queue and function in one process',
    details:
      '`--metrics-port` serves Prometheus, with [alerts and a Grafana dashboard](../infra/prometheus/README.md). `--console` serves [a page that shows it live](../cli/console/README.md).',
    load: async () => (await import('./run/command.ts')).runCommand(),
    run: async () => (await import('./run/run.ts')).run,
  },
  {
    name: 'preflight',
    group: 'Run',
    summary: 'check each cluster before the start: reach, credentials, permissions, what would be written',
    details: '[For each problem what to type](preflight.md).',
    load: async () => (await import('./preflight/command.ts')).preflightCommand(),
    run: async () => (await import('./preflight/run.ts')).run,
  },
  {
    name: 'demo',
    group: 'Run',
    summary:
      'show the whole path on embedded parts, with a comment on each step; needs neither a cluster nor an AWS account',
    details: '`--console` shows it on the page of `run --console`.',
    load: async () => (await import('./demo/command.ts')).demoCommand(),
    run: async () => (await import('./demo/demo.ts')).runDemo,
  },
  {
    name: 'status',
    group: 'Inspect',
    summary: 'show the state of clusters, relay and queues, and whether slices are up to date',
    details:
      'It has lag, dead letters, last sweep and audit. `--relay URL` of a run finds its queues and its settings. `--check` plans every Service and counts outdated ones.',
    load: async () => (await import('./status/command.ts')).statusCommand(),
    run: async () => (await import('./status/run.ts')).runStatus,
  },
  {
    name: 'explain',
    group: 'Inspect',
    summary:
      'show which pods of a Service are published where, which are not and why, and what would be written; or which Services publish a Pod, a Node or an address',
    details:
      'For each slice: its manager, age and hints. `pod/NAME`, `node/NAME`, `10.1.2.3`: which Services, slices and clusters publish it, since when, and why or why not. `--fleet`: who exports, which export wins, where each endpoint is imported.',
    load: async () => (await import('./explain/command.ts')).explainCommand(),
    run: async () => (await import('./explain/run.ts')).runExplain,
  },
  {
    name: 'history',
    group: 'Inspect',
    summary: 'show from a recording which endpoints of a Service came, left or changed, when and why',
    details:
      'With the cause and who wrote it. `--at TIME`: what was published then. `--report FILE.html`: the same as a page.',
    load: async () => (await import('./history/command.ts')).historyCommand(),
    run: async () => (await import('./history/run.ts')).runHistory,
  },
  {
    name: 'release',
    group: 'Repair',
    summary: 'release the held plan of a Service or of an import, so that it is written',
    load: async () => (await import('./release/command.ts')).releaseCommand(),
    run: async () => (await import('./release/run.ts')).runRelease,
  },
  {
    name: 'offboard',
    group: 'Repair',
    summary: 'remove the EndpointSlices that Sliceflow made in a cluster; only lists them without --yes',
    load: async () => (await import('./offboard/command.ts')).offboardCommand(),
    run: async () => (await import('./offboard/run.ts')).runOffboard,
  },
  {
    name: 'dead-letters',
    group: 'Repair',
    summary: 'list, redrive or drop keys that were given up',
    details:
      '`list`, `redrive` and `drop` select by cluster, namespace and class; for all lanes of a run with `--relay URL`.',
    load: async () => (await import('./dead-letters/command.ts')).deadLettersCommand(),
  },
  {
    name: 'plan',
    group: 'Plan and estimate',
    summary:
      'plan the EndpointSlices of Services: NDJSON cases on stdin, NDJSON plans on stdout; or what would change in a cluster set',
    details:
      '[The planning library](../shared/endpointslice/README.md) as a filter; a cluster set with `--fleet`.',
    load: async () => (await import('./plan/command.ts')).planCommand(),
    run: async () => (await import('./plan/run.ts')).runPlan,
  },
  {
    name: 'simulate',
    group: 'Plan and estimate',
    summary: 'simulate what publishing endpoints costs and how late it is, by policy, window and slice size',
    details:
      'Writes, bytes and delay; the KEP’s own tables; a recording with `--recording FILE`; `--advise`, `--scale`, `--report FILE.html`. [How it works](../shared/simulation/README.md).',
    load: async () => (await import('./simulate/command.ts')).simulateCommand(),
    run: async () => (await import('./simulate/run.ts')).runSimulate,
  },
  {
    name: 'cost',
    group: 'Plan and estimate',
    summary: 'show what a month of a deployment on AWS costs, line by line, by list prices',
    details: 'Each line has its formula and the date of its prices.',
    load: async () => (await import('./cost/command.ts')).costCommand(),
  },
  {
    name: 'rbac',
    group: 'Install',
    summary: 'print the ClusterRoles that Sliceflow needs in each cluster, and their bindings: YAML',
    details:
      '`--read-only` for shadow mode, `--operator` for people, `--fleet` for Services across clusters, `--mirroring`, `--canary`; `--serviceaccount` binds them to a ServiceAccount. [What each of them grants](../infra/rbac/README.md).',
    load: async () => (await import('./rbac/command.ts')).rbacCommand(),
  },
  {
    name: 'crds',
    group: 'Install',
    summary: 'print the CustomResourceDefinitions that a cluster needs: YAML',
    details:
      '`crds`: that of EndpointSelector, for [slices without a Service](endpoint-selectors.md); `--fleet`: those of ServiceExport and ServiceImport, for [Services across clusters](../shared/fleet/README.md).',
    load: async () => (await import('./crds/command.ts')).crdsCommand(),
  },
  {
    name: 'alerts',
    group: 'Install',
    summary: 'print the alerts of `sliceflow run` for Prometheus, with the names of your jobs: YAML',
    details: '[What each of them says](../infra/prometheus/README.md).',
    load: async () => (await import('./alerts/command.ts')).alertsCommand(),
  },
  {
    name: 'views',
    group: 'Other',
    summary: 'make views of objects as a spec declares, and print how they change: NDJSON or a table',
    details: '`--output table` for people, `--serve` for kubectl; [the language](../shared/views/README.md).',
    load: async () => (await import('./views/command.ts')).viewsCommand(),
    run: async () => (await import('./views/run.ts')).runViews,
  },
  {
    name: 'control-plane',
    group: 'Other',
    summary: 'serve a Kubernetes-style API from this machine, with nothing else installed',
    details:
      'With or without its controllers (`--only`): [your own control plane](../shared/control-plane/README.md).',
    load: async () => (await import('./control-plane/command.ts')).controlPlaneCommand(),
    run: async () => (await import('./control-plane/run.ts')).runControlPlane,
  },
  {
    name: 'completion',
    group: 'Other',
    summary: 'print the script with which a shell completes commands and flags',
    details: 'For bash, zsh and fish; it completes contexts as well.',
    load: async (commands) => (await import('./completion/command.ts')).completionCommand(commands),
  },
  {
    name: 'version',
    group: 'Other',
    summary: 'print the version, the supported versions of Kubernetes, and the version of Node.js',
    load: async () => (await import('./version/command.ts')).versionCommand(),
  },
]
