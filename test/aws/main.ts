/**
 * Runs what needs an emulator of AWS: the contracts of the adapters and a whole deployment on moto,
 * the queues on ElasticMQ, and functions by AWS' own runtime interface client: `npm run test:aws`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { env, exit, stderr } from 'node:process'
import { startElasticMq } from './elasticmq.ts'
import { ENDPOINT_VARIABLE, QUEUE_ENDPOINT_VARIABLE } from './endpoint.ts'
import { startEmulator } from './moto.ts'
import { CLIENT_VARIABLE, ensureRuntimeInterfaceClient } from './runtime-interface-client.ts'

const report = (line: string): boolean => stderr.write(`${line}\n`)
const emulators = await Promise.all([startEmulator(report), startElasticMq(report)])
const [moto, elasticMq] = emulators
const client = await ensureRuntimeInterfaceClient(report)
const vitest = spawn('vitest', ['run', '--project', 'unit', '--no-file-parallelism', 'test/aws'], {
  stdio: 'inherit',
  env: {
    ...env,
    [ENDPOINT_VARIABLE]: moto.endpoint,
    [QUEUE_ENDPOINT_VARIABLE]: elasticMq.endpoint,
    [CLIENT_VARIABLE]: client,
  },
})
const [code] = await once(vitest, 'close')
await Promise.all(emulators.map((emulator) => emulator.stop()))
exit(code ?? 1)
