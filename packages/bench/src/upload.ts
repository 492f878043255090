import { fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { addBoilerGasSafetyRecord, addBoilerRecordAttachment } from '@caretaker/contract/compliance.ts'
import { startEmbedded } from '@caretaker/server/postgres/embedded.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { openPools } from '@caretaker/server/testing/database.ts'
import { startS3 } from '@caretaker/server/testing/s3-server.ts'
import { addDevice } from '@caretaker/server/testing/two-tenants.ts'
import { percentile, rounded } from './figures.ts'

/** What the process that uploads is told. */
interface Upload {
  url: string
  authorization: string
  fields: Record<string, string>
  bytes: number
}

const megabyte = 1_000_000
/** What a server does before its first upload counts: small ones, so that its libraries are loaded and it has been at work. */
const warmUps = 150

/**
 * By how much a certificate of 10 MB raises the memory of the process that takes it, into a folder and into a bucket: the highest that it
 * stood at while the upload ran, less where it stood before. The uploads come from a process of their own, in which the bucket is, too.
 * `--runs N` changes how many there are.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { runs: { type: 'string', default: '20' } } })
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-bench-'))
  const server = await startEmbedded(folder)
  const client = fork(import.meta.filename, ['client'])
  const answerOf = <T>() => new Promise<T>((resolve) => client.once('message', (message) => resolve(message as T)))
  try {
    const bucket = await answerOf<string>()
    const most: number[] = []
    for (const [store, settings] of [
      ['folder', { CARETAKER_DATA: folder }],
      ['bucket', { CARETAKER_DATA: folder, FILES_URL: bucket }],
    ] as const) {
      const send = (order: Upload) => {
        const answer = answerOf<number>()
        client.send(order)
        return answer
      }
      const figures = await raisesOf(server.url, { settings, runs: Number(values.runs), send })
      console.log(JSON.stringify({ store, ...figures }))
      most.push(figures.most)
    }
    console.log(`an upload of 10 MB raises memory by ${Math.max(...most)} MB at most (must be at most 5)`)
  } finally {
    if (client.connected) client.disconnect()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Store {
  settings: Record<string, string>
  runs: number
  send(order: Upload): Promise<number>
}

/** What uploads raise the memory of a server by, with a database of its own. */
async function raisesOf(url: string, { settings, runs, send }: Store) {
  const database = openPools(url)
  try {
    await migrate(database.owner)
    const test = await testApp(settings, database)
    const [tenant, email] = [`north-${randomUUID().slice(0, 8)}`, 'boiler@north.test']
    await test.addTenant(tenant)
    await test.addMember(tenant, email, 'BoilerEngineer')
    const deviceId = await addDevice(test, tenant, { product: 'BX' })
    await test.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = test.app.server.address() as AddressInfo
    const record = async () => {
      const { body } = await test.send(
        addBoilerGasSafetyRecord,
        {
          body: {
            tenant,
            deviceId,
            recordSerialNumber: randomUUID().slice(0, 20),
            recordTimestamp: new Date().toISOString(),
            recordStatus: 'Pass',
          },
        } as never,
        email,
      )
      return (body as { data: { recordId: string } }).data.recordId
    }
    const upload = async (bytes: number) => {
      const order: Upload = {
        url: `http://127.0.0.1:${port}${addBoilerRecordAttachment.path}`,
        authorization: `Bearer ${await test.token(email)}`,
        fields: { tenant, deviceId, recordId: await record() },
        bytes,
      }
      const before = process.memoryUsage.rss()
      let highest = before
      const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 2)
      const status = await send(order)
      clearInterval(watch)
      if (status !== 200) throw new Error(`the upload was answered with ${status}`)
      return (Math.max(highest, process.memoryUsage.rss()) - before) / megabyte
    }
    for (let n = 0; n < warmUps; n++) await upload(1000)
    const start = process.memoryUsage.rss()
    const raises: number[] = []
    for (let n = 0; n < runs; n++) raises.push(await upload(9_900_000))
    const figures = {
      MB: 9.9,
      first: rounded(raises[0]!),
      p50: rounded(percentile(raises, 0.5)),
      most: rounded(Math.max(...raises)),
      afterAll: rounded((process.memoryUsage.rss() - start) / megabyte),
    }
    await test.app.close()
    return figures
  } finally {
    await database.drop()
  }
}

/** In the process that uploads: says where the bucket is, then takes an order at a time, and answers with the status. */
async function takeOrders(): Promise<void> {
  const s3 = await startS3()
  process.on('disconnect', () => void s3.stop().finally(() => process.exit(0)))
  process.on('message', (order: Upload) => {
    sendOne(order).then(
      (status) => process.send!(status),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
  process.send!(s3.url)
}

async function sendOne({ url, authorization, fields, bytes }: Upload): Promise<number> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  const content = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(bytes), Buffer.from('\n%%EOF\n')])
  body.set('file', new Blob([content], { type: 'application/pdf' }), 'certificate.pdf')
  const response = await fetch(url, { method: 'POST', headers: { authorization }, body })
  if (!response.ok) console.error(await response.text())
  return response.status
}

if (process.argv[2] === 'client') await takeOrders()
