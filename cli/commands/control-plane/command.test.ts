import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createControlPlane, loadClusters } from '../../../shared/control-plane/index.ts'
import { kubeconfigText } from '../../../test/support/kubeconfig.ts'
import { createRawClient } from '../../../test/support/raw-client.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { commandNamed } from '../../program.fixtures.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => {
  vi.restoreAllMocks()
  // Commands that did not get as far as to wait for a signal still listen to it.
  for (const signal of ['SIGTERM', 'SIGINT']) process.removeAllListeners(signal)
})

async function run(...args: string[]): Promise<unknown> {
  const command = await commandNamed('control-plane')
  const quiet = { writeErr: () => undefined }
  return command.exitOverride().configureOutput(quiet).parseAsync(args, { from: 'user' })
}

/** Starts the command. Resolves to the first text that it writes, and to what ends it with its exit code. */
async function started(stream: 'stdout' | 'stderr', ...args: string[]) {
  const exited = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
  const first = Promise.withResolvers<string>()
  vi.spyOn(process[stream], 'write').mockImplementation((text) => {
    first.resolve(String(text))
    return true
  })
  const running = run(...args)
  const text = await first.promise
  return {
    text,
    async end() {
      process.emit('SIGTERM', 'SIGTERM')
      await running
      expect(exited).toHaveBeenCalledWith(0)
    },
  }
}

it('serves, reports the URL and the kubeconfig, and ends with 0 on SIGTERM', async () => {
  const kubeconfig = join(folder, 'admin.kubeconfig')
  // Of an earlier run, and readable by all.
  writeFileSync(
    kubeconfig,
    `# Kubeconfig of a Sliceflow control plane
apiVersion: v1
kind: Config
clusters:
  - name: old
    cluster:
      server: https://127.0.0.1:1
      certificate-authority-data: YQ==
users:
  - name: old-admin
`,
    { mode: 0o644 },
  )
  const flags = ['--kubeconfig-out', kubeconfig, '--data', join(folder, 'data')]
  const { text: line, end } = await started('stdout', ...flags)
  expect(line).toMatch(/^ready: https:\/\/127\.0\.0\.1:\d+ kubeconfig /)
  expect(readFileSync(kubeconfig, 'utf8')).toContain(/https:\S+/.exec(line)?.[0])
  await end()
  // Secrets are in it.
  for (const made of ['data', 'data/objects.sqlite', 'admin.kubeconfig']) {
    expect(statSync(join(folder, made)).mode & 0o077, made).toBe(0)
  }
})

it('leaves a kubeconfig alone that leads to a control plane which still runs, or is of others', async () => {
  const kubeconfig = join(folder, 'admin.kubeconfig')
  const other = await createControlPlane({ apis: { resources: [] } })
  await other.listen()
  onTestFinished(() => other.close())
  writeFileSync(kubeconfig, other.kubeconfig)
  await expect(run('--kubeconfig-out', kubeconfig)).rejects.toThrow(
    /still runs on https:\S+; name another file/,
  )
  expect(readFileSync(kubeconfig, 'utf8')).toBe(other.kubeconfig)
  writeFileSync(kubeconfig, 'apiVersion: v1\nkind: Config\nclusters: []\n')
  await expect(run('--kubeconfig-out', kubeconfig)).rejects.toThrow('is not a kubeconfig of a control plane')
})

it('names the cluster as requested, so that its kubeconfig can be merged with others', async () => {
  const files: string[] = []
  for (const name of ['123', 'us-1']) {
    const file = join(folder, name)
    files.push(file)
    const flags = ['--resources', 'generic', '--name', name, '--kubeconfig-out', file]
    const { end } = await started('stdout', ...flags)
    await end()
  }
  const clusters = await loadClusters(files, ['us-1', '123'])
  const tokens = await Promise.all(clusters.map(({ credentials }) => credentials()))
  expect(clusters.map(({ name }) => name)).toEqual(['us-1', '123'])
  expect(new Set(tokens.map(({ cert }) => cert)).size).toBe(2)
  await expect(run('--name', 'eu 1')).rejects.toThrow('It must be of letters, digits')
})

