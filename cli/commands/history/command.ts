import type { Command } from 'commander'
import { NAMESPACE, OUTPUT } from '../../options/common.ts'
import { createCommand } from '../../options/create-command.ts'
import { flag } from '../../options/flags.ts'
import { parseTime } from '../../options/time.ts'

const HELP = `
Reads what "run --record FILE" or a deployment has recorded, and asks no cluster. Rotated files (FILE.1 and so on) are read as
well. Several sources are merged in the order of time. A line that cannot be read is reported on standard error, and the rest
is used. S3 is read with the region and the credentials of the environment; days before --since and after --until or --at, and
other clusters, are not read.

Each line says that an endpoint came, left, moved to another slice or changed, why, by which version of the pod, who wrote it, and
how long after the change. Times are those of the workers' clocks, in UTC. What another client wrote is shown at the time at which it was noticed.
--at prints what was published at that time, by the records up to then.

-o json prints a line for each write: {version: 1, kind, time, slice, action, versionBefore, versionAfter, endpoints: [{event, addresses,
pod, podVersion, cause, from, to}], trigger, message, sync, hold, fights, worker, request}, or with --at one object:
{version: 1, cluster, namespace, service, ownerKind, at, lastRecord, slices: [{slice, version, time, addressType, ports, endpoints, isCertain}]}.

Examples:
  Who removed an endpoint last night, and why?
    $ sliceflow history eu-1 shop/web --address 10.1.2.3 --since 8h --from record.ndjson
  Charts of its last hour, to open in a browser:
    $ sliceflow history eu-1 shop/web --since 1h --from record.ndjson --report web.html
  What was published when the alarm fired?
    $ sliceflow history eu-1 shop/web --at 2026-03-01T03:12:00Z --from record.ndjson
  The same from a deployment, two days back:
    $ sliceflow history eu-1 shop/web --at 2026-03-01T03:12:00Z --since 2026-02-27T00:00:00Z --from s3://BUCKET/recording/
  The causes of all endpoints that left, counted:
    $ sliceflow history eu-1 shop/web --from record.ndjson -o json |
        jq -r '.endpoints[]? | select(.event == "Left") | .cause' | sort | uniq -c`

/** Times are in milliseconds since the epoch. */
export const GROUPS = {
  recorded: {
    from: flag('--from <source...>', 'files that were recorded, or s3://BUCKET/PREFIX', {
      isRequired: true,
    }),
  },
  filter: {
    address: flag('--address <address>', 'only this address'),
    pod: flag('--pod <name>', 'only this pod'),
    since: flag('--since <time>', 'an RFC 3339 time, or how long ago, such as 90s, 15m, 2h or 3d', {
      parse: parseTime,
    }),
    until: flag('--until <time>', 'in the same formats', { parse: parseTime }),
  },
  asked: {
    at: flag('--at <time>', 'in the same formats: print what was published at that time', {
      parse: parseTime,
      conflicts: ['until', 'address', 'pod', 'report'],
    }),
    report: flag('--report <file>', 'also write an HTML page with charts, in one file'),
    ...OUTPUT,
    ...NAMESPACE,
  },
}

export const historyCommand = (): Command =>
  createCommand({ help: HELP, groups: GROUPS })
    .argument('<cluster>', 'as the recording names it')
    .argument(
      '<service>',
      'NAMESPACE/NAME, or NAME with --namespace; of an EndpointSelector endpointselector/NAMESPACE/NAME',
    )
