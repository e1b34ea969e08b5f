/**
 * A real cluster to try things on, until Ctrl-C: `node test/cluster/main.ts --controllers
 * endpointslice-controller,garbage-collector-controller` prints the kubeconfig's path. Nothing is left
 * behind.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { exit, stderr, stdout } from 'node:process'
import { Command } from 'commander'
import { startApiServer } from './api-server.ts'
import { ensureBinaries } from './binaries.ts'
import { startControllerManager } from './controller-manager.ts'

const command = new Command('main.ts')
  .description(
    'Starts etcd, kube-apiserver and, if asked for, kube-controller-manager; prints the kubeconfig.',
  )
  .option('--name <context>', 'of the context in the kubeconfig', 'test')
  .option(
    '--controllers <list>',
    'what the kube-controller-manager runs, such as *,-endpointslice-controller',
  )
const { name, controllers } = command.parse().opts<{ name: string; controllers?: string }>()

await ensureBinaries((line) => stderr.write(`${line}\n`))
const server = await startApiServer({ name })
const manager =
  controllers === undefined
    ? undefined
    : await startControllerManager({
        kubeconfig: server.kubeconfig.path,
        controllers: controllers.split(','),
        flags: [`--root-ca-file=${join(server.folder, 'ca.crt')}`],
      })
stdout.write(`${server.kubeconfig.path}\n`)
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await manager?.stop()
await server.stop()
exit(0)
