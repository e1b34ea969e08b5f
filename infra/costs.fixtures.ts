import { DEFAULT_SIZE, type DeploymentSize, monthOf } from '../shared/costs/index.ts'

const size = (
  clusters: number,
  pods: number,
  changesPerSecond: number,
  more: Partial<DeploymentSize> = {},
): DeploymentSize => ({ ...DEFAULT_SIZE, clusters, pods, services: pods / 20, changesPerSecond, ...more })

const SIZES: Readonly<Record<string, DeploymentSize>> = {
  small: size(3, 3_000, 0.5),
  medium: size(20, 40_000, 10, { relayCpu: 512, relayMemory: 1024 }),
  large: size(100, 400_000, 100, { relayShards: 4, relayCpu: 1024, relayMemory: 2048 }),
}

/** Returns the table of costs in infra/README.md. */
export function costsTable(): string {
  const sizes = Object.values(SIZES)
  const months = sizes.map(monthOf)
  const [first] = months
  const row = (name: string, cells: readonly string[]): string => `| ${name} | ${cells.join(' | ')} |`
  return [
    row('', Object.keys(SIZES)),
    row('---', Object.keys(SIZES).fill('---:')),
    row(
      'clusters',
      sizes.map(({ clusters }) => count(clusters)),
    ),
    row(
      'Pods, 20 a Service',
      sizes.map(({ pods }) => count(pods)),
    ),
    row(
      'changes a second',
      sizes.map(({ changesPerSecond }) => count(changesPerSecond)),
    ),
    row(
      'relays: vCPU, GB',
      sizes.map((each) => `${each.relayShards} × ${each.relayCpu / 1024}, ${each.relayMemory / 1024}`),
    ),
    ...(first?.lines ?? []).map(({ what }, index) =>
      row(
        what,
        months.map(({ lines }) => dollarsText(lines[index]?.dollars ?? 0)),
      ),
    ),
    row(
      '**sum**',
      months.map(({ dollars }) => `**${dollarsText(dollars)}**`),
    ),
    row(
      'a standby in another region, on top',
      sizes.map((each) => dollarsText(monthOf({ ...each, standby: true }).dollars)),
    ),
  ].join('\n')
}

const count = (number: number): string => number.toLocaleString('en-US')

const dollarsText = (dollars: number): string =>
  `${dollars < 10 ? dollars.toFixed(2) : count(Math.round(dollars))} $`
