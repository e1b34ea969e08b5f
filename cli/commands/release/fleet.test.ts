import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ANNOTATION_RELEASE, FLEET_MANAGED_BY } from '../../../shared/changes/index.ts'
import { LABEL_MANAGED_BY } from '../../../shared/endpointslice/index.ts'
import { LABEL_IMPORT_NAME, serviceImports } from '../../../shared/fleet/index.ts'
import { ENDPOINT_SLICES, SERVICES } from '../../../shared/kubernetes/index.ts'
import { ANNOTATION_HELD_SINCE } from '../../../shared/reconciler/index.ts'
import { type CommandFleet, startCommandFleet } from '../../fleet.fixtures.ts'
import { outputOf } from '../../program.fixtures.ts'

const SINCE = '2026-01-01T12:00:00.123Z'
const IMPORTS = serviceImports('v1beta1')
const WEB = { namespace: 'shop', name: 'web' }

let fleet: CommandFleet
beforeEach(async () => {
  fleet = await startCommandFleet(['eu-1'])
  await fleet.clients[0]?.create(IMPORTS, {
    apiVersion: 'multicluster.x-k8s.io/v1beta1',
    kind: 'ServiceImport',
    metadata: WEB,
    spec: { type: 'ClusterSetIP', ports: [{ port: 80 }] },
  })
})
afterEach(() => fleet.stop())

const holdSlice = () =>
  fleet.clients[0]?.create(ENDPOINT_SLICES, {
    metadata: {
      namespace: 'shop',
      name: 'derived-a',
      labels: { [LABEL_IMPORT_NAME]: 'web', [LABEL_MANAGED_BY]: FLEET_MANAGED_BY },
      annotations: { [ANNOTATION_HELD_SINCE]: SINCE },
    },
    addressType: 'IPv4',
    endpoints: [],
  })

/** Runs the command and returns what it printed. */
const release = (...args: readonly string[]): Promise<string> => outputOf('release', ...fleet.flags, ...args)

/** Returns the annotations of the ServiceImport and of the Service. */
const annotations = async (): Promise<unknown[]> => [
  (await fleet.clients[0]?.get(IMPORTS, WEB))?.metadata?.annotations,
  (await fleet.clients[0]?.get(SERVICES, WEB))?.metadata?.annotations,
]

describe('release --fleet', () => {
  it('names the hold on the ServiceImport, and not on the Service of its name', async () => {
    await holdSlice()

    await expect(release('shop/web')).rejects.toThrow('no plan of Service shop/web of cluster eu-1 is held')
    expect(await release('--fleet', 'shop/web')).toBe(
      `released the plan of ServiceImport shop/web of cluster eu-1 that was held since ${SINCE}\n`,
    )
    expect(await annotations()).toEqual([{ [ANNOTATION_RELEASE]: SINCE }, undefined])
  })

  it('fails and writes nothing where no import is held, or there is none', async () => {
    await expect(release('--fleet', 'shop/web')).rejects.toThrow(
      'no plan of ServiceImport shop/web of cluster eu-1 is held',
    )
    await expect(release('--fleet', 'shop/wep')).rejects.toThrow('shop/wep')
    expect((await annotations())[0]).toBeUndefined()
  })
})
