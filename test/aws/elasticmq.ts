import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../cluster/free-port.ts'
import { BinariesError, programCache } from '../support/go-program.ts'
import type { Emulator } from './moto.ts'
import { runProgram } from './run-program.ts'

const VERSION = '1.7.1'
const READY_EVERY_MS = 200
const READY_ATTEMPTS = 300

/**
 * Starts ElasticMQ, an SQS server of its own making in Scala, which Maven brings into the cache first where
 * it is missing.
 * @throws BinariesError if Java or Maven is missing, or it does not start
 */
export async function startElasticMq(report: (line: string) => void): Promise<Emulator> {
  const jars = await ensureJars(report)
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-elasticmq-'))
  const port = await freePort()
  const config = join(folder, 'elasticmq.conf')
  await writeFile(config, configText(port))
  const args = [`-Dconfig.file=${config}`, '-cp', join(jars, '*'), 'org.elasticmq.server.Main']
  const child = spawn('java', args, { stdio: 'ignore' })
  const ended = once(child, 'close')
  const endpoint = `http://127.0.0.1:${port}`
  const stop = async (): Promise<void> => {
    child.kill()
    await ended
    await rm(folder, { recursive: true })
  }
  for (let attempt = 0; !(await answers(endpoint)); attempt++) {
    if (attempt === READY_ATTEMPTS || child.exitCode !== null) {
      await stop()
      throw new BinariesError(
        `failed to start ElasticMQ: it does not answer at ${endpoint}; it needs Java 11`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, READY_EVERY_MS))
  }
  return { endpoint, stop }
}

async function ensureJars(report: (line: string) => void): Promise<string> {
  const jars = programCache(`elasticmq-${VERSION}`)
  if (await readdir(jars).catch(() => undefined)) return jars
  report(`fetching ElasticMQ ${VERSION} into ${jars}`)
  await mkdir(programCache(), { recursive: true })
  const folder = await mkdtemp(`${jars}-`)
  try {
    await writeFile(join(folder, 'pom.xml'), POM)
    const copy = ['-q', '-B', '-f', join(folder, 'pom.xml'), 'dependency:copy-dependencies']
    await runProgram('mvn', [...copy, '-DincludeScope=runtime', '-DoutputDirectory=jars'], 'install Maven')
    await rename(join(folder, 'jars'), jars)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return jars
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>dev.sliceflow</groupId>
  <artifactId>elasticmq</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.elasticmq</groupId>
      <artifactId>elasticmq-server_2.13</artifactId>
      <version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>
`

const configText = (port: number): string => `include classpath("application.conf")
node-address { protocol = http, host = "127.0.0.1", port = ${port}, context-path = "" }
rest-sqs { enabled = true, bind-hostname = "127.0.0.1", bind-port = ${port}, sqs-limits = strict }
rest-stats { enabled = false }
`

const answers = (endpoint: string): Promise<boolean> =>
  fetch(endpoint).then(
    () => true,
    () => false,
  )
