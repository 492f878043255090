import { fetchViewData, shouldUpdateDevice, shouldUpdateView } from '@caretaker/contract/devices.ts'
import { streamChanges } from '@caretaker/contract/changes.ts'
import { getDeviceTelemetryCharts } from '@caretaker/contract/telemetry.ts'
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
/** A page of a few devices asks anew no sooner than this after it asked, in ms; a listing waits longer. */
const apart = { device: 200, listing: 1000 } as const

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
    } catch {
      report.failed++
      return undefined
    }
  }
  let seen: { date: string | number; position?: string } = { date: Date.now() }
  const show = async () => {
    report.fetched++
    if (deviceId) {
      const charts = ['burnerHours', 'meanFlow', 'flowReturn', 'pressure']
      await Promise.all(
        charts.map((chart) => ask(getDeviceTelemetryCharts.path, { deviceId, view: 'monitoring', charts: [chart] })),
      )
      return
    }
    const shown = await ask<{ updatedAt: string; position: string }>(fetchViewData.path, { listing: 'Boilers' })
    if (shown) seen = { date: shown.updatedAt, position: shown.position }
  }
  let shownAt = 0
  let due: NodeJS.Timeout | undefined
  /** At once, or as soon as it is long enough since the last time. */
  const refresh = () => {
    due ??= setTimeout(
      () => {
        due = undefined
        shownAt = Date.now()
        void show()
      },
      Math.max(0, shownAt + (deviceId ? apart.device : apart.listing) - Date.now()),
    )
  }
  const poll = async () => {
    report.polls++
    if (deviceId) {
      const told = await ask<{ shouldUpdate: boolean; updatedAt: string; position: string }>(shouldUpdateDevice.path, {
        deviceId,
        ...seen,
      })
      if (told) seen = { date: told.updatedAt, position: told.position }
      if (told?.shouldUpdate) refresh()
    } else {
      const told = await ask<{ shouldUpdate: boolean }>(shouldUpdateView.path, { deviceTypes: ['BC', 'BX'], ...seen })
      if (told?.shouldUpdate) refresh()
    }
  }

  const address = origin + streamChanges.path.replace('{tenant}', tenant)
  const stream = await fetch(deviceId ? `${address}?device=${deviceId}` : address, { headers })
  if (!stream.ok) throw new Error(`the stream was answered with ${stream.status}`)
  void hear(stream.body!, refresh)
  await show()
  // Not all in the same moment.
  setTimeout(() => setInterval(() => void poll(), pollEvery), Math.random() * pollEvery)
}

/** Calls back for each event that tells of a change. */
async function hear(body: ReadableStream<Uint8Array>, onChange: () => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  const write = (bytes: Uint8Array) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (!line.startsWith('data:') || !line.includes('"subject"')) continue
      report.events++
      onChange()
    }
  }
  try {
    await body.pipeTo(new WritableStream({ write }))
  } catch {
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
