import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { z } from 'zod'
import { refuse } from '@caretaker/contract/refusal.ts'
import { route } from '@caretaker/contract/route.ts'
import { xlsxTable } from '../spreadsheets/xlsx.ts'
import { serveTenant, serveTenantInSteps } from '../http/serve.ts'
import type { SpooledFile } from '../http/spooled-file.ts'
import { tenantTable } from '../migrations/tenant-table.ts'
import { outsideTransaction } from '../postgres/scope.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { startS3 } from '../testing/s3-server.ts'
import { startVirusScanner } from '../testing/virus-scanner.ts'
import { keepFile, sendFile, stageFile } from './files.ts'
import { forgetFiles } from './retention.ts'
import { openStore } from './store.ts'

const day = 86_400_000
const inTwoDays = () => new Date(Date.now() + 2 * day)

/** A module with files: certificates, one file each. */
const tenant = z.string()
const addCertificate = route({
  method: 'POST',
  path: '/api/tenants/{tenant}/certificates',
  may: 'enter tenant',
  summary: 'Adds a certificate.',
  status: 201,
  params: z.object({ tenant }),
  form: z.object({ file: z.instanceof(File), fail: z.string().optional() }),
  reply: z.object({ id: z.string(), fileId: z.string(), name: z.string(), contentType: z.string(), size: z.number() }),
  limit: 40_000_000,
})
const getCertificate = route({
  method: 'GET',
  path: '/api/tenants/{tenant}/certificates/{id}/file',
  may: 'enter tenant',
  summary: 'The file of a certificate.',
  params: z.object({ tenant, id: z.string() }),
  file: 'application/octet-stream',
})
const maxBytes = 32_000_000
const modeOf = (place: string) => (statSync(place).mode & 0o777).toString(8)
const spoolModes = new Set<string>()
let spooledLast = ''

async function furnishRoom({ app, database }: TestApp): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: database.owner }) })
  await tenantTable(db, {
    name: 'certificate',
    columns: 'id uuid not null, file_id uuid not null, primary key (tenant_id, id)',
    foreignKeys: ['foreign key (tenant_id, file_id) references file (tenant_id, id)'],
  })
  serveTenantInSteps(app, addCertificate, async ({ context, tenant, form, inTx }) => {
    const { path: spooled } = form.file as SpooledFile
    spooledLast = spooled
    spoolModes.add(`${modeOf(path.dirname(spooled))} ${modeOf(spooled)}`)
    const staged = await stageFile(context, tenant, form.file, {
      referrer: 'certificate',
      allowed: ['application/pdf', 'image/png', 'image/svg+xml', xlsx],
      maxBytes,
    })
    return inTx(async ({ tx, person }) => {
      const { id: fileId, ...file } = await keepFile(tx, person, staged)
      const id = randomUUID()
      await tx
        .insertInto('certificate' as never)
        .values({ tenant_id: tx.tenant, id, file_id: fileId } as never)
        .execute()
      if (form.fail) throw refuse('refused', 'The record is not in order.')
      return { id, fileId, ...file }
    })
  })
  serveTenant(app, getCertificate, async (call) => {
    const { rows } = await sql<{ file_id: string }>`
      select file_id from certificate where tenant_id = ${call.tx.tenant} and id = ${call.params.id}`.execute(call.tx)
    if (!rows[0]) throw refuse('not found')
    return sendFile(call, rows[0].file_id)
  })
}

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' as const
const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')
/** A different file each time. */
const other = () => Buffer.concat([pdf, Buffer.from(`% ${randomUUID()}\n`)])
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const svg =
  '<?xml version="1.0"?>\n<!-- a plan -->\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-files-'))
let s3: Awaited<ReturnType<typeof startS3>>
beforeAll(async () => {
  s3 = await startS3()
})
afterAll(async () => {
  await s3.stop()
  rmSync(folder, { recursive: true, force: true })
})

const guest = 'guest@north.test'

