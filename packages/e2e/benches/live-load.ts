import { fetchViewData, shouldUpdateDevice, shouldUpdateView } from '@caretaker/contract/devices.ts'
import type { ChangeEvent } from '@caretaker/contract/changes.ts'
import { streamChanges } from '@caretaker/contract/changes.ts'
import { getDeviceTelemetryCharts } from '@caretaker/contract/telemetry.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { connectDevice } from '../fixtures/device.ts'
import type { Credentials } from '../fixtures/operator.ts'

/**
 * The load on the server while a page is measured: reporting devices, or pages that other users have open. It runs in a
 * separate process, so that it takes no time from the measuring one. Such a page listens to its stream, reloads its
 * data when they change, and polls for changes every three seconds.
 */
export type LoadOrder =
  | { role: 'speak'; devices: Credentials[]; perSecond: number }
  | { role: 'look'; origin: string; tenant: string; pages: OpenPage[] }

type Change = ChangeEvent['changes'][number]

interface Shown {
  updatedAt: string
  position: string
  rows: { deviceId: string }[]
}

interface OpenPage {
  token: string
  /** The device whose telemetry the page shows; if omitted, the page shows the boiler listing. */
  deviceId?: string
}

/** The messages and requests of the load; reported when it starts and when it ends. */
export interface LoadReport {
  sent: number
  events: number
  polls: number
  fetched: number
  failed: number
}

const report: LoadReport = { sent: 0, events: 0, polls: 0, fetched: 0, failed: 0 }
const pollEvery = 3000
/**
 * The shortest interval in ms between two requests, as in the portal's pages: for a few devices, for a listing with a
 * changed row in sight, and for other listings.
 */
const shortestInterval = { device: 200, row: 1000, others: 5000 } as const
/** The largest share of time that a page spends on requests when responses are slow. */
const busiestShare = 1 / 2
/** The products of the listing that the pages show. */
const listed = new Set<string>(listings.Boilers.products)

async function speak({ devices, perSecond }: Extract<LoadOrder, { role: 'speak' }>): Promise<void> {
  const speaking: Awaited<ReturnType<typeof connectDevice>>[] = []
  for (const one of devices) speaking.push(await connectDevice(one))
  const startedAt = Date.now()
  let next = 0
  setInterval(() => {
    for (const expected = ((Date.now() - startedAt) / 1000) * perSecond; next < expected; next++)
      speaking[next % speaking.length]!.publish('telemetry', {
        ts: Date.now(),
        values: { flowTemperature: 40 + (next % 300) / 10, systemPressure: 1.4 },
      }).then(
        () => report.sent++,
        () => report.failed++,
      )
  }, 10)
}

async function look({ origin, tenant, pages }: Extract<LoadOrder, { role: 'look' }>): Promise<void> {
  // One after the other, as users open them.
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
  /** Reloads once enough time has passed since the last request. */
  const refresh = (wait: number) => {
    const at = shownAt + Math.max(wait, took / busiestShare)
    if (due && due.at <= at) return
    clearTimeout(due?.timer)
    const look = async () => {
      due = undefined
      // The pending response may be older than the change.
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
    if (deviceId) refresh(shortestInterval.device)
    else if (products && !products.some((product) => listed.has(product))) return
    else refresh(!ids || ids.some((id) => rows.has(id)) ? shortestInterval.row : shortestInterval.others)
  }
  const poll = async () => {
    report.polls++
    if (deviceId) {
      const changes = await ask<{ shouldUpdate: boolean; updatedAt: string; position: string }>(
        shouldUpdateDevice.path,
        {
          deviceId,
          ...seen,
        },
      )
      if (changes) seen = { date: changes.updatedAt, position: changes.position }
      if (changes?.shouldUpdate) refresh(shortestInterval.device)
    } else {
      const changes = await ask<{ shouldUpdate: boolean; deviceIds: string[] }>(shouldUpdateView.path, {
        deviceTypes: [...listed],
        ...seen,
      })
      if (!changes?.shouldUpdate) return
      // Without ids, any row in sight may have changed.
      if (!changes.deviceIds.length || changes.deviceIds.some((id) => rows.has(id))) refresh(shortestInterval.row)
    }
  }

  const address = origin + streamChanges.path.replace('{tenant}', tenant)
  const stream = await fetch(deviceId ? `${address}?device=${deviceId}` : address, { headers })
  if (!stream.ok) throw new Error(`the stream was answered with ${stream.status}`)
  void listen(stream.body!, hear)
  await show()
  // Spread over time.
  setTimeout(() => setInterval(() => void poll(), pollEvery), Math.random() * pollEvery)
}

/** Calls back for each change event. */
async function listen(body: ReadableStream<Uint8Array>, onChange: (change: Change) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  const write = (bytes: Uint8Array) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (!line.startsWith('data:') || !line.includes('"subject"')) continue
      report.events++
      for (const change of (JSON.parse(line.slice('data:'.length)) as ChangeEvent).changes) onChange(change)
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
