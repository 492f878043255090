import { fetchViewData, shouldUpdateDevice, shouldUpdateView } from '@caretaker/contract/devices.ts'
import type { ChangeNews } from '@caretaker/contract/changes.ts'
import { streamChanges } from '@caretaker/contract/changes.ts'
import { getDeviceTelemetryCharts } from '@caretaker/contract/telemetry.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { connectDevice } from '../fixtures/device.ts'
import type { Credentials } from '../fixtures/operator.ts'

/**
 * What goes on while a page is measured, in a process of its own, so that it takes no time of the one that measures: devices that
 * speak, or pages that others have open. A page listens to its stream, asks for what it shows when that changes, and whether
 * anything has changed every three seconds.
 */
export type LoadOrder =
  | { role: 'speak'; devices: Credentials[]; perSecond: number }
  | { role: 'look'; origin: string; tenant: string; pages: OpenPage[] }

type Change = ChangeNews['changes'][number]

interface Shown {
  updatedAt: string
  position: string
  rows: { deviceId: string }[]
}

interface OpenPage {
  token: string
  /** The device whose telemetry it shows; the listing of boilers unless given. */
  deviceId?: string
}

/** What was said, or heard, asked and fetched; told when it listens or speaks, and at the end. */
export interface LoadReport {
  said: number
  events: number
  polls: number
  fetched: number
  failed: number
}

const report: LoadReport = { said: 0, events: 0, polls: 0, fetched: 0, failed: 0 }
const pollEvery = 3000
/** How long after it asked a page asks anew, in ms, as the pages of the portal do: of a few devices, a listing for a row that it shows, for others. */
const apart = { device: 200, row: 1000, others: 5000 } as const
/** And of how much of the time it asks at most, where two answers one after the other took so long. */
const busy = 1 / 2
/** What the listing that pages show has. */
const listed = new Set<string>(listings.Boilers.products)

async function speak({ devices, perSecond }: Extract<LoadOrder, { role: 'speak' }>): Promise<void> {
  const speaking: Awaited<ReturnType<typeof connectDevice>>[] = []
  for (const one of devices) speaking.push(await connectDevice(one))
  const begun = Date.now()
  let next = 0
  setInterval(() => {
    for (const wanted = ((Date.now() - begun) / 1000) * perSecond; next < wanted; next++)
      speaking[next % speaking.length]!.say('telemetry', {
        ts: Date.now(),
        values: { flowTemperature: 40 + (next % 300) / 10, systemPressure: 1.4 },
      }).then(
        () => report.said++,
        () => report.failed++,
      )
  }, 10)
}

async function look({ origin, tenant, pages }: Extract<LoadOrder, { role: 'look' }>): Promise<void> {
  // By and by, as people come.
  for (const page of pages) await openPage(origin, tenant, page)
}

async function openPage(origin: string, tenant: string, { token, deviceId }: OpenPage): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const ask = async <T>(path: string, body: object): Promise<T | undefined> => {
    try {
      const response = await fetch(origin + path, {
        method: 'POST',
        headers,
        body: JSON.stringify({ tenant, ...body }),
      })
      if (!response.ok) throw new Error(`${path}: ${response.status}`)
      return ((await response.json()) as { data: T }).data
    } catch (error) {
      if (report.failed === 0) console.error(`A call of an open page failed: ${String(error)}`)
      report.failed++
      return undefined
    }
  }
  let seen: { date: string | number; position?: string } = { date: Date.now() }
  let rows = new Set<string>()
  const show = async () => {
    report.fetched++
    if (deviceId) {
      await ask(getDeviceTelemetryCharts.path, { deviceId, view: 'monitoring', views: false })
      return
    }
    const shown = await ask<Shown>(fetchViewData.path, { listing: 'Boilers' })
    if (!shown) return
    seen = { date: shown.updatedAt, position: shown.position }
    rows = new Set(shown.rows.map((row) => row.deviceId))
  }
  let [shownAt, former, took, isAsking] = [0, 0, 0, false]
  let due: { at: number; timer: NodeJS.Timeout } | undefined
  /** As soon as it is so long since the last time. */
  const refresh = (wait: number) => {
    const at = shownAt + Math.max(wait, took / busy)
    if (due && due.at <= at) return
    clearTimeout(due?.timer)
    const look = async () => {
      due = undefined
      // The answer that is on its way may be older than what is new.
      if (isAsking) return refresh(Date.now() + 100 - shownAt)
      isAsking = true
      shownAt = Date.now()
      await show()
      const last = Date.now() - shownAt
      took = Math.min(former, last)
      former = last
      isAsking = false
    }
    due = { at, timer: setTimeout(() => void look(), Math.max(0, at - Date.now())) }
  }
  const hear = ({ ids, products }: Change) => {
    if (deviceId) refresh(apart.device)
    else if (products && !products.some((product) => listed.has(product))) return
    else refresh(!ids || ids.some((id) => rows.has(id)) ? apart.row : apart.others)
  }
  const poll = async () => {
    report.polls++
    if (deviceId) {
      const told = await ask<{ shouldUpdate: boolean; updatedAt: string; position: string }>(shouldUpdateDevice.path, {
        deviceId,
        ...seen,
      })
      if (told) seen = { date: told.updatedAt, position: told.position }
      if (told?.shouldUpdate) refresh(apart.device)
    } else {
      const told = await ask<{ shouldUpdate: boolean; deviceIds: string[] }>(shouldUpdateView.path, {
        deviceTypes: [...listed],
        ...seen,
      })
      if (!told?.shouldUpdate) return
      // None can be named where others are in sight now.
      if (!told.deviceIds.length || told.deviceIds.some((id) => rows.has(id))) refresh(apart.row)
    }
  }

  const address = origin + streamChanges.path.replace('{tenant}', tenant)
  const stream = await fetch(deviceId ? `${address}?device=${deviceId}` : address, { headers })
  if (!stream.ok) throw new Error(`the stream was answered with ${stream.status}`)
  void listen(stream.body!, hear)
  await show()
  // Not all in the same moment.
  setTimeout(() => setInterval(() => void poll(), pollEvery), Math.random() * pollEvery)
}

/** Calls back for each event that tells of a change. */
async function listen(body: ReadableStream<Uint8Array>, onChange: (change: Change) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  const write = (bytes: Uint8Array) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (!line.startsWith('data:') || !line.includes('"subject"')) continue
      report.events++
      for (const change of (JSON.parse(line.slice('data:'.length)) as ChangeNews).changes) onChange(change)
    }
  }
  try {
    await body.pipeTo(new WritableStream({ write }))
  } catch (error) {
    if (report.failed === 0) console.error(`A stream of an open page ended: ${String(error)}`)
    report.failed++
  }
}

process.on('disconnect', () => process.exit(0))
process.on('message', (order: LoadOrder | 'report') => {
  if (order === 'report') return process.send!(report)
  const done = order.role === 'speak' ? speak(order) : look(order)
  done.then(
    () => process.send!(report),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
