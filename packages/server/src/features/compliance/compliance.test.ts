import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  addBoilerGasSafetyRecord,
  addBoilerRecordAttachment,
  addBoilerWaterTreatmentRecord,
  changeComplianceFigures,
  getBoilerRecordAttachment,
  getBoilerRecords,
  getComplianceFigures,
  takeBackBoilerRecord,
} from '@caretaker/contract/compliance.ts'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { fetchProperties, getProperty } from '@caretaker/contract/properties.ts'
import type { BoilerRecord } from '@caretaker/contract/compliance.ts'
import { dayAfter, dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { monthsAfter } from '@caretaker/rules/compliance/due.ts'
import { forgetFiles } from '../../files/retention.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { foldedObjects, jpegOf, pdfOf, png } from '../../testing/certificate-files.ts'
import { startS3 } from '../../testing/s3-server.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { ingestStates } from '../devices/ingest.ts'
import { forgetDrafts } from './drafts.ts'
import { recomputeAllCompliance, recomputeUnmonitored, turnCompliance } from './compliance-states.ts'
import { makeAllDue } from '../../postgres/due.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { countDueDays } from '../properties/refresh-statuses.ts'
import { setTimeZone } from '../tenants/service.ts'

const zone = 'Europe/London'
const today = () => dayAt(Date.now(), zone)
const on = (day: string) => new Date(startOfDay(day, zone)).toISOString()
const [engineer, guest, lighting, limited, manager, limitedManager, stranger] = [
  'boiler@north.test',
  'guest@north.test',
  'lighting@north.test',
  'limited@north.test',
  'manager@north.test',
  'limited-manager@north.test',
  'manager@south.test',
]

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-compliance-'))
let s3: Awaited<ReturnType<typeof startS3>>
beforeAll(async () => {
  s3 = await startS3()
})
afterAll(async () => {
  await s3.stop()
  rmSync(folder, { recursive: true, force: true })
})

let counter = 0
/** A unique certificate. */
const certificate = () => pdfOf(`Certificate ${++counter}`)

for (const [where, settings] of [
  ['in a folder', () => ({ CARETAKER_DATA: folder })],
  ['in a bucket', () => ({ FILES_URL: s3.url })],
] as const)
  describe(`compliance records, certificates ${where}`, () => {
    let it: TestApp
    let boiler: string
    let theirs: string
    beforeAll(async () => {
      it = await testApp(settings())
      for (const id of ['north', 'south'])
        await it.addTenant(id, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
      const patch = await addAccessRightsTag(it, 'north', 'Patch')
      await it.addMember('north', engineer, 'BoilerEngineer')
      await it.addMember('north', guest, 'Guest')
      await it.addMember('north', lighting, 'LightingEngineer')
      await it.addMember('north', limited, 'BoilerEngineer', [patch])
      await it.addMember('north', manager, 'Manager')
      await it.addMember('north', limitedManager, 'Manager', [patch])
      await it.addMember('south', stranger, 'Manager')
      boiler = await addDevice(it, 'north', { product: 'BX' })
      theirs = await addDevice(it, 'south', { product: 'BX' })
    })
    afterAll(() => it.close())

    const own = (deviceId = boiler) => ({ tenant: 'north', deviceId })
    const gasRecord = (more: object = {}) => ({
      ...own(),
      recordSerialNumber: `LGSR-${++counter}`,
      recordTimestamp: on(today()),
      recordStatus: 'Pass' as const,
      ...more,
    })
    const waterRecord = (more: object = {}) => ({
      ...gasRecord(),
      testKitUsed: 'Adey MC1+ Quick Test' as const,
      ...more,
    })
    const addGas = (more: object = {}, email = engineer) =>
      it.send(addBoilerGasSafetyRecord, { body: gasRecord(more) }, email)
    const addWater = (more: object = {}, email = engineer) =>
      it.send(addBoilerWaterTreatmentRecord, { body: waterRecord(more) }, email)
    const upload = (
      recordId: string,
      content: Buffer<ArrayBuffer> | string = certificate(),
      { name = 'certificate.pdf', deviceId = boiler, email = engineer, tenant = 'north' } = {},
    ) =>
      it.send(
        addBoilerRecordAttachment,
        { form: { tenant, deviceId, recordId, file: new File([content], name) } },
        email,
      )
    const records = async (deviceId = boiler, email = engineer): Promise<BoilerRecord[]> => {
      const { status, body } = await it.send(getBoilerRecords, { body: own(deviceId) }, email)
      assert.equal(status, 200)
      return body.data!
    }
    const fetchFile = async (query: Record<string, string>, email = engineer) =>
      it.app.inject({
        method: 'GET',
        url: getBoilerRecordAttachment.path,
        query,
        headers: { authorization: `Bearer ${await it.token(email)}` },
      })
    const standing = async (deviceId = boiler) => {
      const { rows } = await it.database.owner.query<Record<'gas' | 'water', string>>(
        `select gas_state || ' ' || coalesce((gas_due_at at time zone 'Europe/London')::date::text, '') as gas,
           water_state || ' ' || (water_due_at at time zone 'Europe/London')::date as water
         from device where id = $1`,
        [deviceId],
      )
      return rows[0]!
    }
    const counted = async (table: string) => Number((await it.database.owner.query(`select from ${table}`)).rowCount)
    const newBoiler = () => addDevice(it, 'north', { product: 'BX' })

    test('a gas safety record exists with its certificate, never without [dev-3ent-25 dev-3ent-27 dev-7compliance-1 dev-7compliance-2 dev-7compliance-4 dev-7compliance-5]', async () => {
      const sent = { recordSerialNumber: ' LGSR-2025-08814 ', recordTimestamp: on('2025-11-28') }
      const added = await addGas(sent)
      assert.equal(added.body.isSuccessful, true)
      const { recordId } = added.body.data!
      assert.deepEqual(await records(), [], 'a draft is not listed')
      assert.equal((await standing()).gas, null, 'and does not count')
      const content = certificate()
      const { status, body } = await upload(recordId, content, { name: 'Gas safety (Küche).pdf' })
      assert.equal(status, 200, JSON.stringify(body))
      const { attachmentId } = body.data!
      assert.deepEqual(await records(boiler, guest), [
        {
          recordId,
          serialNumber: 'LGSR-2025-08814',
          recordType: 'GasSafety',
          status: 'Pass',
          timestamp: on('2025-11-28'),
          properties: { testKitUsed: null },
          attachmentIds: [attachmentId],
          ...{ withdrawn: null, coversAlso: null },
          attachments: [
            { attachmentId, name: 'Gas safety (Küche).pdf', contentType: 'application/pdf', size: content.length },
          ],
        },
      ])
      assert.match((await standing()).gas, /^(InDate|Due|Overdue) 2026-11-28$/)
      // Everyone who sees the boiler can open the certificate, as a file with its name that runs nothing.
      const file = await fetchFile({ ...own(), recordId, attachmentId }, guest)
      assert.equal(file.statusCode, 200)
      assert.deepEqual(file.rawPayload, content)
      assert.equal(file.headers['content-type'], 'application/pdf')
      assert.match(
        String(file.headers['content-disposition']),
        /^attachment; .*filename\*=UTF-8''Gas%20safety%20%28K%C3%BCche%29.pdf$/,
      )
      assert.match(String(file.headers['content-security-policy']), /sandbox/)
      const { rows } = await it.database.owner.query(
        `select action, after from audit_entry where tenant_id = 'north' and subject_id = $1`,
        [boiler],
      )
      assert.deepEqual(rows, [
        {
          action: 'compliance record added',
          after: {
            record: 'Gas safety',
            certificateNumber: 'LGSR-2025-08814',
            date: on('2025-11-28'),
            result: 'Pass',
            certificate: 'Gas safety (Küche).pdf',
          },
        },
      ])
    })

    test('a water treatment record with or without a file, with its test kit [dev-3ent-28 dev-7compliance-3]', async () => {
      const deviceId = await newBoiler()
      const day = dayAfter(today(), -10)
      const bare = await addWater({ deviceId, recordTimestamp: on(day) })
      assert.equal(bare.body.isSuccessful, true)
      assert.deepEqual(
        (await records(deviceId)).map(({ recordId, recordType, properties, attachmentIds }) => [
          ...[recordId, recordType, properties.testKitUsed],
          attachmentIds.length,
        ]),
        [[bare.body.data!.recordId, 'WaterTreatment', 'Adey MC1+ Quick Test', 0]],
      )
      // A treatment has no window within which it keeps its date.
      assert.equal((await standing(deviceId)).water, `InDate ${monthsAfter(day, 12)}`)
      const waiting = await addWater({ deviceId, awaitsAttachment: true, recordStatus: 'Fail' })
      assert.equal((await records(deviceId)).length, 1)
      assert.equal((await upload(waiting.body.data!.recordId, png, { deviceId, name: 'photo.png' })).status, 200)
      // A file can also be added later.
      assert.equal((await upload(bare.body.data!.recordId, jpegOf(), { deviceId, name: 'scan' })).status, 200)
      const [last, first] = await records(deviceId)
      assert.deepEqual([last!.status, last!.attachments[0]!.contentType], ['Fail', 'image/png'])
      assert.equal(first!.attachments[0]!.contentType, 'image/jpeg')
      assert.equal((await standing(deviceId)).water, `Failed ${monthsAfter(day, 12)}`)
    })

    test('a check within the window keeps the date, a late entry counts for its day, and a failed check stays until one passes', async () => {
      const deviceId = await newBoiler()
      const deadline = dayAfter(today(), 20)
      const before = monthsAfter(deadline, -12)
      const add = async (day: string, recordStatus: 'Pass' | 'Fail' = 'Pass') => {
        const { body } = await addGas({ deviceId, recordTimestamp: on(day), recordStatus })
        assert.equal((await upload(body.data!.recordId, certificate(), { deviceId })).status, 200)
      }
      await add(before)
      assert.equal((await standing(deviceId)).gas, `Due ${monthsAfter(before, 12)}`)
      await add(dayAfter(today(), -1), 'Fail')
      assert.equal((await standing(deviceId)).gas, `Failed ${monthsAfter(before, 12)}`)
      await add(today())
      assert.equal((await standing(deviceId)).gas, `InDate ${monthsAfter(monthsAfter(before, 12), 12)}`)
      await add(dayAfter(before, -400))
      assert.equal((await standing(deviceId)).gas, `InDate ${monthsAfter(monthsAfter(before, 12), 12)}`)
    })

    test('invalid content is refused with the reason, nothing is stored, and the record can be withdrawn', async () => {
      const deviceId = await newBoiler()
      const { recordId } = (await addGas({ deviceId })).body.data!
      const before = [await counted('file'), await counted('loose_file'), await counted('compliance_attachment')]
      const whole = certificate()
      const script = '<< /S /JavaScript /JS (app.alert(1)) >>'
      for (const [content, name, status, message] of [
        [
          '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
          'photo.png',
          415,
          /one of pdf, png, jpg/,
        ],
        ['plain words', 'certificate.pdf', 415, /one of pdf, png, jpg/],
        [Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;', 'latin1'), 'photo.jpg', 415, /one of pdf/],
        ['', 'certificate.pdf', 415, /empty/],
        [whole.subarray(0, whole.length - 40), 'certificate.pdf', 415, /not complete/],
        [png.subarray(0, png.length - 20), 'photo.png', 415, /not complete/],
        [jpegOf({ ends: false }), 'photo.jpg', 415, /not complete/],
        [pdfOf('x', `7 0 obj\n${script}\nendobj\n`), 'certificate.pdf', 415, /contains script/],
        [pdfOf('x', foldedObjects(script)), 'certificate.pdf', 415, /contains script/],
        [Buffer.concat([whole, randomBytes(10_000_000)]), 'large.pdf', 413, /larger than 10 MB/],
        [Buffer.concat([whole, randomBytes(10_300_000)]), 'larger.pdf', 413, /too large/],
      ] as const) {
        const answer = await upload(recordId, content, { deviceId, name })
        assert.equal(answer.status, status, `${name} ${answer.body.message}`)
        assert.match(answer.body.message!, message)
        assert.equal(answer.body.isSuccessful, false)
      }
      const none = await it.send(addBoilerRecordAttachment, { form: { ...own(deviceId), recordId } as never }, engineer)
      assert.deepEqual(none.body.validationErrors, [{ field: 'file', message: 'Certificate must be provided' }])
      assert.deepEqual(
        [await counted('file'), await counted('loose_file'), await counted('compliance_attachment')],
        before,
      )
      assert.deepEqual(await records(deviceId), [])
      const takeBack = () => it.send(takeBackBoilerRecord, { body: { ...own(deviceId), recordId } }, engineer)
      assert.deepEqual((await takeBack()).body.data, { isDeleted: true })
      assert.equal((await takeBack()).status, 404)
      assert.equal((await upload(recordId, whole, { deviceId })).status, 404)
    })

    test('an interrupted upload leaves nothing', async () => {
      const { recordId } = (await addGas()).body.data!
      const before = [await counted('file'), await counted('loose_file')]
      const listed = (await records()).length
      const address = it.app.server.address() as { port: number } | null
      const port = address?.port ?? Number(new URL(await it.app.listen({ port: 0, host: '127.0.0.1' })).port)
      const field = (name: string, value: string) =>
        `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
      const head = `${field('tenant', 'north')}${field('deviceId', boiler)}${field('recordId', recordId)}--x\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\ncontent-type: application/pdf\r\n\r\n`
      for (const [length, close] of [
        [9_000_000, true],
        [Buffer.byteLength(head) + certificate().length, false],
      ] as const) {
        const socket = connect(port, '127.0.0.1')
        const answered = socket.toArray() as Promise<Buffer[]>
        socket.write(
          `POST ${addBoilerRecordAttachment.path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${await it.token(engineer)}\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: ${length}\r\n\r\n${head}`,
        )
        socket.write(certificate())
        // The connection closes halfway, or the form is sent without its end.
        if (close) socket.destroy()
        const answer = await answered.catch(() => [])
        if (!close) assert.match(Buffer.concat(answer).toString(), /^HTTP\/1.1 4\d\d /)
      }
      assert.deepEqual([await counted('file'), await counted('loose_file')], before)
      assert.equal((await records()).length, listed)
      assert.equal((await upload(recordId)).status, 200, 'it can still come')
    })

    test('two uploads to one record: the first is kept, the other refused, and a lost answer can be checked', async () => {
      const { recordId } = (await addGas()).body.data!
      const both = await Promise.all([upload(recordId), upload(recordId)])
      assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([200, 409]))
      const refused = both.find(({ status }) => status === 409)!
      assert.equal(refused.body.message, 'This record already has a certificate.')
      const [record] = (await records()).filter((one) => one.recordId === recordId)
      assert.equal(record!.attachmentIds.length, 1)
      const takeBack = await it.send(takeBackBoilerRecord, { body: { ...own(), recordId } }, engineer)
      assert.deepEqual(takeBack.body.data, { isDeleted: false })
    })

    test('a double click adds one record, and a certificate is not recorded twice', async () => {
      const sent = { recordSerialNumber: `TWICE-${++counter}`, recordTimestamp: on('2026-01-05') }
      const both = await Promise.all([addGas(sent), addGas(sent)])
      const ids = new Set(both.map(({ body }) => body.data!.recordId))
      assert.equal(ids.size, 1)
      const [recordId] = ids
      assert.equal((await upload(recordId!)).status, 200)
      const again = await addGas({ ...sent, recordSerialNumber: sent.recordSerialNumber.toLowerCase() })
      assert.deepEqual([again.body.isSuccessful, again.body.message], [false, 'This certificate is already recorded.'])
      const water = { recordSerialNumber: `TWICE-${++counter}` }
      const waters = await Promise.all([addWater(water), addWater(water)])
      assert.equal(waters.filter(({ body }) => body.isSuccessful).length, 1)
    })

    test('two records with the same bytes share them; each keeps its own name', async () => {
      const content = certificate()
      const [one, two] = [(await addGas()).body.data!.recordId, (await addGas()).body.data!.recordId]
      const files = await counted('file')
      assert.equal((await upload(one, content, { name: 'one.pdf' })).status, 200)
      assert.equal((await upload(two, content, { name: 'two.pdf' })).status, 200)
      assert.equal(await counted('file'), files + 1)
      for (const [recordId, name] of [
        [one, 'one.pdf'],
        [two, 'two.pdf'],
      ] as const) {
        const record = (await records()).find((some) => some.recordId === recordId)!
        const file = await fetchFile({ ...own(), recordId, attachmentId: record.attachmentIds[0]! })
        assert.deepEqual(file.rawPayload, content)
        assert.match(String(file.headers['content-disposition']), new RegExp(name))
      }
      await forgetFiles(it.context, new Date(Date.now() + 4 * 86_400_000))
      assert.equal(await counted('loose_file'), 0)
    })

    test('each invalid field is refused with the message of the form', async () => {
      const wrong = async (more: object, field: string, message: string) => {
        for (const add of [addGas, addWater]) {
          const { status, body } = await add(more)
          assert.equal(status, 400, JSON.stringify(more))
          assert.deepEqual(body.validationErrors, [{ field, message }])
        }
      }
      for (const recordSerialNumber of ['', '  ', undefined, null, 5])
        await wrong({ recordSerialNumber }, 'recordSerialNumber', 'Certificate Number is required')
      const long = 'Certificate Number can not be longer than 60 characters'
      await wrong({ recordSerialNumber: 'x'.repeat(61) }, 'recordSerialNumber', long)
      for (const recordTimestamp of ['', undefined, null, 'yesterday', '2026-02-30T00:00:00Z'])
        await wrong({ recordTimestamp }, 'recordTimestamp', 'Date is required')
      const later = on(dayAfter(today(), 1))
      await wrong({ recordTimestamp: later }, 'recordTimestamp', 'Date can not be in the future')
      for (const recordTimestamp of ['1989-12-31T12:00:00Z', '0095-06-01T00:00:00Z', 0])
        await wrong({ recordTimestamp }, 'recordTimestamp', 'Date cannot be before 01/01/1990')
      for (const recordStatus of ['', undefined])
        await wrong({ recordStatus }, 'recordStatus', 'Result must be selected')
      for (const recordStatus of ['Maybe', 'pass', null, 1])
        await wrong({ recordStatus }, 'recordStatus', 'Result can only be passed or failed')
      for (const testKitUsed of ['', undefined, 'Other']) {
        const { status, body } = await addWater({ testKitUsed })
        assert.deepEqual(
          [status, body.validationErrors],
          [400, [{ field: 'testKitUsed', message: 'Testkit must be provided' }]],
        )
      }
      const nul = await addGas({ recordSerialNumber: 'A\u0000B' })
      assert.equal(nul.status, 400)
    })

    test('a remote control has the records of what it monitors: a heat pump none for gas, a surveyor cube none', async () => {
      const report = async (monitoring: string | null) => {
        const deviceId = await addDevice(it, 'north', { product: 'BC' })
        await it.database.owner.query('update device set monitoring = $2 where id = $1', [deviceId, monitoring])
        const listing = async (field: 'gasSafety' | 'waterTreatment') => {
          const filters = [{ fieldId: field, filterOp: 'equals' as const, value: 'NoRecord' }]
          const { body } = await it.send(
            fetchViewData,
            { body: { tenant: 'north', listing: 'Boilers', filters } },
            engineer,
          )
          return body.data!.rows.some((row) => row.deviceId === deviceId)
        }
        const page = (await it.send(getBoiler, { body: own(deviceId) }, engineer)).body.data!
        const [gas, water] = [await listing('gasSafety'), await listing('waterTreatment')]
        assert.deepEqual([page.gasSafety !== null, page.waterTreatment !== null], [gas, water], String(monitoring))
        assert.equal((await addGas({ deviceId })).body.isSuccessful, gas, String(monitoring))
        return { gas, water }
      }
      for (const boiler of ['Boiler', 'Unknown', null])
        assert.deepEqual(await report(boiler), { gas: true, water: true })
      assert.deepEqual(await report('HeatPump'), { gas: false, water: true })
      assert.deepEqual(await report('None'), { gas: false, water: false })
    })

    test('what a remote control no longer monitors is never due, and its records are kept', async () => {
      const deviceId = await newBoiler()
      const { recordId } = (await addGas({ deviceId, recordTimestamp: on('2020-03-01') })).body.data!
      await upload(recordId, certificate(), { deviceId })
      const complianceText = async (monitoring: string) => {
        const message = { tenant: 'north', deviceId, receivedAt: new Date(), payload: { monitoring } }
        await inTenant(it.database.db, 'north', (tx) => ingestStates(tx, [message]))
        await countDueDays(it.database.db)
        return (await standing(deviceId)).gas
      }
      assert.match(await complianceText('Boiler'), /^Overdue /)
      assert.equal(await complianceText('HeatPump'), null)
      assert.equal(await complianceText('Oil burner'), null, 'no text for an unknown word')
      assert.equal((await records(deviceId)).length, 1)
    })

    test('a gas safety record due that an earlier version left on a heat pump disappears, also from its property', async () => {
      const [pump, gas] = [await newBoiler(), await newBoiler()]
      const { rows: homes } = await it.database.owner.query<{ id: string }>(
        `insert into property (tenant_id, id, reference) values ('north', gen_random_uuid(), 'PUMP') returning id`,
      )
      await it.database.owner.query(
        `update device set property_id = $1 where tenant_id = 'north' and id = any($2::uuid[])`,
        [homes[0]!.id, [pump, gas]],
      )
      for (const [deviceId, day] of [
        [pump, '2020-03-01'],
        [gas, '2020-04-01'],
      ] as const) {
        const { recordId } = (await addGas({ deviceId, recordTimestamp: on(day) })).body.data!
        await upload(recordId, certificate(), { deviceId })
      }
      await it.database.owner.query(`update device set monitoring = 'HeatPump' where tenant_id = 'north' and id = $1`, [
        pump,
      ])
      await makeAllDue(it.database.owner, 'north')
      assert.equal(await recomputeUnmonitored(it.database.db), 1)
      assert.equal(await recomputeUnmonitored(it.database.db), 0)
      const { rows } = await it.database.owner.query<{ state: string | null; due: string }>(
        `select device.gas_state as state, to_char(gas_check_due_at at time zone 'Europe/London', 'YYYY-MM-DD') as due
         from device join property on property.tenant_id = 'north' and property.id = property_id
         where device.tenant_id = 'north' and device.id = $1`,
        [pump],
      )
      assert.deepEqual(rows, [{ state: null, due: '2021-04-01' }])
    })

    test('only boiler engineers add records, to devices that they see; others are refused, and other tenants find nothing', async () => {
      const { recordId } = (await addGas()).body.data!
      const { recordId: added } = (await addGas()).body.data!
      const attachmentId = (await upload(added)).body.data!.attachmentId
      const light = await addDevice(it, 'north', { product: 'EM' })
      const pump = await addDevice(it, 'north', { product: 'ASHP' })
      for (const email of [guest, lighting]) {
        assert.equal((await addGas({}, email)).status, 403, email)
        assert.equal((await addWater({}, email)).status, 403, email)
        assert.equal((await upload(recordId, certificate(), { email })).status, 403, email)
        assert.equal((await it.send(takeBackBoilerRecord, { body: { ...own(), recordId } }, email)).status, 403)
      }
      for (const send of [addGas, addWater]) {
        assert.equal((await send({}, limited)).status, 404, 'not of their patch')
        assert.equal((await send({ deviceId: theirs })).status, 404)
        assert.equal((await send({ deviceId: pump })).status, 403, 'read-only to an engineer of boilers')
      }
      assert.equal((await addGas({ deviceId: light })).status, 404)
      const stored = await counted('loose_file')
      for (const [tenant, deviceId] of [
        ['south', theirs],
        ['south', boiler],
      ] as const)
        assert.equal((await upload(recordId, certificate(), { tenant, deviceId, email: stranger })).status, 404)
      assert.equal(await counted('loose_file'), stored, "nothing is stored for another tenant's record")
      const other = await newBoiler()
      assert.equal(
        (await upload(recordId, certificate(), { deviceId: other })).status,
        404,
        'a record of another boiler',
      )
      const ids = { recordId: added, attachmentId }
      assert.equal((await fetchFile({ ...own(), ...ids })).statusCode, 200)
      assert.equal((await fetchFile({ ...own(other), ...ids })).statusCode, 404)
      assert.equal((await fetchFile({ ...own(), ...ids }, limited)).statusCode, 404)
      assert.equal((await fetchFile({ tenant: 'south', deviceId: theirs, ...ids }, stranger)).statusCode, 404)
      assert.equal((await fetchFile({ ...own(), ...ids }, stranger)).statusCode, 404)
      assert.equal((await it.send(getBoilerRecords, { body: own() }, limited)).status, 404)
      const mine = await addDevice(it, 'south', { product: 'ASHP' })
      const body = gasRecord({ tenant: 'south', deviceId: mine })
      const gasOfPump = await it.send(addBoilerGasSafetyRecord, { body }, stranger)
      assert.deepEqual(
        [gasOfPump.body.isSuccessful, gasOfPump.body.message],
        [false, 'There are no gas safety records of this device.'],
      )
    })

    test('a gas record with its certificate sets the due date of its property, a failed or older one does not', async () => {
      const deviceId = await newBoiler()
      const { rows: homes } = await it.database.owner.query<{ id: string }>(
        `insert into property (tenant_id, id, reference) values ('north', gen_random_uuid(), $1) returning id`,
        [`G-${++counter}`],
      )
      const reference = `G-${counter}`
      const home = homes[0]!.id
      const second = await newBoiler()
      await it.database.owner.query(`update device set property_id = $1 where tenant_id = 'north' and id = any($2)`, [
        home,
        [deviceId, second],
      ])
      const check = async () => {
        const { rows } = await it.database.owner.query<{ on: string; due: Date | null; chemical: string }>(
          `select gas_last_on::text as on, gas_check_due_at as due, water_last_on::text as chemical
           from property where id = $1`,
          [home],
        )
        const { on: day, due, chemical } = rows[0]!
        return [day, due && dayAt(+due, zone), chemical]
      }
      const recorded = async (day: string, more: object = {}) => {
        const { recordId } = (await addGas({ deviceId, recordTimestamp: on(day), ...more })).body.data!
        const before = await check()
        assert.equal((await upload(recordId, certificate(), { deviceId, ...more })).status, 200)
        return before
      }
      const [first, next] = [dayAfter(today(), -330), dayAfter(today(), -3)]
      // Without its certificate the record does not count yet.
      assert.deepEqual(await recorded(first), [null, null, null])
      assert.deepEqual(await check(), [first, monthsAfter(first, 12), null])
      // A check within the two-month window keeps the date, for the property as for the boiler.
      await recorded(next)
      assert.deepEqual(await check(), [next, monthsAfter(monthsAfter(first, 12), 12), null])
      const failedOn = async () => {
        const params = { tenant: 'north', propertyId: home }
        const { body } = await it.send(getProperty, { params }, engineer)
        const list = await it.send(
          fetchProperties,
          { body: { tenant: 'north', listing: 'Properties', search: reference } },
          engineer,
        )
        assert.deepEqual(
          list.body.data!.rows.map((row) => row.gasSafetyFailed),
          [body.gasSafetyFailedDate],
        )
        return body.gasSafetyFailedDate
      }
      assert.equal(await failedOn(), null)
      const failure = dayAfter(today(), -1)
      await recorded(failure, { recordStatus: 'Fail' })
      await recorded(dayAfter(today(), -200))
      assert.equal((await check())[0], failure)
      assert.equal(await failedOn(), failure)
      // A property is due when the first of its boilers is.
      await recorded(dayAfter(today(), -100), { deviceId: second })
      const earliest = async () => {
        const dues = [(await standing(deviceId)).gas, (await standing(second)).gas].map((text) => text.split(' ')[1]!)
        return dues.toSorted((a, b) => a.localeCompare(b))[0]
      }
      assert.deepEqual(await check(), [failure, await earliest(), null])
      await recorded(today(), { deviceId: second })
      assert.deepEqual(await check(), [today(), await earliest(), null])
      assert.equal(await failedOn(), failure, 'it is the other one that passed')
      await addWater({ deviceId, recordTimestamp: on(next) })
      assert.equal((await check())[2], next)
      await recorded(today())
      assert.equal(await failedOn(), null)
      await recorded(failure, { deviceId: second, recordStatus: 'Fail' })
      assert.equal(await failedOn(), null, 'it has passed since')
    })

    test('a record without a certificate is deleted after an hour, and not before', async () => {
      const { recordId } = (await addGas()).body.data!
      const drafts = async () =>
        (await it.database.owner.query(`select from compliance_record where is_draft and id = $1`, [recordId])).rowCount
      await forgetDrafts(it.database.db)
      assert.equal(await drafts(), 1)
      await forgetDrafts(it.database.db, new Date(Date.now() + 3_700_000))
      assert.equal(await drafts(), 0)
      assert.equal(await forgetDrafts(it.database.db, new Date(Date.now() + 3_700_000)), 0)
    })

    test('as days pass, the state changes by itself and is announced', async () => {
      const deviceId = await newBoiler()
      await addWater({ deviceId, recordTimestamp: on(today()) })
      const deadline = monthsAfter(today(), 12)
      const at = (day: string) => new Date(startOfDay(day, zone) + 60_000)
      const turnedOn = async (day: string) => {
        await turnCompliance(it.database.db, at(day))
        return (await standing(deviceId)).water
      }
      assert.equal(await turnedOn(dayAfter(monthsAfter(deadline, -2), -1)), `InDate ${deadline}`)
      assert.equal(await turnedOn(monthsAfter(deadline, -2)), `Due ${deadline}`)
      assert.equal(await turnedOn(deadline), `Due ${deadline}`)
      const before = await counted(`change where subject = 'device' and '${deviceId}' = any(ids)`)
      assert.equal(await turnedOn(dayAfter(deadline, 1)), `Overdue ${deadline}`)
      assert.equal(await counted(`change where subject = 'device' and '${deviceId}' = any(ids)`), before + 1)
      await inTenant(it.database.db, 'north', (tx) => recomputeAllCompliance(tx, new Date()))
      assert.equal((await standing(deviceId)).water, `InDate ${deadline}`)
    })

    test('a change of the time zone moves the day of a record, on the boiler and in its property', async () => {
      const deviceId = await newBoiler()
      await addWater({ deviceId, recordTimestamp: on(today()) })
      const dueAt = async () =>
        (await it.database.owner.query<{ at: Date }>(`select water_due_at as at from device where id = $1`, [deviceId]))
          .rows[0]!.at
      const clocks = async (next: string) => {
        await inTenant(it.database.db, 'north', (tx) => setTimeZone({ tx, person: { id: null, name: 'Vendor' } }, next))
        await countDueDays(it.database.db)
        return (await dueAt()).getTime()
      }
      const deadline = monthsAfter(today(), 12)
      try {
        assert.equal(await clocks('Asia/Tokyo'), startOfDay(deadline, 'Asia/Tokyo'))
      } finally {
        assert.equal(await clocks(zone), startOfDay(deadline, zone))
      }
    })

    test("a client's own figures apply to all of its boilers", async () => {
      const deviceId = await newBoiler()
      await addWater({ deviceId, recordTimestamp: on('2026-01-31') })
      const figures = { months: 6, window: 1, notice: 14 }
      const change = (email: string, bend: object = {}) =>
        it.send(
          changeComplianceFigures,
          { body: { tenant: 'north', type: 'WaterTreatment', figures: { ...figures, ...bend } } },
          email,
        )
      // Refused for all except managers who see the whole client; and each figure has its limits.
      for (const email of [engineer, guest, lighting, limited, limitedManager])
        assert.equal((await change(email)).status, 403, email)
      assert.notEqual((await change(stranger)).status, 200)
      for (const bend of [
        { months: 0 },
        { months: 121 },
        { window: 6 },
        { window: -1 },
        { notice: 366 },
        { months: 1.5 },
      ])
        assert.equal((await change(manager, bend)).status, 400, JSON.stringify(bend))
      assert.match((await standing(deviceId)).water, / 2027-01-31$/)
      const changed = await change(manager)
      const { version: _version, ...set } = changed.body.data!
      assert.deepEqual([changed.status, set], [200, figures])
      assert.equal((await change(manager)).status, 200, 'the same again changes nothing')
      const { rows } = await it.database.owner.query(
        `select person_name as person, before, after from audit_entry where action = 'compliance figures changed'`,
      )
      assert.deepEqual(rows, [
        {
          person: 'manager',
          before: { months: 12, window: 0, notice: 30 },
          after: figures,
        },
      ])
      assert.match((await standing(deviceId)).water, / 2026-07-31$/)
      const response = await it.send(getComplianceFigures, { body: { tenant: 'north' } }, guest)
      const { version: _, ...stored } = response.body.data!
      assert.deepEqual(stored, {
        GasSafety: { months: 12, window: 2, notice: 30 },
        WaterTreatment: figures,
      })
      await it.database.owner.query(`update tenant set settings = '{}' where id = 'north'`)
    })
  })
