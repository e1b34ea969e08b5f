import { copyFile, cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleCommand } from './command.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Makes the folder that an image is built from, and that runs as it is where there is Node.js 24: the command
 * with all that it needs, the ClusterRoles and alerts that it prints, and the Containerfile. Empties the
 * folder before.
 */
export async function bundleImage(folder: string): Promise<void> {
  await bundleCommand(folder, 'bundle')
  await copyFile(join(root, 'infra/image/Containerfile'), join(folder, 'Containerfile'))
  await cp(join(root, 'infra/rbac'), join(folder, 'infra/rbac'), { recursive: true })
  await cp(join(root, 'infra/prometheus/alerts.yaml'), join(folder, 'infra/prometheus/alerts.yaml'))
  const { name, version, license, type } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify({ name, version, license, type }, null, 2)}\n`,
  )
}
