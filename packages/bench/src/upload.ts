import { fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { crc32 } from 'node:zlib'
import { addBoilerGasSafetyRecord, addBoilerRecordAttachment } from '@caretaker/contract/compliance.ts'
import { startEmbedded } from '@caretaker/server/postgres/embedded.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { openPools } from '@caretaker/server/testing/database.ts'
import { startS3 } from '@caretaker/server/testing/s3-server.ts'
import { foldedObjects, jpegOf, pdfOf, png } from '@caretaker/server/testing/certificate-files.ts'
import { addDevice } from '@caretaker/server/testing/furnish/devices.ts'
import { percentile, rounded } from './figures.ts'

/** What is uploaded: pages that cannot be folded any further, pages whose objects are folded and must be read, and pictures. */
const contents = {
  pdf: { type: 'application/pdf', name: 'certificate.pdf' },
  'folded pdf': { type: 'application/pdf', name: 'certificate.pdf' },
  png: { type: 'image/png', name: 'certificate.png' },
  jpeg: { type: 'image/jpeg', name: 'certificate.jpg' },
} as const
type Content = keyof typeof contents

/** What the process that uploads is told: one file for each of these records, all at once. */
interface Upload {
  url: string
  authorization: string
  fields: Record<string, string>[]
  content: Content
  bytes: number
}

const megabyte = 1_000_000
/** What an upload may raise memory by at most, in MB: a picture is read whole, and written anew. */
const bound = 40
/** What a server does before its first upload counts: small ones, so that its libraries are loaded and it has been at work. */
const warmUps = 150

/**
 * By how much a certificate of 10 MB raises the memory of the process that takes it, into a folder and into a bucket, for each kind of
 * file, one alone and two at once: the highest that it stood at while the upload ran, less where it stood before. Two may raise it by
 * twice as much. The uploads come from a process of their own, in which the bucket is, too. `--runs N` changes how many there are of
 * each. Ends with 1 when it is more.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { runs: { type: 'string', default: '10' } } })
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-bench-'))
  const server = await startEmbedded(folder)
  const client = fork(import.meta.filename, ['client'])
  const answerOf = <T>() => new Promise<T>((resolve) => client.once('message', (message) => resolve(message as T)))
  try {
    const bucket = await answerOf<string>()
    let most = 0
    for (const [store, settings] of [
      ['folder', { CARETAKER_DATA: folder }],
      ['bucket', { CARETAKER_DATA: folder, FILES_URL: bucket }],
    ] as const) {
      const send = (order: Upload) => {
        const answer = answerOf<number[]>()
        client.send(order)
        return answer
      }
      const all = await raisesOf(server.url, { settings, runs: Number(values.runs), send })
      for (const figures of all) {
        console.log(JSON.stringify({ store, ...figures }))
        // A PDF is checked in a thread whose memory has a limit of its own (`files/pdf.ts`).
        if (!figures.content.endsWith('pdf')) most = Math.max(most, figures.most / figures.atOnce)
      }
    }
    console.log(
      `an upload of a picture of 10 MB raises memory by ${rounded(most)} MB at most (must be at most ${bound})`,
    )
    if (most > bound) process.exitCode = 1
  } finally {
    if (client.connected) client.disconnect()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Store {
  settings: Record<string, string>
  runs: number
  send(order: Upload): Promise<number[]>
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
    const upload = async (content: Content, bytes: number, atOnce = 1) => {
      const fields: Upload['fields'] = []
      for (let n = 0; n < atOnce; n++) fields.push({ tenant, deviceId, recordId: await record() })
      const url = `http://127.0.0.1:${port}${addBoilerRecordAttachment.path}`
      const order: Upload = { url, authorization: `Bearer ${await test.token(email)}`, fields, content, bytes }
      const before = process.memoryUsage.rss()
      let highest = before
      const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 2)
      const statuses = await send(order)
      clearInterval(watch)
      for (const status of statuses) if (status !== 200) throw new Error(`an upload was answered with ${status}`)
      return (Math.max(highest, process.memoryUsage.rss()) - before) / megabyte
    }
    const kinds = Object.keys(contents) as Content[]
    for (let n = 0; n < warmUps; n++) await upload(kinds[n % kinds.length]!, 1000)
    const figures = []
    for (const content of kinds)
      for (const atOnce of [1, 2]) {
        const start = process.memoryUsage.rss()
        const raises: number[] = []
        for (let n = 0; n < runs; n++) raises.push(await upload(content, 9_900_000, atOnce))
        figures.push({
          ...{ content, atOnce, MB: 9.9 },
          first: rounded(raises[0]!),
          p50: rounded(percentile(raises, 0.5)),
          most: rounded(Math.max(...raises)),
          afterAll: rounded((process.memoryUsage.rss() - start) / megabyte),
        })
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
    sendAll(order).then(
      (statuses) => process.send!(statuses),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
  process.send!(s3.url)
}

function sendAll({ url, authorization, fields, content, bytes }: Upload): Promise<number[]> {
  const { type, name } = contents[content]
  // Made before the first is sent: none may wait for the next.
  const bodies = fields.map((values) => {
    const body = new FormData()
    for (const [field, value] of Object.entries(values)) body.set(field, value)
    body.set('file', new Blob([fileOf(content, bytes)], { type }), name)
    return body
  })
  return Promise.all(
    bodies.map(async (body) => {
      const response = await fetch(url, { method: 'POST', headers: { authorization }, body })
      if (!response.ok) console.error(await response.text())
      return response.status
    }),
  )
}

/** A file of about so many bytes, each another one: what is stored already would not be stored again. */
function fileOf(content: Content, bytes: number): Buffer<ArrayBuffer> {
  switch (content) {
    case 'pdf':
      return pdfOf(
        'Certificate',
        `6 0 obj\n<< /Length ${bytes} >>\nstream\n${randomBytes(bytes).toString('latin1')}\nendstream\nendobj\n`,
      )
    case 'folded pdf':
      return pdfOf('Certificate', foldedOf(bytes))
    case 'png':
      return Buffer.concat([
        png.subarray(0, png.length - 12),
        chunkOf('teXt', randomBytes(bytes)),
        png.subarray(png.length - 12),
      ])
    case 'jpeg': {
      const picture = jpegOf({ ends: false })
      // A byte of 255 would begin a mark.
      const scan = randomBytes(bytes).map((byte) => byte & 0x7f)
      return Buffer.concat([picture, scan, Buffer.from([0xff, 0xd9])])
    }
  }
}

/** Folded objects of so many bytes together, none of which is larger than a program would write. */
function foldedOf(bytes: number): string {
  const each = 200_000
  const objects: string[] = []
  // Letters of four bits each fold to half of their length, and must be unfolded to be looked at.
  for (let size = 0; size < bytes - 2 * each; size += objects.at(-1)!.length)
    objects.push(foldedObjects(`(${randomBytes(Math.min(bytes, each)).toString('hex')})`))
  return objects.join('')
}

/** A chunk of a PNG: its length, its kind, its content and the sum of both. */
function chunkOf(kind: string, content: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), content])
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

if (process.argv[2] === 'client') await takeOrders()
