import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, onTestFinished, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { updateTestResult } from '@caretaker/contract/lighting.ts'
import { resumeTenant, suspendTenant } from '@caretaker/contract/tenant-administration.ts'
import { setDeviceCondition } from '@caretaker/contract/conditions.ts'
import type { WebhookDelivery, WebhookEndpoint } from '@caretaker/contract/webhooks.ts'
import {
  addWebhook,
  deleteWebhook,
  getWebhookDeliveries,
  replayWebhook,
  getWebhooks,
  rotateWebhookSecret,
  sendWebhookAgain,
  tryWebhook,
  updateWebhook,
  webhookData,
} from '@caretaker/contract/webhooks.ts'
import type { DeliveryState, SubscribedEvent } from '@caretaker/rules/webhooks/webhooks.ts'
import {
  answerKept,
  failingAtMost,
  mostAttempts,
  mostEndpoints,
  replaysOfTenant,
  webhookEvents,
} from '@caretaker/rules/webhooks/webhooks.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import type { Receiver } from '../../testing/webhook-receiver.ts'
import { startReceiver } from '../../testing/webhook-receiver.ts'
import { deliverWebhooks } from '../../webhooks/deliver.ts'
import { nextDueAnywhere } from '../../postgres/due.ts'
import { enqueueMessages } from '../../projections/outbox.ts'
import { openPoster } from '../../webhooks/post.ts'
import { openReach } from '../../webhooks/reach.ts'
import { forgetWebhooks } from '../../webhooks/retention.ts'
import { advance } from '../alerts/advance.ts'
import { queueCommands, applyCommandAnswers } from '../commands/store.ts'
import { happened } from '../conditions/store.ts'
import { ingestLinks } from '../devices/ingest.ts'
import { ingestTests } from '../lighting/ingest.ts'

