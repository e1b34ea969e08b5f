import type { Command } from 'commander'
import { CLUSTERS, OUTPUT } from '../../options/common.ts'
import { createCommand } from '../../options/create-command.ts'
import { choice, flag } from '../../options/flags.ts'
import { FLEET } from '../../options/fleet.ts'
import { FLEET_SETTINGS, PLAN_SETTINGS } from '../../options/settings.ts'
import { FAIL_ON } from '../../preflight/fail-on.ts'

const HELP = `
Checks each cluster before \`run\` starts: whether the server answers, its version, clock and certificate, who you are there and for
how long, every permission that the settings need, whether another controller is at work, and what a first start would write. Give it
the flags that \`run\` gets. Nothing is written. docs/preflight.md has every check.

A line for each check: ✓ good, ! a warning, ✗ run would fail, - not checked, as an earlier check failed or a permission lacks that
only the checks need. After the arrow stands what to type. Each call ends after 10 s. Exit code 0 when all is well, 1 when run would
fail, 3 when it would work with warnings. With --fail-on all, run fails only where every cluster does.

-o json prints one object: {version: 1, outcome, clusters: [{name, server, checks: [{name, mark, reason, advice}]}]}; outcome is ok,
warning or failure, a mark one of these or unchecked; advice may be absent.

Examples:
  The current context's cluster:
    $ sliceflow preflight
  Two clusters of a set, in place of the in-tree controller:
    $ sliceflow preflight --fleet --mode replace --context eu-1 --context us-1
  The clusters of a deployment on AWS, reached and checked with your credentials:
    $ sliceflow preflight --stack Sliceflow --canary
  Before each start, as an init container does: one cluster that is down keeps no other from being served:
    $ sliceflow preflight --fail-on all --ignore-warnings --context eu-1 --context us-1
  Before comparing only:
    $ sliceflow preflight --shadow --mode replace`

export const FAIL_ON_FLAG = choice(
  '--fail-on <clusters>',
  'fail where a check fails in any cluster, or only where one fails in all of them: run serves the others without those that fail',
  FAIL_ON,
  { default: 'any', implies: { preflight: true } },
)

export const GROUPS = {
  clusters: CLUSTERS,
  deployment: {
    stack: flag(
      '--stack <name>',
      'a deployment on AWS, whose template names its clusters and settings: the name or ARN of its stack',
      { conflicts: ['context', 'clusters'] },
    ),
    clusters: flag(
      '--clusters <json>',
      'clusters of a deployment, as the variable SLICEFLOW_CLUSTERS of its functions has them',
      { conflicts: 'context' },
    ),
  },
  checks: {
    canary: flag('--canary', 'check the permissions of a deployment’s canary as well'),
    failOn: FAIL_ON_FLAG,
  },
  printed: {
    ignoreWarnings: flag('--ignore-warnings', 'exit with 0, not 3, when there are warnings only'),
    ...OUTPUT,
  },
  fleet: FLEET,
}

export const preflightCommand = (): Command =>
  createCommand({
    help: HELP,
    groups: GROUPS,
    settings: [...PLAN_SETTINGS, ...FLEET_SETTINGS, 'shadow'],
  })