for (const [where, settings] of [
  ['in a folder', () => ({ CARETAKER_DATA: folder })],
  ['in a bucket', () => ({ FILES_URL: s3.url })],
] as const)
  describe(`files ${where}`, () => {
    let it: TestApp
    beforeAll(async () => {
      it = await testApp(settings())
      await furnishRoom(it)
      for (const id of ['north', 'south']) await it.addTenant(id)
      await it.addMember('north', guest, 'Guest')
      await it.addMember('south', 'guest@south.test', 'Guest')
    })
    afterAll(() => it.close())

    const upload = (content: string | Buffer<ArrayBuffer>, name: string, more: { fail?: string } = {}) =>
      it.send(
        addCertificate,
        { params: { tenant: 'north' }, form: { file: new File([content], name), ...more } },
        guest,
      )
    const fetchFile = async (id: string, { email = guest, of = 'north', headers = {} } = {}) =>
      it.app.inject({
        method: 'GET',
        url: `/api/tenants/${of}/certificates/${id}/file`,
        headers: { authorization: `Bearer ${await it.token(email)}`, ...headers },
      })
    const counted = async (table: 'file' | 'loose_file') =>
      (await it.database.owner.query(`select from ${table}`)).rowCount
    const isStored = (fileId: string) =>
      it.context.files.read(`north/${fileId}`).then(
        (stream) => stream.destroy() && true,
        () => false,
      )

    test('an uploaded file is returned unchanged, with the type of its content instead of its name', async () => {
      const workbook = xlsxTable('Sheet', 1, 'UTC')
      workbook.rows.end([['A']])
      const sheet = Buffer.concat((await workbook.bytes.toArray()) as Buffer[])
      for (const [content, name, contentType] of [
        [pdf, 'gas safety.pdf', 'application/pdf'],
        [png, 'plan.pdf', 'image/png'],
        [Buffer.from(svg), 'C:\\plans\\Grundriß "1".svg', 'image/svg+xml'],
        [sheet, '../../list', xlsx],
      ] as const) {
        const { status, body } = await upload(content, name)
        assert.equal(status, 201, JSON.stringify(body))
        assert.deepEqual([body.contentType, body.size], [contentType, content.length])
        const sent = await fetchFile(body.id)
        assert.equal(sent.statusCode, 200)
        assert.deepEqual(sent.rawPayload, content)
        assert.equal(String(sent.headers['content-type']).replace(/; charset=utf-8$/, ''), contentType)
        assert.match(String(sent.headers['content-disposition']), /^attachment; filename=/)
        assert.doesNotMatch(String(sent.headers['content-disposition']), /[/\\]/)
        assert.match(String(sent.headers['content-security-policy']), /default-src 'none'.*sandbox/)
        assert.equal(sent.headers['x-content-type-options'], 'nosniff')
        assert.equal(sent.headers['cache-control'], contentType === 'image/svg+xml' ? 'private, no-cache' : 'no-store')
        const { rows } = await it.database.owner.query<{ sha256: Buffer }>('select sha256 from file where id = $1', [
          body.fileId,
        ])
        assert.deepEqual(rows[0]!.sha256, createHash('sha256').update(content).digest())
        const again = await fetchFile(body.id, { headers: { 'if-none-match': String(sent.headers.etag) } })
        assert.deepEqual([again.statusCode, again.rawPayload.length], [304, 0])
      }
    })

    test('a file with a virus is refused, and so is any while the scanner does not respond', async () => {
      const clamd = await startVirusScanner()
      const { config } = it.context
      config.virusScanner = clamd
      try {
        const infected = await upload(Buffer.concat([pdf, Buffer.from('EICAR')]), 'infected.pdf')
        assert.equal(infected.status, 415)
        assert.match(JSON.stringify(infected.body), /found Eicar-Signature in this file/)
        assert.equal((await upload(Buffer.concat([pdf, randomBytes(9)]), 'clean.pdf')).status, 201)
        config.virusScanner = { host: '127.0.0.1', port: 9 }
        assert.equal((await upload(Buffer.concat([pdf, randomBytes(9)]), 'unknown.pdf')).status, 503)
      } finally {
        config.virusScanner = undefined
        clamd.stop()
      }
    })

    test('a file that is empty, too large or of another type is rejected with the reason, and leaves nothing', async () => {
      const before = [await counted('file'), await counted('loose_file')]
      const wrong = /must be one of pdf, png, svg, xlsx/
      for (const [content, name, status, message] of [
        ['', 'empty.pdf', 415, /empty/],
        ['<html><svg></svg></html>', 'page.svg', 415, wrong],
        ['<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>', 'entities.svg', 415, wrong],
        ['plain words', 'words.pdf', 415, wrong],
        [Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;', 'latin1'), 'moving.gif', 415, wrong],
        [Buffer.concat([pdf, Buffer.alloc(maxBytes)]), 'large.pdf', 413, /larger than 32 MB/],
        [Buffer.alloc(41_000_000), 'enormous.pdf', 413, /too large/],
      ] as const) {
        const answer = await upload(content, name)
        assert.equal(answer.status, status, name)
        assert.match(answer.body.message, message)
      }
      assert.deepEqual([await counted('file'), await counted('loose_file')], before)
    })

    test('other users of the machine can read neither an upload nor the stored file', async () => {
      const { body } = await upload(other(), 'private.pdf')
      assert.deepEqual([...spoolModes], ['700 600'])
      while (existsSync(spooledLast)) await new Promise(setImmediate)
      if (where === 'in a bucket') return
      const kept = path.join(folder, 'files', 'north', body.fileId)
      assert.deepEqual([kept, path.dirname(kept), path.dirname(path.dirname(kept))].map(modeOf), ['600', '700', '700'])
    })

    test('a file that is too large is not logged as a server error', async () => {
      const before = it.logged.length
      assert.equal((await upload(Buffer.alloc(41_000_000), 'enormous.pdf')).status, 413)
      assert.deepEqual(it.logged.slice(before), [])
    })

    test('a file is sent after the transaction has ended: a slow client holds no connection', async () => {
      const content = Buffer.concat([pdf, randomBytes(30_000_000)])
      const { body } = await upload(content, 'long.pdf')
      const origin = it.app.server.listening
        ? `http://127.0.0.1:${(it.app.server.address() as { port: number }).port}`
        : await it.app.listen({ port: 0, host: '127.0.0.1' })
      const headers = { authorization: `Bearer ${await it.token(guest)}` }
      const request = get(`${origin}/api/tenants/north/certificates/${body.id}/file`, { headers })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const { app: pool } = it.database
      while (pool.idleCount < pool.totalCount) await new Promise(setImmediate)
      assert.equal(response.readableEnded, false)
      const taken = Buffer.concat((await response.toArray()) as Buffer[])
      assert.ok(taken.equals(content))
      assert.ok(!it.logged.some((line) => line.includes('Reply was already sent')), it.logged.join(''))
    })

    test("another tenant's file is not found, nor is a missing one", async () => {
      const { body } = await upload(pdf, 'mine.pdf')
      assert.equal((await fetchFile(body.id)).statusCode, 200)
      assert.equal((await fetchFile(body.id, { email: 'guest@south.test', of: 'south' })).statusCode, 404)
      assert.equal((await fetchFile(body.id, { email: 'guest@south.test' })).statusCode, 404)
      assert.equal((await fetchFile(randomUUID())).statusCode, 404)
      const sendAs = (name: string) =>
        inTenant(it.database.db, name, (tx) => sendFile({ tx, context: it.context }, body.fileId))
      await sendAs('north')
      await assert.rejects(sendAs('south'), { code: 'not found' })
    })

    test('the file of an abandoned upload is deleted after a day, not before', async () => {
      const files = await counted('file')
      const { status } = await upload(other(), 'failed.pdf', { fail: 'yes' })
      assert.equal(status, 422)
      assert.equal(await counted('file'), files)
      const { rows } = await it.database.owner.query<{ file_id: string }>('select file_id from loose_file')
      assert.equal(rows.length, 1)
      await forgetFiles(it.context)
      assert.ok(await isStored(rows[0]!.file_id))
      await forgetFiles(it.context, inTwoDays())
      assert.ok(!(await isStored(rows[0]!.file_id)))
      assert.equal(await counted('loose_file'), 0)
    })

    test('a file that no row refers to any more is deleted; one that is referred to stays', async () => {
      const [kept, given] = [(await upload(pdf, 'kept.pdf')).body, (await upload(other(), 'given.pdf')).body]
      await it.database.owner.query('delete from certificate where id = $1', [given.id])
      await forgetFiles(it.context)
      assert.ok(await isStored(given.fileId), 'whoever is at it may still give it its row')
      await forgetFiles(it.context, inTwoDays())
      assert.ok(!(await isStored(given.fileId)))
      assert.deepEqual((await fetchFile(kept.id)).rawPayload, pdf)
      assert.equal(await forgetFiles(it.context, inTwoDays()), 0)
      const { rows } = await it.database.owner.query<{ n: number }>('select count(*) as n from file where id = $1', [
        given.fileId,
      ])
      assert.equal(rows[0]!.n, 0)
    })

    test('the same content is stored once per tenant, for as long as any row refers to it', async () => {
      const content = other()
      const files = await counted('file')
      const [one, two] = await Promise.all([upload(content, 'one.pdf'), upload(content, 'two.pdf')])
      const third = await upload(content, 'three.pdf')
      assert.deepEqual(
        [one, two, third].map(({ status, body }) => [status, body.fileId, body.name]),
        ['one.pdf', 'two.pdf', 'three.pdf'].map((name) => [201, one.body.fileId, name]),
      )
      assert.equal(await counted('file'), Number(files) + 1)
      const certificates = [one, two, third].map(({ body }) => body.id)
      await it.database.owner.query('delete from certificate where id = any($1::uuid[])', [certificates.slice(1)])
      await forgetFiles(it.context, inTwoDays())
      assert.deepEqual((await fetchFile(certificates[0]!)).rawPayload, content)
      // Of two simultaneous copies, the surplus one is deleted.
      assert.equal(await counted('loose_file'), 0)
      await it.database.owner.query('delete from certificate where id = $1', [certificates[0]])
      // Uploaded again before the deletion, it stays: its grace period has restarted.
      await it.database.owner.query('update file set created_at = $2 where id = $1', [
        one.body.fileId,
        new Date(Date.now() - 2 * day),
      ])
      const again = await upload(content, 'again.pdf')
      assert.equal(again.body.fileId, one.body.fileId)
      await it.database.owner.query('delete from certificate where id = $1', [again.body.id])
      await forgetFiles(it.context)
      assert.ok(await isStored(one.body.fileId))
    })

    test('a file whose transaction takes longer than a day is not deleted during it', async () => {
      const { rows } = await it.database.owner.query<{ id: string }>(`select id from person where email = $1`, [guest])
      const person = rows[0]!
      const wanted = { referrer: 'certificate', allowed: ['application/pdf'] as const, maxBytes }
      const staged = await stageFile(it.context, 'north', new File([other()], 'long.pdf'), wanted)
      const { id } = await inTenant(it.database.db, 'north', async (tx) => {
        const file = await keepFile(tx, person, staged)
        await outsideTransaction(() => forgetFiles(it.context, inTwoDays()))
        return file
      })
      assert.ok(await isStored(id))
    })

    test('a module without a foreign key to its files gets an error with its first upload', async () => {
      const wanted = { referrer: 'device', allowed: ['application/pdf'] as const, maxBytes }
      await assert.rejects(
        stageFile(it.context, 'north', new File([pdf], 'a.pdf'), wanted),
        /device has no foreign key/,
      )
    })

    test('if the store is unreachable, the caller is asked to retry, the upload is not kept, and the log has the reason', async () => {
      const { files } = it.context
      const { body: kept } = await upload(pdf, 'kept.pdf')
      await forgetFiles(it.context, inTwoDays())
      const before = await counted('file')
      it.context.files = openStore({ filesUrl: 'http://a:b@127.0.0.1:9/none', dataDir: folder })
      try {
        assert.equal((await upload(other(), 'unreachable.pdf')).status, 503)
        assert.equal((await fetchFile(kept.id)).statusCode, 503)
        await forgetFiles(it.context, new Date(Date.now() + 4 * day))
        assert.equal(await counted('loose_file'), 1, 'it is tried again later')
      } finally {
        it.context.files = files
      }
      assert.equal(await counted('file'), before)
      assert.ok(it.logged.some((line) => line.includes('the file store failed') && line.includes('ECONNREFUSED')))
      await forgetFiles(it.context, new Date(Date.now() + 6 * day))
      assert.equal(await counted('loose_file'), 0)
    })
  })
