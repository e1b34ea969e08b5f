/** Runs the contracts of the AWS adapters against moto, an emulator of AWS' API: `npm run test:aws`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { env, exit, stderr } from 'node:process'
import { ENDPOINT_VARIABLE } from './endpoint.ts'
import { startEmulator } from './moto.ts'

const emulator = await startEmulator((line) => stderr.write(`${line}\n`))
const vitest = spawn('vitest', ['run', '--project', 'unit', 'test/aws'], {
  stdio: 'inherit',
  env: { ...env, [ENDPOINT_VARIABLE]: emulator.endpoint },
})
const [code] = await once(vitest, 'close')
await emulator.stop()
exit(code ?? 1)