it('does not start without the audit log that it is to write', async () => {
  await expect(run('--audit-log', join(folder, 'missing', 'log'))).rejects.toThrow(
    /^failed to open the audit log .*missing/,
  )
})

it('appends its audit log to no file of others, and keeps its data in no folder of theirs', async () => {
  const file = join(folder, 'notes.txt')
  writeFileSync(file, 'mine')
  await expect(run('--audit-log', file)).rejects.toThrow(/is not an audit log, and stays as it is/)
  await expect(run('--data', folder)).rejects.toThrow(
    /failed to open the data folder .*: it is no data folder, and has files such as notes.txt: name an empty folder/,
  )
  expect(readFileSync(file, 'utf8')).toBe('mine')
  expect(readdirSync(folder)).toEqual(['notes.txt'])
})

it('says what is wrong with what it keeps, and whose it is', async () => {
  writeFileSync(join(folder, 'objects.sqlite'), 'nothing of SQLite'.repeat(100))
  await expect(run('--data', folder)).rejects.toThrow(
    /^failed to start the control plane: failed to open .*objects.sqlite: file is not a database$/,
  )
  await expect(
    run('--oidc-issuer-url', 'https://a', '--oidc-client-id', 'b', '--oidc-key-set', '/nowhere/keys'),
  ).rejects.toThrow(/^failed to start the control plane: failed to read the key set \/nowhere\/keys/)
})

it('says which flag leads to another address or port', async () => {
  await expect(run('--bind-address', 'nowhere.invalid')).rejects.toThrow(/choose another --bind-address$/)
})

it('says what is wrong with a kubeconfig that cannot be written', async () => {
  await expect(run('--kubeconfig-out', join(folder, 'missing', 'file'))).rejects.toThrow(
    /^failed to write the kubeconfig .*missing/,
  )
})

it.each([
  ['--event-ttl', 'soon', 'It must be a duration from 1s to 596h'],
  ['--event-ttl', '0s', 'It must be a duration from 1s to 596h'],
  ['--request-timeout', '1', 'It must be a duration from 1s to 596h'],
  ['--max-requests-inflight', '0', 'It must be a whole number, 1 to 1000000.'],
  ['--max-mutating-requests-inflight', '1.5', 'It must be a whole number, 1 to 1000000.'],
  ['--service-cluster-ip-range', 'none', 'failed to read service range none: it must be a CIDR block'],
  ['--service-cluster-ip-range', '10.0.0.0/16,', '--service-cluster-ip-range has an extra comma'],
  ['--client-ca-file', '/nowhere/ca.crt', 'failed to read the authorities /nowhere/ca.crt'],
  [
    '--client-ca-file',
    '/dev/null',
    'failed to read the authorities /dev/null: there is no certificate in PEM',
  ],
  ['--data', '/dev/null', 'failed to open the data folder /dev/null: /dev/null is no folder'],
  ['--data', '/proc/none', 'failed to open the data folder /proc/none: ENOENT'],
  ['--data', ' ', '--data is empty; give it a value, or leave it out'],
  ['--bind-address', '', '--bind-address is empty; give it a value, or leave it out'],
  [
    '--requestheader-allowed-names',
    'a',
    '--requestheader-allowed-names needs --requestheader-client-ca-file',
  ],
  ['--token-auth-file', '/nowhere/tokens', 'failed to read the token file /nowhere/tokens'],
  ['--oidc-issuer-url', 'https://a', '--oidc-issuer-url, --oidc-client-id and --oidc-key-set go together'],
  ['--oidc-groups-claim', 'groups', '--oidc-groups-claim needs --oidc-issuer-url'],
  ['--oidc-username-claim', 'email', '--oidc-username-claim needs --oidc-issuer-url'],
])('refuses %s %s', async (flag, value, why) => {
  await expect(run(flag, value)).rejects.toThrow(why)
})

