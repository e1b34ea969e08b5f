import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface FunctionOptions {
  /** Program of the runtime interface client. */
  readonly client: string
  /** Folder of the code, as it is in the archive that is uploaded. */
  readonly code: string
  readonly handler: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
}

export interface LambdaFunction {
  /** Calls the function in a free environment, or in a new one; rejects where it fails. */
  invoke(event: unknown): Promise<unknown>
  /** Returns the log as written so far. */
  log(): string
  /** Ends all environments; calls that run are lost. */
  stop(): Promise<void>
}

interface Call {
  readonly id: string
  readonly event: unknown
  readonly deadline: number
  resolve(answer: unknown): void
  reject(error: Error): void
}

interface Environment {
  call(call: Call): void
  stop(): Promise<void>
}

const RUNTIME = '/2018-06-01/runtime'

/**
 * Runs a function as Lambda does: environments of one call at a time, each a process of AWS' runtime
 * interface client, which asks its Runtime API for the next call. That API is served here.
 */
export function startLambdaFunction(options: FunctionOptions): LambdaFunction {
  const free: Environment[] = []
  const all: Promise<Environment>[] = []
  let log = ''
  const start = (): Promise<Environment> => {
    const environment = startEnvironment(options, (chunk) => {
      log += chunk
    })
    all.push(environment)
    return environment
  }
  return {
    async invoke(event) {
      const environment = free.pop() ?? (await start())
      const deadline = Date.now() + options.timeoutSeconds * 1000
      try {
        return await new Promise((resolve, reject) => {
          environment.call({ id: randomUUID(), event, deadline, resolve, reject })
        })
      } finally {
        free.push(environment)
      }
    },
    log: () => log,
    async stop() {
      await Promise.all(all.map(async (environment) => (await environment).stop()))
    },
  }
}

async function startEnvironment(
  options: FunctionOptions,
  onLog: (chunk: string) => void,
): Promise<Environment> {
  let current: Call | undefined
  let waiting: ServerResponse | undefined
  let hand: () => void = () => undefined
  const server = createServer((request, response) => void answer(request, response))
  hand = () => {
    if (waiting === undefined || current === undefined) return
    waiting
      .writeHead(200, {
        'Content-Type': 'application/json',
        'Lambda-Runtime-Aws-Request-Id': current.id,
        'Lambda-Runtime-Deadline-Ms': String(current.deadline),
        'Lambda-Runtime-Invoked-Function-Arn': 'arn:aws:lambda:us-east-1:123456789012:function:reconcile',
        'Lambda-Runtime-Trace-Id':
          'Root=1-00000000-000000000000000000000000;Parent=0000000000000000;Sampled=0',
      })
      .end(JSON.stringify(current.event))
    waiting = undefined
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '' } = request
    if (url === `${RUNTIME}/invocation/next`) {
      waiting = response
      hand()
      return
    }
    const body = await text(request)
    response.writeHead(202).end('{}')
    const call = current
    current = undefined
    if (url.endsWith('/response')) call?.resolve(JSON.parse(body))
    else call?.reject(new Error(body))
  }
  const port = await listen(server)
  const child = startClient(options, port)
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => onLog(String(chunk)))
  const ended = once(child, 'close').then(() => current?.reject(new Error('the environment has ended')))
  return {
    call(call) {
      current = call
      hand()
    },
    async stop() {
      child.kill('SIGKILL')
      server.closeAllConnections()
      server.close()
      await ended
    },
  }
}

const startClient = ({ client, code, handler, environment }: FunctionOptions, port: number): ChildProcess =>
  spawn(process.execPath, [client], {
    cwd: code,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...environment,
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
      AWS_LAMBDA_FUNCTION_NAME: 'reconcile',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      AWS_LAMBDA_LOG_GROUP_NAME: 'reconcile',
      AWS_LAMBDA_LOG_STREAM_NAME: 'reconcile',
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      LAMBDA_TASK_ROOT: code,
      _HANDLER: handler,
    },
  })

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
