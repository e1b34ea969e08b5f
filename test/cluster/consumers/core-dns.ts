import { Resolver } from 'node:dns/promises'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureGoProgram } from '../../support/go-program.ts'
import { createChildProcesses, untilReady } from '../child-processes.ts'
import { freePort } from '../free-port.ts'

/** A CoreDNS that serves cluster.local, clusterset.local and the reverse zones of one cluster. */
export interface CoreDns {
  /**
   * Resolves a name to its addresses, sorted, or to the code of another answer, such as ENOTFOUND.
   * @param type default: A
   */
  addresses(name: string, type?: 'A' | 'AAAA'): Promise<readonly string[] | string>
  /** Resolves a name to its services, `target:port`, sorted, or to the code of another answer. */
  services(name: string): Promise<readonly string[] | string>
  /** Resolves an IPv4 address to its names, sorted, or to the code of another answer. */
  names(address: string): Promise<readonly string[] | string>
  stop(): Promise<void>
}

const MODULE = fileURLToPath(new URL('./coredns/program', import.meta.url))

/** @throws BinariesError if Go is missing or the build fails */
export const ensureCoreDns = (): Promise<string> => ensureGoProgram('coredns', MODULE)

interface CoreDnsOptions {
  /** Whether the cluster has the kinds of a cluster set, which clusterset.local needs. Default true. */
  readonly isMember?: boolean
  /** Label selector of the Services and slices that count; default: all. */
  readonly labels?: string
}

/** @param kubeconfig a file; its user may list and watch what is served */
export async function startCoreDns(kubeconfig: string, options: CoreDnsOptions = {}): Promise<CoreDns> {
  const program = await ensureCoreDns()
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-coredns-'))
  const processes = createChildProcesses()
  processes.guardFolder(folder)
  const port = await freePort()
  const file = join(folder, 'Corefile')
  await writeFile(file, corefile(port, kubeconfig, options))
  const child = await processes.start(program, ['-conf', file], join(folder, 'coredns.log'))
  // A resolver keeps answers for as long as they say: each question has one of its own.
  const ask = async <T>(question: (resolver: Resolver) => Promise<T>): Promise<T | string> => {
    const resolver = new Resolver({ timeout: 2_000, tries: 3 })
    resolver.setServers([`127.0.0.1:${port}`])
    return await question(resolver).catch((error: NodeJS.ErrnoException) => error.code ?? error.message)
  }
  const addresses: CoreDns['addresses'] = (name, type) =>
    ask(async (resolver) =>
      (await (type === 'AAAA' ? resolver.resolve6(name) : resolver.resolve4(name))).sort(),
    )
  await untilReady('CoreDNS', child, async () => (await addresses('nobody.cluster.local')) === 'ENOTFOUND')
  return {
    addresses,
    services: (name) =>
      ask(async (resolver) =>
        (await resolver.resolveSrv(name)).map((each) => `${each.name}:${each.port}`).sort(),
      ),
    names: (address) => {
      const zone = address.split('.').reverse().join('.')
      return ask(async (resolver) => (await resolver.resolvePtr(`${zone}.in-addr.arpa`)).sort())
    },
    async stop() {
      child.kill('SIGKILL')
      await child.ended
      processes.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const corefile = (
  port: number,
  kubeconfig: string,
  { isMember = true, labels }: CoreDnsOptions,
): string => `.:${port} {
  bind 127.0.0.1
  kubernetes cluster.local ${isMember ? 'clusterset.local ' : ''}in-addr.arpa ip6.arpa {
    kubeconfig ${kubeconfig}
    ${isMember ? 'multicluster clusterset.local' : ''}
    ${labels === undefined ? '' : `labels ${labels}`}
    ttl 0
  }
}
`
