import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { IClientOptions, MqttClient } from 'mqtt'
import { connectAsync } from 'mqtt'
import pino from 'pino'
import { Registry } from 'prom-client'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { openStore } from '../files/store.ts'
import type { DeviceLink } from '../mqtt/link.ts'
import { startDeviceLink } from '../mqtt/device-link.ts'
import { queueCommands } from '../features/commands/store.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestDatabase } from './database.ts'
import { testDatabase } from './database.ts'

export interface TestDevice {
  id: string
  tenant: string
  key: string
}

/** The real device link on a database of its own, with devices that connect to it. */
export interface TestLink {
  database: TestDatabase
  context: Context
  link: DeviceLink
  /** Replaces the running link with a new one on the same database. */
  restart(): Promise<void>
  addTenant(id: string): Promise<void>
  addDevice(tenant: string, more?: NewDevice): Promise<TestDevice>
  connect(device: TestDevice, options?: IClientOptions): Promise<MqttClient>
  /** Publishes a message; resolves when the server has acknowledged it. */
  publish(client: MqttClient, deviceId: string, channel: UpChannel, payload: unknown): Promise<void>
  /** The number of messages rejected for this reason. */
  bad(reason: string): Promise<number>
  rows<R extends Record<string, unknown>>(query: string, values?: unknown[]): Promise<R[]>
  close(): Promise<void>
}

interface NewDevice {
  parent?: TestDevice
  product?: Product
  reportingInterval?: number
  /** Only connected through its gateway. */
  silent?: boolean
}

export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()

export async function testLink(env: Record<string, string> = {}): Promise<TestLink> {
  const database = await testDatabase()
  const config = readConfig({ CARETAKER_DATA: '/nonexistent', MQTT_PORT: '0', ...env })
  const context: Context = {
    config,
    ...database.product,
    files: openStore(config),
    log: pino({ level: process.env.CARETAKER_TEST_LOG ?? 'silent' }),
    metrics: new Registry(),
  }
  let link = await startDeviceLink(context)
  const clients = new Set<MqttClient>()
  const rows = async <R>(query: string, values: unknown[] = []) =>
    (await database.owner.query(query, values)).rows as R[]

  return {
    database,
    context,
    get link() {
      return link
    },
    restart: async () => {
      await link.stop()
      link = await startDeviceLink(context)
    },
    rows,
    addTenant: async (id) => void (await rows('insert into tenant (id, display_name) values ($1, $1)', [id])),
    addDevice: async (tenant, { parent, product = 'ED', reportingInterval = 900, silent = false } = {}) => {
      const device = { id: randomUUID(), tenant, key: randomBytes(12).toString('hex') }
      await rows(
        `insert into device (tenant_id, id, serial, product, name, status, severity, parent_id, reporting_interval)
         values ($1, $2, $3, $4, 'A device', 'Ok', 2, $5, $6)`,
        [tenant, device.id, `${product}${device.id}`, product, parent?.id, reportingInterval],
      )
      await rows(
        `insert into device_route (device_id, tenant_id, parent_id, key_hash, reporting_interval) values ($1, $2, $3, $4, $5)`,
        [device.id, tenant, parent?.id, silent ? null : hashKey(device.key), reportingInterval],
      )
      return device
    },
    connect: async (device, options = {}) => {
      const client = await connectAsync(
        link.url,
        { clientId: device.id, username: device.id, password: device.key, reconnectPeriod: 0, ...options },
        false,
      )
      client.on('error', () => {})
      clients.add(client)
      return client
    },
    publish: async (client, deviceId, channel, payload) => {
      const body = Buffer.isBuffer(payload) || typeof payload === 'string' ? payload : JSON.stringify(payload)
      await client.publishAsync(topic(deviceId, channel), body, { qos: 1 })
    },
    bad: async (reason) => {
      const metric = await context.metrics.getSingleMetric('caretaker_bad_messages_total')!.get()
      return metric.values.find((value) => value.labels.reason === reason)?.value ?? 0
    },
    close: async () => {
      for (const client of clients) client.end(true)
      await link.stop()
      await database.drop()
    },
  }
}

/** Polls until the condition holds; returns the value. */
export async function eventually<T>(look: () => Promise<T>, holds: (value: T) => boolean, within = 20_000): Promise<T> {
  const end = performance.now() + within
  for (;;) {
    const value = await look()
    if (holds(value)) return value
    if (performance.now() > end) throw new Error(`not in time, last seen: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Queues a flick test for a device, as a user's call does; returns the command's id. */
export async function queueFlickTest(
  { db }: TestDatabase,
  { id, tenant }: Pick<TestDevice, 'id' | 'tenant'>,
): Promise<string> {
  const command = { name: 'runTest', args: { testType: 'T0' }, createdBy: null } as const
  const queued = await inTenant(db, tenant, (tx) => queueCommands(tx, { deviceIds: [id], ...command }))
  return queued.get(id)!
}
