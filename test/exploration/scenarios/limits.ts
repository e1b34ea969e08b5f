import { FLIP, type NamedScenario, reconciled, scenariosOf } from './starts.ts'

/** Returns scenarios that no order of reads and writes can prevent; the next sweep mends them. */
export async function limits(): Promise<NamedScenario[]> {
  const cluster = await reconciled(1)
  return scenariosOf({
    'a message comes twice, one worker finishes it and the other dies between its write and its verification':
      [cluster, FLIP, { faults: { crashes: 1, duplicates: 1, sharedReceipts: true } }],
    'a write arrives after its worker has died and its message was handled again': [
      cluster,
      FLIP,
      { faults: { crashes: 1, strays: 1 } },
    ],
  })
}