const tenant = 'north'
const manager = 'manager@north.test'
let app: TestApp
let receiver: Receiver
let light: string
beforeAll(async () => {
  receiver = await startReceiver()
  app = await testApp({ CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1' })
  for (const id of [tenant, 'south']) {
    await app.addTenant(id)
    await app.addMember(id, `manager@${id}.test`, 'Manager')
  }
  await app.addMember(tenant, 'guest@north.test', 'Guest')
  await app.addMember(tenant, 'developer@north.test', 'Developer')
  light = await addDevice(app, tenant, { product: 'EM', name: '1 Elm Road' })
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})
beforeEach(async () => {
  await app.database.owner.query('delete from webhook_endpoint')
  await app.database.owner.query('delete from webhook_message')
  receiver.received.length = 0
})

let counter = 0
interface Added {
  endpoint: WebhookEndpoint
  secret: string
  path: string
}
async function add(events: readonly SubscribedEvent[] = webhookEvents, path = `/hook${++counter}`): Promise<Added> {
  const settings = { name: `Hook ${counter}`, url: `${receiver.url}${path}`, events: [...events] }
  const { status, body } = await app.send(addWebhook, { params: { tenant }, body: settings }, manager)
  assert.equal(status, 201, JSON.stringify(body))
  return { endpoint: body.endpoint, secret: body.secret, path }
}
const of = ({ endpoint }: Added) => ({ params: { tenant, endpointId: endpoint.id } })
const attempt = (one: Added) => app.send(tryWebhook, of(one), manager)
/** Sends what is due now. The timeout is in ms: a busy machine answers late. */
const deliver = (timeout = 10_000) =>
  deliverWebhooks(
    app.context,
    new AbortController().signal,
    openPoster(openReach(app.context.config.webhookNetworks), { timeout }),
  )
async function log(one: Added, query: { state?: DeliveryState } = {}): Promise<WebhookDelivery[]> {
  const { status, body } = await app.send(getWebhookDeliveries, { ...of(one), query }, manager)
  assert.equal(status, 200)
  return body.results
}
interface Data extends Record<string, unknown> {
  device: { id: string; serial: string }
}
const storedMessages = async () => {
  const { rows } = await app.database.owner.query<{ event: string; body: string }>(
    'select event, body from webhook_message order by written_at, event',
  )
  return rows.map(({ event, body }) => ({ event, ...(JSON.parse(body) as { data: Data }) }))
}
const tomorrow = () =>
  app.database.owner.query(`update webhook_delivery set due_at = now() - interval '1 second' where due_at is not null`)
const dueAgain = () =>
  app.database.owner.query(`update due set due_at = now() - interval '1 second' where work = 'deliver webhooks'`)
const expected = (secret: string, id: string, timestamp: string, body: string) =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')}`

test('a message arrives signed over its id, time and body, and is logged', async () => {
  const hook = await add()
  assert.match(hook.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal((await attempt(hook)).status, 202)
  assert.equal(await deliver(), 1)
  const [message] = receiver.received
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = message!.headers
  assert.equal(signature, expected(hook.secret, id!, time!, message!.body))
  assert.ok(Math.abs(Number(time) - Date.now() / 1000) < 60)
  assert.equal(message!.headers['content-type'], 'application/json')
  const sent = JSON.parse(message!.body) as Record<string, unknown>
  assert.deepEqual([sent.type, sent.tenant, sent.data], ['webhook.trial', tenant, { sentBy: 'manager' }])
  const [entry] = await log(hook)
  assert.deepEqual(
    [entry!.messageId, entry!.state, entry!.status, entry!.attempts, entry!.nextAt, entry!.body],
    [id, 'delivered', 204, 1, null, message!.body],
  )
  assert.ok(entry!.duration !== null)
  // Its secret is in no other answer.
  const { body } = await app.send(getWebhooks, { params: { tenant } }, manager)
  assert.equal(body.results.length, 1)
  assert.ok(!JSON.stringify(body).includes(hook.secret.slice(6)))
})

test('while outbound messages are off nothing is sent, then or later, and the log has the reason', async () => {
  const hook = await add()
  await attempt(hook)
  const off = { ...app.context, config: { ...app.context.config, outbound: false } }
  assert.equal(await deliverWebhooks(off, new AbortController().signal), 0)
  const [entry] = await log(hook, { state: 'suppressed' })
  assert.deepEqual(
    [entry!.state, entry!.fault, entry!.attempts, entry!.nextAt],
    ['suppressed', 'CARETAKER_OUTBOUND is off', 0, null],
  )
  const { body } = await app.send(getWebhooks, { params: { tenant } }, manager)
  assert.deepEqual([body.results[0]!.failingSince, body.results[0]!.disabled], [null, null])
  assert.equal(await deliver(), 0)
  assert.deepEqual(receiver.received, [])
  // A message that a user resends is sent once the setting allows it.
  const again = { params: { ...of(hook).params, messageId: entry!.messageId } }
  assert.equal((await app.send(sendWebhookAgain, again, manager)).status, 202)
  assert.equal(await deliver(), 1)
  assert.deepEqual(
    (await log(hook)).map(({ state }) => state),
    ['delivered'],
  )
})

test('events of a suspended client are sent after it is resumed', async () => {
  const hook = await add()
  assert.equal((await attempt(hook)).status, 202)
  const params = { params: { tenant } }
  const staff = 'developer@north.test'
  const close = await app.send(suspendTenant, { ...params, body: { reason: 'unpaid' } }, staff)
  assert.equal(close.status, 204, JSON.stringify(close.body))
  assert.equal(await deliver(), 0)
  await inTenant(app.database.db, tenant, (tx) => enqueueMessages(tx, happening()))
  assert.equal(await deliver(), 0)
  const { rows } = await app.database.owner.query(
    `select * from due where work = 'deliver webhooks' and tenant_id = $1`,
    [tenant],
  )
  assert.deepEqual(rows, [])
  assert.equal((await app.send(resumeTenant, params, staff)).status, 204)
  assert.equal(await deliver(), 2)
  assert.deepEqual(
    (await log(hook)).map(({ state, attempts }) => [state, attempts]),
    [
      ['delivered', 1],
      ['delivered', 1],
    ],
  )
})

test('after a rotation both secrets sign for a day, and then only the new one', async () => {
  const hook = await add()
  const { status, body } = await app.send(rotateWebhookSecret, of(hook), manager)
  assert.equal(status, 201)
  assert.notEqual(body.secret, hook.secret)
  assert.ok(Math.abs(Date.parse(body.endpoint.formerSecretUntil!) - Date.now() - 86_400_000) < 60_000)
  const signed = async () => {
    await attempt(hook)
    await deliver()
    const { headers, body: text } = receiver.received.at(-1)!
    const by = (secret: string) => expected(secret, headers['webhook-id']!, headers['webhook-timestamp']!, text)
    return { signature: headers['webhook-signature'], by }
  }
  const first = await signed()
  assert.equal(first.signature, `${first.by(body.secret)} ${first.by(hook.secret)}`)
  await app.database.owner.query('update webhook_endpoint set former_until = now()')
  const second = await signed()
  assert.equal(second.signature, second.by(body.secret))
})

test('status, faults, test results, alerts and commands are enqueued in the transaction in which they happen', async () => {
  await add()
  const set = await app.send(
    setDeviceCondition,
    { body: { tenant, deviceId: light, condition: 'equipmentBroken' } },
    manager,
  )
  assert.equal(set.status, 200, JSON.stringify(set.body))
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  const eventId = randomUUID()
  const now = Date.now()
  const alert = randomUUID()
  // After the time in which further ones are combined.
  const later = now + 3_600_000
  await inTenant(app.database.db, tenant, async (tx) => {
    const fault = { source: 'boiler', code: 'F28', evidence: { description: 'No ignition' } } as const
    await happened(tx, [{ deviceId: boiler, occurrence: { what: 'fault', at: now, ...fault } }])
    await happened(tx, [{ deviceId: boiler, occurrence: { what: 'fault gone', at: now + 1 } }])
    await ingestTests(tx, [
      {
        deviceId: light,
        payload: {
          ...{ eventId, testType: 'T0', start: now, result: 'Failed', componentStates: { Lamp: 'Failed' } },
          series: [],
        },
      } as never,
    ])
    const commands = await queueCommands(tx, { deviceIds: [boiler], name: 'resetBoiler', args: {}, createdBy: null })
    const answer = { deviceId: boiler, status: 'failed', message: 'Locked', answeredAt: new Date() } as const
    await applyCommandAnswers(tx, [{ commandId: commands.get(boiler)!, ...answer }])
    const times = { began_at: new Date(now), seen_at: new Date(now), due_at: new Date(now), next_at: new Date(now) }
    const rule = { tagName: 'Stairs', triggerType: 'DEVICESTATUS', triggerCondition: 'FailedEquipment', delay: 0 }
    await tx
      .insertInto('alert')
      .values({
        ...{ tenant_id: tenant, id: alert, definition_id: randomUUID(), device_id: light, place: light, held: null },
        ...{ rule: JSON.stringify({ ...rule, delayUnit: 'mins' }), ...times, tell_at: null, told_at: null },
        ...{ ended_at: null, over_at: null, over_tell_at: null, over_told_at: null, ending: null, closed_at: null },
      })
      .execute()
    const advanced = async () => {
      while ((await advance(tx, app.context.config, later)) !== undefined);
    }
    await advanced()
    const ended = { ended_at: new Date(now), over_at: new Date(now), next_at: new Date(now) }
    await tx
      .updateTable('alert')
      .set({ ...ended, ending: 'tag taken off' })
      .where('tenant_id', '=', tenant)
      .where('id', '=', alert)
      .execute()
    await advanced()
  })
  // It connects, and a user corrects its test.
  await inTenant(app.database.db, tenant, (tx) =>
    ingestLinks(tx, [{ deviceId: boiler, heardAt: new Date(), connected: true, drops: [] }], new Date()),
  )
  const form = {
    tenant,
    deviceId: light,
    eventId,
    reason: 'Lamp replaced',
    Battery: 'Ok',
    Inverter: 'Ok',
    Lamp: 'Ok',
    Emered: 'Ok',
  } as const
  const corrected = await app.send(updateTestResult, { form }, 'developer@north.test')
  assert.equal(corrected.status, 200, JSON.stringify(corrected.body))
  const messages = await storedMessages()
  const data = (event: SubscribedEvent, deviceId: string) =>
    messages.find((one) => one.event === event && one.data.device.id === deviceId)?.data
  const { serial } = data('device.statusChanged', light)!.device
  assert.deepEqual(data('device.statusChanged', light), {
    device: { ...{ id: light, serial, product: 'EM' }, buildingId: null, propertyId: null },
    from: 'Ok',
    to: 'FailedEquipment',
  })
  const fault = { kind: 'fault', source: 'boiler', code: 'F28', description: 'No ignition' }
  assert.deepEqual(data('fault.began', boiler)!['fault'], fault)
  assert.deepEqual(data('fault.ended', boiler)!['fault'], { ...fault, began: new Date(now).toISOString() })
  assert.partialDeepStrictEqual(data('test.finished', light)!['test'], {
    id: eventId,
    testType: 'T0',
    result: 'Failed',
  })
  assert.partialDeepStrictEqual(data('command.ended', boiler)!['command'], {
    ...{ name: 'resetBoiler', status: 'failed', message: 'Locked' },
  })
  assert.partialDeepStrictEqual(data('alert.told', light)!['alert'], { id: alert, ended: null, ending: null })
  assert.partialDeepStrictEqual(data('alert.over', light)!['alert'], { id: alert, ending: 'tag taken off' })
  assert.partialDeepStrictEqual(data('device.connectionChanged', boiler), {
    ...{ device: data('fault.began', boiler)!.device, to: 'Connected' },
  })
  const { test: now_, former } = data('test.corrected', light) as unknown as Record<string, Record<string, unknown>>
  assert.deepEqual([now_!.id, now_!.result, former!.result], [eventId, 'Passed', 'Failed'])
  // Every webhook event occurred here, and each as documented.
  assert.deepEqual([...new Set(messages.map(({ event }) => event))].toSorted(), webhookEvents.toSorted())
  for (const { event, data: sent } of messages) {
    const { success, error } = webhookData[event as SubscribedEvent].safeParse(sent)
    assert.ok(success, `${event}: ${error?.message}`)
  }
  // No data about residents.
  assert.ok(!JSON.stringify(messages).includes('Elm Road'))
})

const happening = (many = 1) =>
  Array.from({ length: many }, () => ({
    ...{ event: 'test.finished', deviceId: light, at: new Date() },
    data: { test: { id: randomUUID() } },
  })) as Parameters<typeof enqueueMessages>[1]

test('a rolled back event is not sent, an unwanted one is not stored, and two events have two ids', async () => {
  const hook = await add(['test.finished'])
  await assert.rejects(
    inTenant(app.database.db, tenant, async (tx) => {
      await enqueueMessages(tx, happening())
      throw new Error('rolled back')
    }),
  )
  await inTenant(app.database.db, tenant, (tx) => enqueueMessages(tx, [{ ...happening()[0]!, event: 'fault.began' }]))
  assert.equal((await storedMessages()).length, 0)
  await inTenant(app.database.db, tenant, (tx) => enqueueMessages(tx, happening(2)))
  // Two processes share the work, and no message is sent twice.
  await Promise.all([deliver(), deliver()])
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.equal(ids.length, 2)
  assert.equal(new Set(ids).size, 2)
  await deliver()
  assert.equal(receiver.received.length, 2)
  assert.equal((await log(hook, { state: 'delivered' })).length, 2)
})

test('a receiver that redirects, hangs, answers 10 MB or cuts the connection is logged, and no redirect is followed', async () => {
  const hooks = {
    redirects: await add(),
    hangs: await add(),
    drips: await add(),
    floods: await add(),
    cuts: await add(),
  }
  receiver.on(hooks.redirects.path, (_, response) =>
    response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end('moved'),
  )
  receiver.on(hooks.hangs.path, () => {})
  receiver.on(hooks.drips.path, (request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 20)
    request.socket.on('close', () => clearInterval(timer))
  })
  let written = 0
  receiver.on(hooks.floods.path, (request, response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(65_536, 'x')
    const more = () => {
      while (written < 10_000_000 && !request.socket.destroyed) {
        written += chunk.length
        if (!response.write(chunk)) return
      }
      response.end()
    }
    response.on('drain', more)
    more()
  })
  receiver.on(hooks.cuts.path, (request) => request.socket.destroy())
  for (const hook of Object.values(hooks)) await attempt(hook)
  const begun = Date.now()
  await deliver(300)
  assert.ok(Date.now() - begun < 5_000, 'it waits for nobody longer than its patience')
  const outcome = async (hook: Added) => {
    const [{ state, status, fault, answer }] = (await log(hook)) as [WebhookDelivery]
    return { state, status, fault, answer: answer && answer.slice(0, 10) }
  }
  assert.deepEqual(await outcome(hooks.redirects), {
    ...{ state: 'waiting', status: 302, fault: 'It responded 302: redirects are not followed.', answer: 'moved' },
  })
  const late = { state: 'waiting', status: null, fault: 'No response within 0.3 seconds.', answer: null }
  assert.deepEqual(await outcome(hooks.hangs), late)
  assert.deepEqual(await outcome(hooks.drips), late)
  assert.deepEqual(await outcome(hooks.floods), { state: 'delivered', status: 200, fault: null, answer: 'xxxxxxxxxx' })
  assert.equal((await log(hooks.floods))[0]!.answer!.length, answerKept)
  assert.ok(written < 10_000_000, 'most of it is never read')
  assert.deepEqual(await outcome(hooks.cuts), {
    ...{ state: 'waiting', status: null, fault: 'The connection was cut.', answer: null },
  })
  assert.ok(!receiver.received.some(({ path }) => path === '/elsewhere'))
})

test('the log does not distinguish open and closed ports; the operator finds the cause in the server log', async () => {
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const port = (server: { address(): unknown }) => (server.address() as AddressInfo).port
  const closed = createServer()
  closed.listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const free = port(closed)
  closed.close()
  const poster = openPoster(openReach(['127.0.0.1']), { timeout: 300 })
  onTestFinished(() => poster.close())
  const causes = []
  for (const url of [
    `https://127.0.0.1:${free}/`,
    // One that never answers, and one that uses another protocol.
    `https://127.0.0.1:${port(silent)}/`,
    `https://127.0.0.1:${receiver.port}/`,
    `http://127.0.0.1:${free}/`,
  ]) {
    const { cause, ...shown } = await poster.post(url, {}, '{}')
    const unreached = { taken: false, status: null, answer: null, duration: null }
    assert.deepEqual(shown, { ...unreached, fault: 'It could not be reached.' }, url)
    causes.push(cause)
  }
  for (const [at, cause] of [/ECONNREFUSED/, /No response within/, /EPROTO|SSL/, /ECONNREFUSED/].entries())
    assert.match(causes[at]!, cause)
})

test('a slow receiver delays only itself', async () => {
  const [slow, quick] = [await add(['test.finished']), await add(['test.finished'])]
  receiver.on(slow.path, () => {})
  await inTenant(app.database.db, tenant, (tx) => enqueueMessages(tx, happening(100)))
  const running = deliver(2_000)
  const begun = Date.now()
  await receiver.until(quick.path, 100)
  assert.ok(Date.now() - begun < 2_000)
  // Messages enqueued while the slow receiver is pending arrive as well.
  await inTenant(app.database.db, tenant, (tx) => enqueueMessages(tx, happening(10)))
  await receiver.until(quick.path, 110)
  assert.equal((await log(slow, { state: 'delivered' })).length, 0)
  await app.send(deleteWebhook, of(slow), manager)
  await running
})

test('after a slow failure the next attempt is due at its retry time, not when its claim ends', async () => {
  const hook = await add()
  receiver.on(hook.path, (_, response) => void setTimeout(() => response.writeHead(500).end(), 400))
  await attempt(hook)
  const before = Date.now()
  assert.equal(await deliver(2000), 1)
  const due = await nextDueAnywhere(app.database.db, 'deliver webhooks')
  const [entry] = await log(hook)
  assert.equal(due?.toISOString(), entry!.nextAt)
  assert.ok(+due! - before < 10_000, `${+due! - before} ms`)
})

test('failures are retried with the same id and a new time, with increasing delays, and given up after twelve attempts', async () => {
  const hook = await add()
  receiver.on(hook.path, (_, response) => response.writeHead(500).end('Oops\u0000'))
  await attempt(hook)
  await deliver()
  const [first] = await log(hook)
  assert.deepEqual([first!.state, first!.fault, first!.answer], ['waiting', 'It responded 500.', 'Oops'])
  const wait = Date.parse(first!.nextAt!) - Date.parse(first!.triedAt!)
  assert.ok(wait > 4_000 && wait < 10_000, String(wait))
  assert.equal(await deliver(), 0)
  for (let n = 1; n < mostAttempts; n++) {
    await tomorrow()
    await dueAgain()
    assert.equal(await deliver(), 1)
  }
  const [last] = await log(hook)
  assert.deepEqual([last!.state, last!.attempts, last!.nextAt], ['failed', mostAttempts, null])
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
  // A user resends it, with the same id.
  receiver.on(hook.path, (_, response) => response.writeHead(200).end())
  const again = () =>
    app.send(sendWebhookAgain, { params: { ...of(hook).params, messageId: last!.messageId } }, manager)
  assert.equal((await again()).status, 202)
  assert.equal((await again()).status, 409)
  await deliver()
  assert.equal(receiver.received.at(-1)!.headers['webhook-id'], last!.messageId)
  assert.equal((await log(hook))[0]!.state, 'delivered')
})

test('an endpoint that fails for days, or is gone, is disabled, with a note in its place and in the audit', async () => {
  const [failing, gone] = [await add(), await add()]
  receiver.on(failing.path, (_, response) => response.writeHead(503).end())
  receiver.on(gone.path, (_, response) => response.writeHead(410).end())
  await app.database.owner.query('update webhook_endpoint set failing_since = $1 where id = $2', [
    new Date(Date.now() - failingAtMost),
    failing.endpoint.id,
  ])
  for (const hook of [failing, gone]) await attempt(hook)
  await deliver()
  const { body } = await app.send(getWebhooks, { params: { tenant } }, manager)
  const reasons = new Map(body.results.map(({ id, disabled }) => [id, disabled?.reason]))
  assert.equal(reasons.get(failing.endpoint.id), 'The endpoint has accepted nothing for 5 days.')
  assert.equal(reasons.get(gone.endpoint.id), 'The endpoint answered 410 Gone.')
  assert.equal((await log(failing))[0]!.state, 'failed')
  const record = await app.send(getAudit, { params: { tenant }, query: {} } as never, 'developer@north.test')
  const entry = record.body.results.find(({ action }) => action === 'webhook disabled')
  assert.equal(entry?.userName, 'Caretaker')
  assert.ok(app.logged.some((line) => line.includes('a webhook endpoint was disabled')))
  // It gets nothing more, also on request, until it is enabled.
  await inTenant(app.database.db, tenant, (tx) => enqueueMessages(tx, happening()))
  assert.equal((await log(gone)).length, 1)
  assert.equal((await attempt(gone)).status, 409)
  const { name, url, events } = gone.endpoint
  const enabled = await app.send(updateWebhook, { ...of(gone), body: { name, url, events, enabled: true } }, manager)
  assert.deepEqual([enabled.status, enabled.body.disabled, enabled.body.failingSince], [200, null, null])
  assert.equal((await attempt(gone)).status, 202)
})

test('private addresses are refused when saved, and again when called', async () => {
  const strict = await testApp({}, app.database)
  const save = (url: string) =>
    strict.send(addWebhook, { params: { tenant }, body: { name: 'Hook', url, events: ['test.finished'] } }, manager)
  try {
    for (const host of [
      ...[
        '127.0.0.1',
        '10.1.2.3',
        '172.20.0.1',
        '192.168.1.1',
        '169.254.169.254',
        '100.64.0.1',
        '0.0.0.0',
        'localhost',
      ],
      ...[
        '[::1]',
        '[fe80::1]',
        '[fd00::1]',
        '[::ffff:10.0.0.1]',
        '[64:ff9b::a00:1]',
        '2130706433',
        '0x7f.1',
        'a.localhost',
      ],
    ]) {
      const { status, body } = await save(`https://${host}/hook`)
      assert.equal(status, 400, host)
      assert.equal(body.validationErrors[0].field, 'url')
    }
    for (const url of [
      'http://8.8.8.8/',
      'ftp://8.8.8.8/',
      'https://a:b@8.8.8.8/',
      'https://',
      'javascript:alert(1)',
      '',
    ])
      assert.equal((await save(url)).status, 400, url)
    assert.equal((await save('https://8.8.8.8/hook')).status, 201)
  } finally {
    await strict.app.close()
  }
  // Saved while the setting allowed it, or because its name resolved elsewhere then.
  const hook = await add()
  await attempt(hook)
  await deliverWebhooks(app.context, new AbortController().signal, openPoster(openReach([])))
  assert.equal((await log(hook))[0]!.fault, 'The address is not public.')
  assert.equal(receiver.received.length, 0)
  const reach = openReach(['10.1.0.0/16'])
  await reach.addressesOf('10.1.2.3', false)
  await assert.rejects(reach.addressesOf('10.2.0.1', true), { name: 'OutOfReach' })
  // The name is resolved for the connection, and that address is checked.
  await assert.rejects(openReach([]).addressesOf('localhost', true), { name: 'OutOfReach' })
  await assert.rejects(openReach([]).addressesOf('hooks.northgate.example', true), { code: 'ENOTFOUND' })
})

test('only managers of the client see and change webhooks, and another client is not found', async () => {
  const hook = await add()
  const calls = (email: string, of: { tenant: string }) => [
    app.send(getWebhooks, { params: of }, email),
    app.send(addWebhook, { params: of, body: { name: 'x', url: `${receiver.url}/x`, events: ['fault.began'] } }, email),
    app.send(rotateWebhookSecret, { params: { ...of, endpointId: hook.endpoint.id } }, email),
    app.send(getWebhookDeliveries, { params: { ...of, endpointId: hook.endpoint.id }, query: {} }, email),
    app.send(tryWebhook, { params: { ...of, endpointId: hook.endpoint.id } }, email),
    app.send(deleteWebhook, { params: { ...of, endpointId: hook.endpoint.id } }, email),
  ]
  for (const { status } of await Promise.all(calls('guest@north.test', { tenant }))) assert.equal(status, 403)
  for (const { status } of await Promise.all(calls('manager@south.test', { tenant }))) assert.equal(status, 404)
  const foreign = await Promise.all(calls('manager@south.test', { tenant: 'south' }).slice(2))
  for (const { status } of foreign) assert.equal(status, 404)
  assert.equal((await app.send(deleteWebhook, of(hook), manager)).status, 204)
})

test('invalid settings are refused, and a client has a maximum number of endpoints', async () => {
  const save = (bend: object) =>
    app.send(
      addWebhook,
      { params: { tenant }, body: { name: 'Hook', url: receiver.url, events: ['test.finished'], ...bend } as never },
      manager,
    )
  for (const bend of [
    { name: '' },
    { events: [] },
    { events: ['webhook.trial'] },
    { events: ['x'] },
    { secret: 'mine' },
  ])
    assert.equal((await save(bend)).status, 400, JSON.stringify(bend))
  for (let n = 0; n < mostEndpoints; n++) assert.equal((await save({})).status, 201)
  assert.equal((await save({})).status, 409)
})

test('a period is sent again with the same ids, only to the endpoint asked for, and nothing is listed twice', async () => {
  const [hook, other] = [await add(['test.finished']), await add(['test.finished', 'fault.began'])]
  const hour = 3_600_000
  const at = (hours: number) => new Date(Date.now() - hours * hour)
  const events = [1, 5, 6, 9].map((hours) => ({ ...happening()[0]!, at: at(hours) }))
  await inTenant(app.database.db, tenant, (tx) => enqueueMessages(tx, events))
  await deliver()
  const before = receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.equal(before.length, 8)
  receiver.received.length = 0
  const replay = (of_: Added, body: object, email = manager) =>
    app.send(replayWebhook, { ...of(of_), body: { from: at(7).toISOString(), ...body } } as never, email)
  const answer = await replay(hook, { to: at(2).toISOString() })
  assert.deepEqual([answer.status, answer.body], [202, { messages: 2, next: null }])
  // The messages are pending: the same period enqueues nothing more.
  assert.deepEqual((await replay(hook, { to: at(2).toISOString() })).body, { messages: 0, next: null })
  await deliver()
  assert.equal(receiver.received.length, 2)
  for (const { path, headers } of receiver.received) {
    assert.equal(path, hook.path)
    assert.ok(before.includes(headers['webhook-id']))
  }
  assert.equal((await log(hook)).length, 4)
  assert.deepEqual((await replay(hook, { onlyUndelivered: true })).body, { messages: 0, next: null })
  // An endpoint that was added later gets what was stored for others.
  const late = await add(['fault.began', 'test.finished'])
  assert.deepEqual((await replay(late, { from: at(20).toISOString() })).body, { messages: 4, next: null })
  assert.equal((await replay(late, { from: at(31 * 24).toISOString() })).status, 400)
  assert.equal((await replay(other, {}, 'guest@north.test')).status, 403)
  assert.equal((await replay(other, {}, 'manager@south.test')).status, 404)
  for (const after of ['1', `9999999999999999-${randomUUID()}`, `1-${'-'.repeat(36)}`]) {
    assert.equal((await replay(hook, { after })).status, 400, after)
    const page = await app.send(getWebhookDeliveries, { ...of(hook), query: { after } }, manager)
    assert.equal(page.status, 400, after)
  }
  const { rows } = await app.database.owner.query<{ after: { messages: number } }>(
    `select after from audit_entry where action = 'webhook messages sent again' and subject_id = $1 order by at`,
    [hook.endpoint.id],
  )
  assert.deepEqual(
    rows.map(({ after }) => after.messages),
    [2, 0, 0],
  )
  let calls = 0
  while ((await replay(hook, {})).status !== 429) assert.ok(++calls <= replaysOfTenant.most)
})

test('a page of the log begins where the previous one ended, and old entries are deleted', async () => {
  const hook = await add(['test.finished'])
  await inTenant(app.database.db, tenant, (tx) => enqueueMessages(tx, happening(70)))
  const first = await app.send(getWebhookDeliveries, { ...of(hook), query: {} }, manager)
  assert.equal(first.body.results.length, 50)
  const second = await app.send(getWebhookDeliveries, { ...of(hook), query: { after: first.body.next! } }, manager)
  assert.deepEqual([second.body.results.length, second.body.next], [20, null])
  const all = [...first.body.results, ...second.body.results].map(({ messageId }) => messageId)
  assert.equal(new Set(all).size, 70)
  assert.equal(await forgetWebhooks(app.database.db), 0)
  await app.database.owner.query('update webhook_message set written_at = $1', [new Date(Date.now() - 31 * 86_400_000)])
  await app.database.owner.query(`update due set due_at = 'epoch' where work = 'forget webhooks'`)
  assert.equal(await forgetWebhooks(app.database.db), 70)
  assert.deepEqual(await log(hook), [])
})
