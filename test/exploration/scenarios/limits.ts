import { FLIP, type NamedScenario, reconciled, TWO } from './starts.ts'

/** Returns scenarios that no order of reads and writes can prevent; the next sweep mends them. */
export async function limits(): Promise<NamedScenario[]> {
  const cluster = await reconciled(1)
  return [
    {
      ...TWO,
      name: 'a message comes twice, one worker finishes it and the other dies between its write and its look',
      cluster,
      steps: FLIP,
      faults: { crashes: 1, duplicates: 1, sharedReceipts: true },
    },
    {
      ...TWO,
      name: 'a write arrives after its worker has died and its message was handled again',
      cluster,
      steps: FLIP,
      faults: { crashes: 1, strays: 1 },
    },
  ]
}
