import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import type { AttackCounts, FromTenant, TenantOptions, ToTenant } from './messages.ts'

/** The tenant's cluster and the attacker in it. */
interface TenantProcess {
  /** Makes what the attack is made of. */
  populate(): Promise<void>
  attack(seconds: number): Promise<AttackCounts>
  stop(): void
}

/** Gives way to Sliceflow, as a machine of its own would, and not to the quiet clusters. */
const PRIORITY = 10

export async function startTenantProcess(options: TenantOptions): Promise<TenantProcess> {
  const child = fork(new URL('./tenant-main.ts', import.meta.url), [JSON.stringify(options)])
  if (child.pid !== undefined) setPriority(child.pid, PRIORITY)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process of the tenant ended with ${code}`)
  })
  ended.catch(() => undefined)
  const next = async (): Promise<FromTenant> => {
    const [message]: FromTenant[] = await Promise.race([once(child, 'message'), ended])
    if (message === undefined) throw new Error('the process of the tenant said nothing')
    return message
  }
  const ask = (request: ToTenant): Promise<FromTenant> => {
    child.send(request)
    return next()
  }
  await next()
  return {
    async populate() {
      await ask({ kind: 'populate' })
    },
    async attack(seconds) {
      const answer = await ask({ kind: 'attack', seconds })
      if (answer.kind !== 'attacked') throw new Error(`the process of the tenant said ${answer.kind}`)
      return answer.counts
    },
    stop: () => child.disconnect(),
  }
}