it('refuses addresses of Services where there are none', async () => {
  const flags = ['--resources', 'generic', '--service-cluster-ip-range', '10.1.0.0/16']
  await expect(run(...flags)).rejects.toThrow('--service-cluster-ip-range goes with --resources services')
})

it('gives Services the addresses that a flag names', async () => {
  const kubeconfig = join(folder, 'admin.kubeconfig')
  const times = ['--event-ttl', '1h30m', '--request-timeout', '90s']
  const flags = ['--kubeconfig-out', kubeconfig, '--service-cluster-ip-range', '10.77.0.0/16', ...times]
  const { end } = await started('stdout', ...flags)
  const client = createRawClient(readFileSync(kubeconfig, 'utf8'))
  const { body } = await client.get('/apis/networking.k8s.io/v1/servicecidrs/kubernetes')
  client.close()
  await end()
  expect(body.spec.cidrs).toEqual(['10.77.0.0/16'])
})

it('reports nothing of what is in a file that should be a key set and is not', async () => {
  const file = join(folder, 'secret')
  writeFileSync(file, 'a-secret')
  const refused = run('--oidc-issuer-url', 'https://a', '--oidc-client-id', 'b', '--oidc-key-set', file)
  await expect(refused).rejects.toThrow(/^failed to start .*: failed to read the key set .*: it is no JSON$/)
})

it('refuses to run controllers without the server that they are for, and flags of theirs without them', async () => {
  await expect(run('--only', 'controllers')).rejects.toThrow('--only controllers needs --kubeconfig FILE')
  await expect(run('--controllers', 'namespace')).rejects.toThrow(
    '--controllers goes with --only controllers',
  )
  await expect(run('--only', 'apiserver', '--kubeconfig', 'file')).rejects.toThrow(
    '--kubeconfig goes with --only controllers',
  )
  await expect(run('--leader-elect', '--root-ca-file', 'file')).rejects.toThrow(
    '--root-ca-file, --leader-elect go with --only controllers',
  )
})

describe('with --only controllers', () => {
  const kubeconfig = (server: string): string => {
    const file = join(folder, 'kubeconfig')
    const user = { token: 'secret-token' }
    writeFileSync(file, kubeconfigText([{ name: 'there', server, authority: '', user }]))
    return file
  }
  const flags = (): string[] => ['--only', 'controllers', '--kubeconfig', kubeconfig('https://127.0.0.1:1')]
  const only = (...args: string[]) => run(...flags(), ...args)

  it('refuses flags of a server', async () => {
    await expect(only('--port', '6443')).rejects.toThrow(
      '--port goes with a server, and --only controllers runs none: leave one of them out',
    )
    await expect(only('--data', 'state', '--anonymous-auth', '--event-ttl', '1h')).rejects.toThrow(
      '--data, --anonymous-auth, --event-ttl go with a server',
    )
  })

  it('refuses controllers that there are not, and tokens without a key', async () => {
    await expect(only('--controllers', 'namespace,replicaset')).rejects.toThrow(
      '--controllers: there is no controller "replicaset"; choose from namespace, serviceaccount',
    )
    await expect(only('--controllers', 'serviceaccount-token-controller')).rejects.toThrow(
      'serviceaccount-token needs --service-account-private-key-file',
    )
    const key = join(folder, 'key')
    writeFileSync(key, 'not-a-key-but-a-secret')
    const refused = only('--service-account-private-key-file', key)
    await expect(refused).rejects.toThrow(/no RSA or EC key in PEM$/)
    await expect(only('--root-ca-file', '/nowhere/ca')).rejects.toThrow(
      'failed to read the root certificate /nowhere/ca',
    )
  })

  it('says that the server cannot be reached, goes on, and ends with 0 on SIGTERM', async () => {
    const controllers = 'garbagecollector,namespace-controller,root-ca-cert-publisher'
    const { text, end } = await started('stderr', ...flags(), '--controllers', controllers)
    expect(text).toMatch(/^sliceflow: failed to read \/apis? of cluster there: ECONNREFUSED/)
    expect(text).not.toContain('secret-token')
    await end()
  })
})
