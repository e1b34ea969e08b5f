import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))

/** The command `sliceflow views` on a cluster, as a process of its own; it is killed when the test ends. */
export interface ViewsCommand {
  /** Returns the deltas of EndpointViews so far, such as `Added testsvc-TCP-80`, and forgets them. */
  take(): string[]
  /** Number of deltas that can be taken. */
  readonly count: number
  readonly errors: readonly string[]
}

interface Line {
  readonly view: readonly {
    readonly type: string
    readonly object: { readonly kind: string; readonly metadata: { readonly name: string } }
  }[]
  readonly errors: readonly string[]
}

export function startViews(spec: string, kubeconfig: string): ViewsCommand {
  const child = spawn(execPath, [MAIN, 'views', '--spec', spec, '--kubeconfig', kubeconfig], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let told: string[] = []
  const errors: string[] = []
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line: Line = JSON.parse(text)
    const endpoints = line.view.filter(({ object }) => object.kind === 'EndpointView')
    told.push(...endpoints.map(({ type, object }) => `${type} ${object.metadata.name}`))
    errors.push(...line.errors)
  })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    take() {
      const taken = told
      told = []
      return taken
    },
    get count() {
      return told.length
    },
    errors,
  }
}
