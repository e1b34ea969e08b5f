/** The proxy of a remote cluster in a process of its own, so that its CPU counts for neither contender. */
import { stdout } from 'node:process'
import { Command, InvalidArgumentError } from 'commander'
import { startDelayingProxy } from '../../support/delaying-proxy.ts'
import { count, positive } from '../arguments.ts'

interface Options {
  readonly to: { readonly hostname: string; readonly port: number }
  readonly roundTrip: number
  readonly port?: number
}

function readAddress(text: string): Options['to'] {
  const [, hostname, port] = /^([^:]+):(\d+)$/.exec(text) ?? []
  if (hostname === undefined) throw new InvalidArgumentError('must be HOST:PORT.')
  return { hostname, port: Number(port) }
}

const { to, roundTrip, port } = new Command('node test/bench/race/delaying-proxy-main.ts')
  .description(
    'Listens on loopback and passes every connection on, later: as to a cluster in another region.',
  )
  .requiredOption('--to <host:port>', 'of the API server', readAddress)
  .requiredOption('--round-trip <ms>', 'until an answer can be there', positive)
  .option('--port <port>', 'to listen on (default: a free one)', count)
  .parse()
  .opts<Options>()
const proxy = await startDelayingProxy({
  target: to,
  roundTripMs: roundTrip,
  ...(port !== undefined && { port }),
})
stdout.write(`ready: 127.0.0.1:${proxy.port}\n`)
